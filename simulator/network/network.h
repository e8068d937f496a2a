#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace halo::sim {

/// Cycles of a reduction tree with `width` leaves that sums segments. All the numbers of one sum stand side
/// by side; each segment gives one result. Segments wider than the tree take whole cycles first. What is left
/// of them, and all others, goes into the first cycle that has room (first fit). Cost: O(segments · log
/// cycles). Segments of length 0 take nothing.   Source: resources/design/simulator.md, Networks and banks
std::int64_t packSegments(std::span<const std::int64_t> lengths, std::int64_t width);

/// The definition: every cycle tried in turn.
std::int64_t packSegmentsReference(std::span<const std::int64_t> lengths, std::int64_t width);

/// Levels that a word passes in a tree of so many leaves.
constexpr std::int64_t treeLevels(std::int64_t leaves) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(leaves - 1)));
}

/// A fat tree that brings rows of `width` words to `leaves` leaves; each of its levels carries `words` words
/// a cycle. A word that several leaves take in one cycle is carried once (multicast).
struct DistributionTree {
  std::int64_t leaves = 1, words = 1;
};

/// Cycles in which the tree brings the row of each source, in order, to leaves of its own. Of the row of
/// sources[i], widths[i] words are asked for. A row that is asked for twice in a cycle shares its words: the
/// fewer are among the more. A cycle brings as many rows as leaves and words allow. Rows wider than either
/// take whole cycles. The levels are passed in treeLevels(leaves) cycles besides.   Cost: O(sources).
/// Source: resources/design/simulator.md, Networks and banks
std::int64_t distributeCycles(std::span<const std::int64_t> sources, std::span<const std::int64_t> widths,
                              const DistributionTree& tree);

/// Rows a cycle in the mean, when every one is of one of `population` sources at random. Leaves limit how
/// many rows there are, and words limit how many different ones.
double distributedRows(double population, std::int64_t width, const DistributionTree& tree);

}  // namespace halo::sim
