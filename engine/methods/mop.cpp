// MoP, mixture of parallelism (MixGCN 3.1): aggregation is parallel by features, update by vertices. Every
// worker holds the whole propagation matrix and a slice of each layer's columns, for all vertices. Between
// aggregation and update an all-to-all puts the rows together, and before the next aggregation they are taken
// apart again. Synchronous, exact; what travels does not depend on the graph.
//
//   worker i, columns I_i = [⌊d i/P⌋, ⌊d (i+1)/P⌋), rows J_i:
//   forward:   Z(:,I_i) = (P H(:,I_i)) ⊙ M      columns → rows    U = Z W on J_i    rows → columns
//   backward:  rows → columns of dZ    dH(:,I_i) = (Pᵀ dZ(:,I_i)) ⊙ [H > 0]    columns → rows
//
// Layers that attend (4.7) update first. Columns I_i of Y = H W, cut between heads, stand for those of H. Of
// the scores S = [Y aₛ | Y a_t], made on J_i, everybody gets all.
//
//   forward:   S on J_i → all    rows → columns of Y    Z(:,I_i) = α(S) Y(:,I_i)    columns → rows
//   backward:  rows → columns of dZ    dY(:,I_i), and dS as far as I_i goes    columns → rows    Σ dS → J_i
//
// M is there with model.dropout_position = after-aggregation, the form of the paper. Departures: a worker is
// both aggregator and updater (the paper has pairs of devices). It keeps its rows of X for layers that use
// them. The paper has no layers that attend.
#include "engine/methods/slices/feature_slices.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kAdjacencies = {"whole", "ring"};
const std::array<Parameter, 3> kParameters = {{
    kRowsParameter,
    {"adjacency", "of the graph a worker holds all, or its rows, which then go round in every aggregation",
     Choice{"whole", kAdjacencies}},
    kLayer0CacheParameter,
}};

SliceGrid gridOf(std::int64_t workers) { return {1, static_cast<int>(workers)}; }
bool rings(const Values& values) { return values.text("adjacency") == "ring"; }

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"mop", "aggregate by slices of features, update by vertices, all-to-all in between",
                    "MixGCN 3.1", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return makeSliced(parts, values, gridOf(parts.comm.size()), rings(values));
    },
    .predict = [](const VolumeRequest& request) { return predictSlices(request, gridOf(request.parts)); },
    .memory = sliceMemory,
    .style = [](const RunSettings& run, int) -> MethodStyle {
      MethodStyle style{.order = ExchangeOrder::transposed};
      if (rings(run.parameters)) style.unknown = "blocks of the graph go round while they are aggregated";
      return style;
    },
    .aggregatesFirst = true,
    .attends = true,
    .attendsToUpdated = true,
    .refuse =
        [](const RunSettings& run) {
          return refuseSlices(run, "mop", static_cast<int>(run.cluster.workers), std::nullopt);
        },
    .refuseData =
        [](const RunSettings& run, const DataShape& data) {
          return refuseSlices(run, "mop", static_cast<int>(run.cluster.workers), data.widths);
        },
    .place = [](const PlacementRequest& request) { return placeSlices(request, gridOf(request.parts)); },
    .countRows =
        [](const CountRequest& request) {
          return countSlices(request, gridOf(request.parts), rings(request.run.parameters));
        }}};

}  // namespace
}  // namespace halo
