#pragma once

#include <cstdint>
#include <span>

namespace halo::sim {

/// Cycles of a reduction tree with `width` leaves that sums segments (all the numbers of one sum stand side
/// by side; each segment gives one result). Segments wider than the tree take whole cycles first; what is
/// left of them, and all others, goes into the first cycle that has room (first fit). Cost: O(segments · log
/// cycles). Segments of length 0 take nothing.   Source: simulator.md 1.5
std::int64_t packSegments(std::span<const std::int64_t> lengths, std::int64_t width);

/// The definition: every cycle tried in turn.
std::int64_t packSegmentsReference(std::span<const std::int64_t> lengths, std::int64_t width);

}  // namespace halo::sim
