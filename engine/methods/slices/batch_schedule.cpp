#include "engine/methods/slices/batch_schedule.h"

#include <algorithm>
#include <numeric>

#include "datasets/graph/order.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/whole_number.h"

namespace halo {
namespace {

std::vector<Vertex> everyVertex(Index vertices) {
  std::vector<Vertex> all(at(vertices));
  std::iota(all.begin(), all.end(), Vertex{0});
  return all;
}

int stagesOf(const Values& parameters, std::span<const Vertex> order, const Csr& arcs) {
  const int stages = readStages(parameters.text("stages")).value();
  if (stages > 0) return stages;
  const std::vector<Vertex> all = everyVertex(arcs.rows());
  return enoughStages(arcs.rows(), bandwidthIn(order, arcs, all, all));
}

}  // namespace

Index bandwidthIn(std::span<const Vertex> order, const Csr& A, std::span<const Vertex> rows,
                  std::span<const Vertex> columns) {
  std::vector<Index> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[at(order[p])] = static_cast<Index>(p);
  Index widest = 0;
  for (Index row = 0; row < A.rows(); ++row)
    for (const Vertex u : A.row(row))
      widest = std::max(widest, std::abs(position[at(rows[at(row)])] - position[at(columns[at(u)])]));
  return widest;
}

int enoughStages(Index vertices, Index bandwidth) {
  HALO_CHECK(bandwidth >= 0 && bandwidth < vertices);
  const Index apart = vertices - bandwidth;
  const Index enough = (2 * vertices + apart - 1) / apart;
  return enough > kMostStages ? kStagesWithinLayers : static_cast<int>(enough);
}

std::optional<int> readStages(const std::string& text) {
  if (text == "auto") return 0;
  int stages = 0;
  const bool usable = readWhole(text, stages) && stages >= 1 && stages <= kMostStagesAsked;
  return usable ? std::optional(stages) : std::nullopt;
}

std::vector<Vertex> orderOf(const PlacementRequest& request) {
  return request.parameters.text("ordering") == "rcm" ? rcmOrder(request.arcs)
                                                      : everyVertex(request.arcs.rows());
}

BatchPlan planOf(Index vertices, int stages, int workers) {
  BatchPlan plan{vertices, stages, {}, {}};
  for (int rank = 0; rank < workers; ++rank)
    (aggregates(rank) ? plan.columnRanks : plan.rowRanks).push_back(rank);
  return plan;
}

Owners placeBatches(const PlacementRequest& request) {
  const Index vertices = request.arcs.rows();
  const BatchPlan plan =
      planOf(vertices, stagesOf(request.parameters, request.order, request.arcs), request.parts);
  Owners owners(at(vertices));
  for (int b = 0; b < plan.batches; ++b)
    for (int i = 0; i < plan.holders(); ++i) {
      const Slice block = plan.block(b, i);
      for (Index p = block.begin; p < block.begin + block.count; ++p)
        owners[at(request.order[at(p)])] = plan.rowRanks[at(i)];
    }
  return owners;
}

std::vector<RowTable> countBatches(const CountRequest& request) {
  const Index vertices = request.propagation.rows();
  const int stages = stagesOf(request.run.parameters, request.order, request.propagation);
  const BatchPlan plan = planOf(vertices, stages, request.parts);
  RowTable rows(at(request.parts), std::vector<std::int64_t>(at(stages), 0));
  for (Index p = 0; p < vertices; ++p)
    ++rows[at(request.owners[at(request.order[at(p)])])][at(plan.batchOf(p))];
  return {rows};
}

std::vector<PredictedVolume> predictBatches(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows;
  const RowTable& rows = request.tables.front();
  const BatchPlan plan = planOf(0, 1, request.parts);
  // between one updater and one aggregator as many rows go one way as the other
  const auto add = [&](int layer, Pass pass) {
    for (const int updater : plan.rowRanks)
      for (int s = 0; s < plan.slices(); ++s) {
        const Index width = sliceOf(request.propagated[at(layer)], s, plan.slices()).count;
        std::int64_t messages = 0, elements = 0;
        for (const std::int64_t count : rows[at(updater)]) {
          if (count * width > 0) ++messages;
          elements += count * width;
        }
        if (messages == 0) continue;
        const std::int64_t bytes = elements * request.elementBytes;
        const int aggregator = plan.columnRanks[at(s)];
        flows.push_back({layer, pass, aggregator, updater, messages, bytes});
        // the columns of the input features are at hand
        if (layer > 0) flows.push_back({layer, pass, updater, aggregator, messages, bytes});
      }
  };
  for (int l = 0; l < static_cast<int>(request.propagated.size()); ++l) {
    const bool once = l == 0 && request.parameters.flag("layer0_cache");
    if (!once || request.firstEpoch) add(l, Pass::forward);
    if (request.backward[at(l)]) add(l, Pass::backward);
  }
  return flows;
}

}  // namespace halo
