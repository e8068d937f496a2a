#include "simulator/accelerators/fpga/fpga_groups.h"

#include <algorithm>
#include <map>

#include "engine/base/philox.h"
#include "simulator/device/balls_in_bins.h"
#include "simulator/graph/column_stretches.h"

namespace halo::sim::fpga {
namespace {

constexpr std::int64_t kLongAgo = -1'000'000'000;
constexpr std::int64_t kSamples = 64, kSampledEdges = 65'536;
constexpr std::int64_t kStretchGroups = 64, kFewestStretches = 8;  // of a tile that is not counted whole
constexpr std::uint64_t kSeed = 1;

void count(const Fpga& fpga, const SlicePass& pass, std::int64_t rows, std::span<const TileEdge> edges,
           GroupCost& sums) {
  Groups groups(fpga, fpga.beats(pass.width), rows);
  std::int64_t now = 0;
  const auto n = static_cast<std::size_t>(fpga.elements);
  for (std::size_t at = 0; at < edges.size(); at += n) {
    const GatherCycles cycles = groups.gather(now, edges.subspan(at, std::min(n, edges.size() - at)));
    now += cycles.adding + cycles.hazard;
    sums.rounds += static_cast<double>(cycles.adding) / static_cast<double>(fpga.beats(pass.width));
    sums.hazardCycles += static_cast<double>(cycles.hazard);
    ++sums.groups;
  }
}

std::vector<TileEdge> randomEdges(const Graph& graph, std::int64_t rows) {
  PhiloxStream random(kSeed, Purpose::generate, 22);
  const std::int64_t edges = std::min(graph.nonzeros, kSampledEdges);
  std::vector<TileEdge> tileEdges;
  for (std::int64_t e = 0; e < edges; ++e)
    tileEdges.push_back({e, static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows)))});
  return tileEdges;
}

std::vector<TileEdge> toEdges(std::span<const Nonzero> nonzeros) {
  std::vector<TileEdge> edges;
  edges.reserve(nonzeros.size());
  for (const Nonzero& nonzero : nonzeros) edges.push_back({nonzero.column, nonzero.row});
  return edges;
}

}  // namespace

std::vector<TileEdge> edgesBySource(const CsrRows& matrix, std::int64_t first, std::int64_t last) {
  return toEdges(allByColumn(matrix, first, last));
}

Groups::Groups(const Fpga& fpga, std::int64_t beats, std::int64_t rows)
    : fpga_(fpga),
      beats_(beats),
      addedAt_(static_cast<std::size_t>(rows), kLongAgo),
      freeAt_(static_cast<std::size_t>(fpga.elements)),
      load_(static_cast<std::size_t>(fpga.elements)) {}

FeedCycles Groups::feed(std::span<const TileEdge> edges) {
  FeedCycles cycles;
  for (const TileEdge& edge : edges) {
    if (edge.source != lastSource_) ++cycles.fresh;
    lastSource_ = edge.source;
  }
  cycles.dispatch =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(edges.size()) / fpga_.dispatched - 1e-9));
  cycles.read = (cycles.fresh * beats_ + fpga_.readPorts - 1) / fpga_.readPorts;
  cycles.scatter = beats_;
  return cycles;
}

GatherCycles Groups::gather(std::int64_t now, std::span<const TileEdge> edges) {
  std::ranges::fill(freeAt_, now);
  std::ranges::fill(load_, 0);
  for (const TileEdge& edge : edges) {
    const auto element = static_cast<std::size_t>(edge.row % fpga_.elements);
    std::int64_t& addedAt = addedAt_[static_cast<std::size_t>(edge.row)];
    addedAt = std::max(freeAt_[element], addedAt + fpga_.adderCycles);
    freeAt_[element] = addedAt + beats_;
    ++load_[element];
  }
  const std::int64_t adding = std::ranges::max(load_) * beats_;
  return {adding, std::ranges::max(freeAt_) - now - adding};
}

namespace {

/// Tiles with nonzeros evenly over the matrix's, each with how many of these it holds: so hubs' tiles count
/// for what they are.
std::map<std::int64_t, double> sampledTiles(const CsrRows& matrix, std::span<const std::int64_t> begins) {
  std::map<std::int64_t, double> tiles;
  const std::int64_t nonzeros = matrix.nonzeros(), samples = std::min(nonzeros, kSamples);
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t nonzero = matrix.offsets[0] + (2 * i + 1) * nonzeros / (2 * samples);
    const std::int64_t row = std::ranges::upper_bound(matrix.offsets, nonzero) - matrix.offsets.begin() - 1;
    ++tiles[std::ranges::upper_bound(begins, row) - begins.begin() - 1];
  }
  return tiles;
}

/// All edges of a tile up to `mostEdges`, or stretches of groups evenly over them.
std::vector<TileEdge> sampledEdges(const Fpga& fpga, const Graph& graph, std::int64_t first,
                                   std::int64_t last, std::int64_t mostEdges) {
  const std::int64_t groups =
      std::clamp<std::int64_t>(mostEdges / (kFewestStretches * fpga.elements), 1, kStretchGroups);
  return toEdges(
      stretchesByColumn(*graph.matrix, first, last, mostEdges, groups * fpga.elements, graph.askStop));
}

}  // namespace

GroupCost sampleGroups(const Fpga& fpga, const SlicePass& pass, const Graph& graph) {
  if (graph.nonzeros == 0) return {};
  const std::int64_t most = fpga.tileRows(pass.width);
  GroupCost cost{0, 0, 0};
  double weights = 0;
  const auto add = [&](double weight, std::int64_t rows, std::span<const TileEdge> edges) {
    GroupCost sums{0, 0, 0};
    count(fpga, pass, rows, edges, sums);
    if (sums.groups == 0) return;
    cost.rounds += weight * sums.rounds / static_cast<double>(sums.groups);
    cost.hazardCycles += weight * sums.hazardCycles / static_cast<double>(sums.groups);
    cost.groups += sums.groups;
    weights += weight;
  };
  if (graph.matrix == nullptr) {
    const std::int64_t rows = std::min(most, graph.vertices);
    add(1, rows, randomEdges(graph, rows));
  } else {
    const CsrRows& matrix = *graph.matrix;
    const std::vector<std::int64_t> begins = partBegins(matrix.rows(), partsOf(matrix.rows(), most));
    const std::map<std::int64_t, double> tiles = sampledTiles(matrix, begins);
    const std::int64_t each = kSampledEdges * 4 / std::max<std::int64_t>(4, std::ssize(tiles));
    for (const auto& [tile, weight] : tiles) {
      const std::int64_t first = begins[static_cast<std::size_t>(tile)],
                         last = begins[static_cast<std::size_t>(tile) + 1];
      add(weight, last - first, sampledEdges(fpga, graph, first, last, each));
    }
  }
  if (cost.groups == 0) return {expectedRounds(fpga.elements), 0, 0};
  cost.rounds /= weights;
  cost.hazardCycles /= weights;
  return cost;
}

double expectedRounds(std::int64_t elements) { return expectedLargestLoad(elements, elements); }

}  // namespace halo::sim::fpga
