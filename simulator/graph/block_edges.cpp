#include "simulator/graph/block_edges.h"

#include <algorithm>
#include <compare>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kSampled = 16, kAskedEvery = 1 << 21;  // nonzeros
constexpr std::uint64_t kSeed = 1;

/// A block of random arcs, as many a row as the counts say in the mean.
BlockEdges randomBlock(const Graph& graph, const TileShape& shape, std::int64_t edges) {
  const auto n = static_cast<double>(graph.vertices);
  const double rows = std::min(static_cast<double>(shape.tileRows), n);
  const double sources = std::min(static_cast<double>(shape.windowRows), n);
  const double perRow = static_cast<double>(graph.nonzeros) / n * sources / n;
  const auto count =
      static_cast<std::int64_t>(std::clamp(static_cast<double>(edges), 1.0, perRow * rows + 1));
  const auto rowCount = static_cast<std::int64_t>(std::clamp(static_cast<double>(count) / perRow, 1.0, rows));
  PhiloxStream random(kSeed, Purpose::generate, 21);
  std::vector<std::int64_t> lengths(at(rowCount), 0);
  for (std::int64_t e = 0; e < count; ++e) ++lengths[random.below(static_cast<std::uint64_t>(rowCount))];
  BlockEdges block;
  for (std::int64_t r = 0; r < rowCount; ++r) {
    if (lengths[at(r)] == 0) continue;
    block.destinations.push_back(r);
    block.lengths.push_back(lengths[at(r)]);
  }
  for (std::int64_t e = 0; e < count; ++e)
    block.sources.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sources))));
  return block;
}

/// The first rows of the block of these rows in [begin, end), until it has `edges` nonzeros: no more is held
/// in memory.
BlockEdges beginOf(const CsrRows& matrix, std::int64_t begin, std::int64_t end, std::int64_t first,
                   std::int64_t last, std::int64_t edges) {
  BlockEdges block;
  block.sources.reserve(at(std::min(edges, matrix.nonzeros())));
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

/// The row that nonzero number `at` of the matrix lies in.
std::int64_t rowOf(const CsrRows& matrix, std::int64_t at) {
  return std::ranges::upper_bound(matrix.offsets, at) - matrix.offsets.begin() - 1;
}

/// Which of so many parts of [0, count) holds `at`.
std::int64_t partOf(std::int64_t count, std::int64_t parts, std::int64_t at) {
  return static_cast<std::int64_t>((static_cast<__int128>(at + 1) * parts - 1) / count);
}

/// A block by its tile's rows and its window's columns.
struct Place {
  std::int64_t first = 0, last = 0, begin = 0, end = 0;
  auto operator<=>(const Place&) const = default;
};

/// How many of a row's nonzeros the block holds.
std::int64_t heldOf(const CsrRows& matrix, const Place& block, std::int64_t row) {
  const auto columns = matrix.row(row);
  return std::ranges::lower_bound(columns, block.end) - std::ranges::lower_bound(columns, block.begin);
}

bool holdsMore(const CsrRows& matrix, const Place& block, std::int64_t edges) {
  std::int64_t nonzeros = 0;
  for (std::int64_t r = block.first; r < block.last && nonzeros <= edges; ++r)
    nonzeros += heldOf(matrix, block, r);
  return nonzeros > edges;
}

/// Where a stretch of `edges` nonzeros of the block begins: at `row`, or before, if the rest of the block has
/// fewer.
std::int64_t stretchBegin(const CsrRows& matrix, const Place& block, std::int64_t row, std::int64_t edges,
                          StopAsks& asks) {
  const auto nonzerosOf = [&](std::int64_t r) {
    asks.step(1 + matrix.degree(r));
    return heldOf(matrix, block, r);
  };
  std::int64_t nonzeros = 0;
  for (std::int64_t r = row; r < block.last && nonzeros < edges; ++r) nonzeros += nonzerosOf(r);
  while (row > block.first && nonzeros < edges) nonzeros += nonzerosOf(--row);
  return row;
}

/// Nonzeros evenly over the matrix: the blocks they lie in, and the rows.
std::map<Place, std::vector<std::int64_t>> sampledPlaces(const CsrRows& matrix, const TileShape& shape) {
  const std::int64_t rows = matrix.rows(), tiles = partsOf(rows, shape.tileRows);
  const std::vector<std::int64_t> begins = partBegins(matrix.cols, partsOf(matrix.cols, shape.windowRows));
  const std::int64_t count = std::min<std::int64_t>(matrix.nonzeros(), kSampled);
  std::map<Place, std::vector<std::int64_t>> places;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = partBegin(matrix.nonzeros(), 2 * count, 2 * i + 1);
    const std::int64_t row = rowOf(matrix, at), tile = partOf(rows, tiles, row);
    const auto end = std::ranges::upper_bound(begins, matrix.columns[static_cast<std::size_t>(at)]);
    places[{partBegin(rows, tiles, tile), partBegin(rows, tiles, tile + 1), *(end - 1), *end}].push_back(row);
  }
  return places;
}

std::vector<BlockSample> sampledBlocks(const CsrRows& matrix, const TileShape& shape, std::int64_t edges,
                                       const AskStop& askStop) {
  std::vector<BlockSample> sampled;
  StopAsks asks(askStop, kAskedEvery);
  std::size_t index = 0;
  for (const auto& [block, rows] : sampledPlaces(matrix, shape)) {
    const std::size_t number = index++;
    const auto stretch = [&](std::int64_t from, std::int64_t most) {
      return beginOf(matrix, block.begin, block.end, from, block.last, most);
    };
    const std::int64_t most = std::ssize(rows) * edges;
    if (!holdsMore(matrix, block, most)) {  // than its stretches together would
      sampled.push_back({stretch(block.first, most), static_cast<double>(rows.size()), number});
      continue;
    }
    for (const std::int64_t row : rows)
      sampled.push_back({stretch(stretchBegin(matrix, block, row, edges, asks), edges), 1, number});
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

std::vector<BlockSample> sampleBlocks(const Graph& graph, const TileShape& shape, std::int64_t edges) {
  if (graph.nonzeros == 0) return {};
  if (graph.matrix != nullptr) return sampledBlocks(*graph.matrix, shape, edges, graph.askStop);
  return {{randomBlock(graph, shape, edges), 1, 0}};
}

}  // namespace halo::sim
