#include "engine/partition/stochastic/expected_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/index.h"
#include "engine/partition/hypergraph/rebalance.h"
#include "engine/partition/hypergraph/searches.h"
#include "engine/partition/stochastic/expected_gains.h"
#include "engine/partition/stochastic/expected_rows.h"

namespace halo {
namespace {

constexpr double kWeights = 0x1p30;  // of all nets together: sums of 32 bits hold it
constexpr RefineEffort kEffort{.rounds = 4, .seeds = 100};

Index largestNet(const Hypergraph& columns) {
  Index largest = 0;
  for (Vertex net = 0; net < columns.netCount(); ++net)
    largest = std::max(largest, static_cast<Index>(columns.pinsOf(net).size()));
  return largest;
}

void addNet(Hypergraph& graph, std::span<const Vertex> pins, std::int64_t weight) {
  if (weight == 0) return;
  graph.pins.insert(graph.pins.end(), pins.begin(), pins.end());
  graph.netBegin.push_back(std::ssize(graph.pins));
  graph.netWeight.push_back(static_cast<std::int32_t>(weight));
}

void refineExpected(NetParts& state, std::int64_t limit, const std::vector<std::int64_t>& chances,
                    std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::partition, 5);
  ExpectedGains gains(state, limit, chances);
  RefineEffort effort = kEffort;
  effort.unit = std::max<std::int64_t>(1, chances[1]);
  Searches searches(state, gains, effort, random);
  searches.payingMoves();
  searches.rounds();
}

}  // namespace

// chances[c] is near α [c > 0] + β c, and so through c = 0, 1 and 2.
Hypergraph netsNearExpected(const Hypergraph& columns, const std::vector<double>& chances,
                            std::int64_t unit) {
  const double second = chances.size() > 2 ? chances[2] : chances[1];
  const auto arc =
      static_cast<std::int64_t>(std::llround(static_cast<double>(unit) * (second - chances[1]) / chances[1]));
  Hypergraph nets;
  nets.nodeWeight = columns.nodeWeight;
  for (Vertex net = 0; net < columns.netCount(); ++net) {
    const auto pins = columns.pinsOf(net);
    addNet(nets, pins, unit - arc);
    for (const Vertex consumer : pins.subspan(1)) {
      const Vertex both[] = {pins.front(), consumer};
      addNet(nets, both, arc);
    }
  }
  std::vector<Vertex> same(at(columns.nodeCount()));
  std::iota(same.begin(), same.end(), 0);
  return contracted(nets, same, columns.nodeCount());
}

Owners expectedParts(const Csr& arcs, const Hypergraph& columns, Index batch, const PartitionRequest& request,
                     SearchSettings settings) {
  const std::vector<double> chances = chancesOfAny(arcs.rows(), batch, largestNet(columns) - 1);
  const auto pins = static_cast<double>(columns.pins.size());
  settings.unit = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(1e3, kWeights / 2 / pins)));
  Volume start = searchedParts(arcs, netsNearExpected(columns, chances, settings.unit), request, settings);

  // a node has at most as many nets as there are: what it gains stays below 2^31
  std::size_t most = 1;
  for (Vertex v = 0; v < columns.nodeCount(); ++v) most = std::max(most, columns.netsOf(v).size());
  const double scale = kWeights / (static_cast<double>(most) + static_cast<double>(largestNet(columns)));
  std::vector<std::int64_t> weights;
  for (const double chance : chances)
    weights.push_back(static_cast<std::int64_t>(std::llround(scale * chance)));
  NetParts state(columns, std::move(start.owners), request.parts);
  const std::int64_t limit = partLimit(columns.nodeWeight, request.parts, request.imbalance);
  refineExpected(state, limit, weights, request.seed);
  return state.takeOwners();
}

}  // namespace halo
