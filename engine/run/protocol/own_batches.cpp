#include "engine/run/protocol/own_batches.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/partition/connectivity/metis.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

/// Seeds of a worker's batch that leaves out what does not fill it; 0: all batches fill.
std::int64_t filledBatch(const RunSettings& run) {
  const Values& values = run.parameters;
  if (!values.contains("seeds") || values.text("seeds") != "own" || !values.flag("drop_last")) return 0;
  // of a global batch no worker's share is above the largest share of the training vertices
  return values.integer("global_batch") > 0 ? 0 : values.integer("batch");
}

Owners placed(const MethodEntry& method, const RunSettings& run, const Dataset& dataset) {
  const auto partitionInto = [&](int count) {
    if (count == 1) return Owners(at(dataset.vertices()), 0);
    return partition(dataset.arcs, run.partition.method,
                     {count, run.partition.imbalance, run.training.seed, run.partition.parameters});
  };
  PlacementRequest request{
      dataset.arcs, static_cast<int>(run.cluster.workers), run.parameters, partitionInto, {}, dataset.split};
  if (run.partition.method == "metis")
    request.divide = [&](const Csr& arcs, const Weights& weights, int count, int constraints) {
      return metisParts(arcs, weights, count, run.partition.imbalance, run.training.seed, MetisObjective::cut,
                        constraints);
    };
  return placeVertices(method, std::move(request)).owners;
}

}  // namespace

void requireIterations(const RunSettings& run, const DatasetShape& shape, const Progress& progress) {
  const MethodEntry* method = find<MethodEntry>(run.method);
  if (method == nullptr || method->draw == nullptr || !shape.split || run.cluster.workers == 1) return;
  const std::vector<Split> split = shape.split();
  const std::int64_t batch = filledBatch(run), trained = std::ranges::count(split, Split::train);
  // some worker has the mean share at least
  if (batch <= (trained + run.cluster.workers - 1) / run.cluster.workers) return;
  const Dataset dataset = loadDataset(run.dataset, progress);
  if (progress) progress("sharing out training vertices", 0);
  const Owners owners = placed(*method, run, dataset);
  method->draw({dataset.arcs, owners, static_cast<int>(run.cluster.workers), dataset.split, run,
                /*epoch=*/0, /*most=*/0});
}

}  // namespace halo
