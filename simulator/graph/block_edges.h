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

/// Rows [first, last) of the matrix, cut where windows of its columns begin. `begins` ascends, with one entry
/// more than there are windows. All nonzeros of the rows lie in [front, back) of it.
std::vector<BlockEdges> edgesOf(const CsrRows& matrix, std::span<const std::int64_t> begins,
                                std::int64_t first, std::int64_t last);

/// A block, or a stretch of one, and how many of the sampled nonzeros lie in it.
struct BlockSample {
  BlockEdges edges;
  double weight = 1;
  std::size_t block = 0;  // stretches of one block follow each other
};

/// Some blocks to count in. Each of sixteen nonzeros evenly over the graph's gives its block, or a stretch of
/// some `edges` nonzeros about it where the block has more. So what a nonzero takes, in the mean weighed,
/// stands for all of them, hubs and communities where they lie. Where only counts are known, there is one
/// block of random arcs; none without nonzeros.
std::vector<BlockSample> sampleBlocks(const Graph& graph, const TileShape& shape, std::int64_t edges);

}  // namespace halo::sim
