#include "simulator/block_edges.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/philox.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kSampledBlocks = 4;
constexpr std::uint64_t kSeed = 1;

/// A block of random arcs, as many a row as the counts say in the mean.
BlockEdges randomBlock(const Graph& graph, const TileShape& shape, std::int64_t edges) {
  const auto n = static_cast<double>(graph.vertices);
  const double rows = std::min(static_cast<double>(shape.tileRows), n);
  const double sources = std::min(static_cast<double>(shape.windowRows), n);
  const double perRow = static_cast<double>(graph.nonzeros) / n * sources / n;
  const auto count =
      static_cast<std::int64_t>(std::clamp(static_cast<double>(edges), 1.0, perRow * rows + 1));
  const auto taken = static_cast<std::int64_t>(std::clamp(static_cast<double>(count) / perRow, 1.0, rows));
  PhiloxStream random(kSeed, Purpose::generate, 21);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(taken), 0);
  for (std::int64_t e = 0; e < count; ++e) ++lengths[random.below(static_cast<std::uint64_t>(taken))];
  BlockEdges block;
  for (std::int64_t r = 0; r < taken; ++r) {
    if (lengths[static_cast<std::size_t>(r)] == 0) continue;
    block.destinations.push_back(r);
    block.lengths.push_back(lengths[static_cast<std::size_t>(r)]);
  }
  for (std::int64_t e = 0; e < count; ++e)
    block.sources.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sources))));
  return block;
}

/// The first rows of a block, about `edges` of its nonzeros.
void shorten(BlockEdges& block, std::int64_t edges) {
  std::int64_t sum = 0;
  std::size_t rows = 0;
  while (rows < block.lengths.size() && sum < edges) sum += block.lengths[rows++];
  block.lengths.resize(rows);
  block.destinations.resize(rows);
  block.sources.resize(static_cast<std::size_t>(sum));
}

/// The fullest window of some tiles, evenly over the matrix.
std::vector<BlockEdges> sampledBlocks(const Csr& matrix, const TileShape& shape, std::int64_t edges) {
  const std::int64_t tiles = partsOf(matrix.rows(), shape.tileRows);
  const std::vector<std::int64_t> begins = partBegins(matrix.cols, partsOf(matrix.cols, shape.windowRows));
  const std::int64_t count = std::min(tiles, kSampledBlocks);
  std::vector<BlockEdges> sampled;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t tile = i * tiles / count;
    auto blocks = edgesOf(matrix, begins, partBegin(matrix.rows(), tiles, tile),
                          partBegin(matrix.rows(), tiles, tile + 1));
    const auto size = [](const BlockEdges& block) { return block.sources.size(); };
    auto fullest = std::ranges::max_element(blocks, {}, size);
    if (fullest == blocks.end() || fullest->sources.empty()) continue;
    shorten(*fullest, edges);
    sampled.push_back(std::move(*fullest));
  }
  return sampled;
}

}  // namespace

std::vector<BlockEdges> edgesOf(const Csr& matrix, std::span<const std::int64_t> begins, std::int64_t first,
                                std::int64_t last) {
  HALO_CHECK(!begins.empty());
  std::vector<BlockEdges> blocks(begins.size() - 1);
  for (std::int64_t r = first; r < last; ++r) {
    std::size_t w = 0;
    for (const Vertex v : matrix.row(r)) {
      while (v >= begins[w + 1]) ++w;
      BlockEdges& block = blocks[w];
      if (block.destinations.empty() || block.destinations.back() != r) {
        block.destinations.push_back(r);
        block.lengths.push_back(0);
      }
      ++block.lengths.back();
      block.sources.push_back(v - begins[w]);
    }
  }
  return blocks;
}

std::vector<BlockEdges> sampleBlocks(const Graph& graph, const TileShape& shape, std::int64_t edges) {
  if (graph.nonzeros == 0) return {};
  if (graph.matrix != nullptr) return sampledBlocks(*graph.matrix, shape, edges);
  return {randomBlock(graph, shape, edges)};
}

}  // namespace halo::sim
