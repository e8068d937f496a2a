#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/tiling.h"

namespace halo::sim {

/// The nonzeros of one block in the order in which they stream.
struct BlockEdges {
  std::vector<std::int64_t> destinations;  // with a nonzero
  std::vector<std::int64_t> lengths;       // of each: how many
  std::vector<std::int64_t> sources;       // of each nonzero, from the window's begin
};

/// Rows [first, last) of the matrix, cut where windows of its columns begin. begins: ascending, windows + 1
/// of them; all nonzeros of the rows lie in [front, back).
std::vector<BlockEdges> edgesOf(const CsrRows& matrix, std::span<const std::int64_t> begins,
                                std::int64_t first, std::int64_t last);

/// Some blocks to count in, each of about `edges` nonzeros at most: up to four of the graph's, the fullest
/// windows of tiles evenly over it; one of random arcs where only counts are known; none without nonzeros.
std::vector<BlockEdges> sampleBlocks(const Graph& graph, const TileShape& shape, std::int64_t edges);

}  // namespace halo::sim
