#include "simulator/cluster/plans/pulled_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/partition/connectivity/metis.h"
#include "simulator/cluster/plans/iteration_steps.h"
#include "simulator/cluster/plans/schedule.h"
#include "simulator/cluster/plans/sliced_memory.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar), kIdBytes = 8;
constexpr std::int64_t kDirectoryBytes = 16;  // of a vertex on every rank: owner, row there, both degrees

Owners placed(const MethodEntry& method, const PlanRequest& request) {
  const RunSettings& run = request.run;
  const auto into = [&](int parts) {
    return parts == 1 ? Owners(at(request.arcs.rows()), 0) : request.partition(parts);
  };
  PlacementRequest placement{request.arcs, request.ranks, run.parameters, into, {}, request.split};
  if (run.partition.method == "metis")
    placement.divide = [&](const Csr& arcs, const Weights& weights, int parts, int constraints) {
      return metisParts(arcs, weights, parts, run.partition.imbalance, run.training.seed, MetisObjective::cut,
                        constraints);
    };
  return placeVertices(method, std::move(placement)).owners;
}

/// Bytes of a rank's batch: rows of every level, outputs and gradients of every layer, ids and arcs.
std::int64_t batchBytes(const ModelShape& shape, const DrawnIteration& drawn, int rank, bool drops) {
  std::int64_t elements = drawn.vertices.front()[at(rank)] * shape.layers.front().in, ids = 0;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const LayerShape& layer = shape.layers[l];
    const std::int64_t targets = drawn.vertices[l + 1][at(rank)];
    elements += targets * (layer.in + 2 * layer.out);
    if (drops) elements += drawn.vertices[l][at(rank)] * layer.in;
    ids += drawn.arcs[l][at(rank)] + targets;
  }
  return elements * kElement + ids * kIdBytes;
}

/// What every turn has alike.
class Turns {
 public:
  Turns(const PlanRequest& request, const MethodEntry& method)
      : request_(request),
        method_(method),
        style_(styleOf(request.run, request.ranks)),
        shape_(shapeFor(method, request.run, request.widths)),
        owners_(placed(method, request)),
        epoch_(method.draw({request.arcs, owners_, request.ranks, request.split, request.run, request.epoch,
                            request.draws, shape_.layers.front().in})),
        parts_(ownParts(request.arcs, owners_, request.split, request.ranks,
                        layerWork(request.run.model.kind).includesItself)),
        rows_(at(request.ranks), 0),
        entries_(rows_) {
    for (std::size_t v = 0; v < owners_.size(); ++v) {
      ++rows_[at(owners_[v])];
      entries_[at(owners_[v])] += request.arcs.degree(static_cast<Index>(v));
    }
  }

  PlanCycle cycle() const {
    PlanCycle cycle;
    cycle.iterations = epoch_.iterations;
    for (const DrawnIteration& drawn : epoch_.drawn) cycle.turns.push_back({planOf(drawn), 1});
    cycle.notes.push_back(
        fmt::format("an epoch of {} iterations, as the mean of {} that were drawn; the timeline has one",
                    epoch_.iterations, epoch_.drawn.size()));
    cycle.notes.emplace_back(method_.slicesInput
                                 ? "memory is that of all slices of a batch, of an evaluation, of own rows "
                                   "and arcs, and of the weights"
                                 : "memory is that of a batch, of own rows and arcs, and of the weights");
    if (style_.ahead > 0)
      cycle.notes.emplace_back("what batches ahead ask for and fetch is taken to travel side by side");
    return cycle;
  }

 private:
  Plan planOf(const DrawnIteration& drawn) const {
    Plan plan;
    plan.ranks = request_.ranks;
    plan.method = request_.run.method;
    plan.untimed = style_.unknown;
    VolumeRequest volume = volumeRequest(shape_, request_.run, request_.ranks, request_.epoch);
    volume.decided = drawn.decided;
    const std::vector<PredictedVolume> volumes = method_.predict(volume);
    writeIteration({method_, style_, shape_, layerWork(request_.run.model.kind), drawn, volumes}, plan);
    plan.rows = PerRank(rows_);
    plan.entries = PerRank(entries_);
    setMemory(drawn, plan);
    return plan;
  }

  /// The batch, own features and topology, four copies of the weights.
  void setMemory(const DrawnIteration& drawn, Plan& plan) const {
    if (method_.slicesInput) return setSlicedMemory(drawn, plan);
    const std::int64_t width = request_.run.dataset.mapFeatures ? 0 : shape_.layers.front().in;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < plan.ranks; ++rank)
      bytes.push_back((1 + style_.ahead) * batchBytes(shape_, drawn, rank, request_.run.model.dropout > 0) +
                      rows_[at(rank)] * width * kElement + entries_[at(rank)] * std::int64_t{sizeof(Vertex)} +
                      kDirectoryBytes * request_.arcs.rows() + 4 * shape_.weights * kElement);
    plan.memoryBytes = PerRank(std::move(bytes));
  }

  /// Those of slices of every batch, of an evaluation and of the graph; four copies of the weights.
  void setSlicedMemory(const DrawnIteration& drawn, Plan& plan) const {
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < plan.ranks; ++rank) {
      const Memory& memory = plan.rowMemory.emplace_back(
          slicedMemory(request_.run, shape_, drawn, rank, parts_[at(rank)], request_.arcs.rows()));
      bytes.push_back(std::accumulate(memory.begin(), memory.end(), 4 * shape_.weights * kElement));
    }
    plan.memoryBytes = PerRank(std::move(bytes));
  }

  const PlanRequest& request_;
  const MethodEntry& method_;
  MethodStyle style_;
  ModelShape shape_;
  Owners owners_;
  DrawnEpoch epoch_;
  std::vector<OwnPart> parts_;                // by rank
  std::vector<std::int64_t> rows_, entries_;  // own vertices and arcs, by rank
};

}  // namespace

PlanCycle pulledCycle(const PlanRequest& request) {
  const MethodEntry& method = plannedMethod(request.run, request.widths, request.ranks);
  return Turns(request, method).cycle();
}

}  // namespace halo::cluster
