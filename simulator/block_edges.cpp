#include "simulator/block_edges.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/philox.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kSampledBlocks = 4, kAskedEvery = 1 << 21;  // nonzeros
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

/// Of rows [first, last) the window with the most nonzeros, of several the first: its number.
std::size_t fullestWindow(const CsrRows& matrix, std::span<const std::int64_t> begins, std::int64_t first,
                          std::int64_t last, StopAsks& asks) {
  std::vector<std::int64_t> held(begins.size() - 1, 0);
  for (std::int64_t r = first; r < last; ++r) {
    asks.step(matrix.degree(r));
    std::size_t w = 0;
    for (const Vertex v : matrix.row(r)) {
      while (v >= begins[w + 1]) ++w;
      ++held[w];
    }
  }
  return static_cast<std::size_t>(std::ranges::max_element(held) - held.begin());
}

/// The first rows of the block of these rows in [begin, end), until it has `edges` nonzeros: no more is held
/// in memory.
BlockEdges beginOf(const CsrRows& matrix, std::int64_t begin, std::int64_t end, std::int64_t first,
                   std::int64_t last, std::int64_t edges) {
  BlockEdges block;
  for (std::int64_t r = first; r < last && std::ssize(block.sources) < edges; ++r) {
    const auto row = matrix.row(r);
    const auto from = std::ranges::lower_bound(row, begin), to = std::ranges::lower_bound(row, end);
    if (from == to) continue;
    block.destinations.push_back(r);
    block.lengths.push_back(to - from);
    for (auto v = from; v != to; ++v) block.sources.push_back(*v - begin);
  }
  return block;
}

/// The fullest window of some tiles, evenly over the matrix.
std::vector<BlockEdges> sampledBlocks(const CsrRows& matrix, const TileShape& shape, std::int64_t edges,
                                      const AskStop& askStop) {
  const std::int64_t tiles = partsOf(matrix.rows(), shape.tileRows);
  const std::vector<std::int64_t> begins = partBegins(matrix.cols, partsOf(matrix.cols, shape.windowRows));
  const std::int64_t count = std::min(tiles, kSampledBlocks);
  std::vector<BlockEdges> sampled;
  StopAsks asks(askStop, kAskedEvery);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t tile = i * tiles / count;
    const std::int64_t first = partBegin(matrix.rows(), tiles, tile),
                       last = partBegin(matrix.rows(), tiles, tile + 1);
    const std::size_t window = fullestWindow(matrix, begins, first, last, asks);
    BlockEdges block = beginOf(matrix, begins[window], begins[window + 1], first, last, edges);
    if (!block.sources.empty()) sampled.push_back(std::move(block));
  }
  return sampled;
}

}  // namespace

std::vector<BlockEdges> edgesOf(const CsrRows& matrix, std::span<const std::int64_t> begins,
                                std::int64_t first, std::int64_t last) {
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
  if (graph.matrix != nullptr) return sampledBlocks(*graph.matrix, shape, edges, graph.askStop);
  return {randomBlock(graph, shape, edges)};
}

}  // namespace halo::sim
