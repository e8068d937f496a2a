#pragma once

// Edges of a tile by groups of n: what the elements of the kernel take for each.

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/accelerators/fpga/fpga_pass.h"

namespace halo::sim::fpga {

struct TileEdge {
  std::int64_t source = 0, row = 0;  // row: of the tile
  auto operator<=>(const TileEdge&) const = default;
};

/// Edges into rows [first, last), by source, then by row.
std::vector<TileEdge> edgesBySource(const CsrRows& matrix, std::int64_t first, std::int64_t last);

/// What a group of edges takes before the butterfly. Rows are read once a tile: `fresh` of the group's
/// sources are seen for the first time.
struct FeedCycles {
  std::int64_t dispatch = 0, read = 0, scatter = 0, fresh = 0;
};
/// And behind it: edges at the busiest element × beats, and on top of that waiting for the adder.
struct GatherCycles {
  std::int64_t adding = 0, hazard = 0;
};

/// The groups of one tile, of at most n edges each, in order. Element k sums rows r with r mod n = k. It
/// takes edges in order, and an edge's beats one after the other. A beat is added to a sum no earlier than
/// `adderCycles` after the last one that was.
class Groups {
 public:
  Groups(const Fpga& fpga, std::int64_t beats, std::int64_t rows);

  /// Edges come by source.
  FeedCycles feed(std::span<const TileEdge> edges);
  /// The group's edges reach their elements from cycle `now` on, never before the end of the last group.
  GatherCycles gather(std::int64_t now, std::span<const TileEdge> edges);

 private:
  const Fpga& fpga_;
  std::int64_t beats_;
  std::int64_t lastSource_ = -1;
  std::vector<std::int64_t> addedAt_;  // of each row: when its last edge's first beat was; far back at first
  std::vector<std::int64_t> freeAt_, load_;  // of each element, in this group
};

/// Mean over groups, back to back, as where the elements are what limits. Groups are counted in the tiles of
/// 64 nonzeros evenly over the graph's, in stretches evenly over the edges of each tile. Where only counts
/// are known, they are counted in random edges.
GroupCost sampleGroups(const Fpga& fpga, const SlicePass& pass, const Graph& graph);

/// Edges at the busiest of n elements, in the mean, when n edges go to random ones (balls_in_bins.h).
double expectedRounds(std::int64_t elements);

}  // namespace halo::sim::fpga
