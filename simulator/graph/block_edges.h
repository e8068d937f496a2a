#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/graph/tiling.h"

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

/// A block, or a stretch of one, and how many of the sampled nonzeros lie in it.
struct BlockSample {
  BlockEdges edges;
  double weight = 1;
  std::size_t block = 0;  // stretches of one block follow each other
};

/// Some blocks to count in. Of sixteen nonzeros evenly over the graph's the block, or a stretch of some
/// `edges` nonzeros about each where the block has more: so what a nonzero takes, in the mean weighed, stands
/// for all of them, hubs and communities where they lie. Where only counts are known, one of random arcs;
/// none without nonzeros.
std::vector<BlockSample> sampleBlocks(const Graph& graph, const TileShape& shape, std::int64_t edges);

}  // namespace halo::sim
