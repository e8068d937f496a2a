#include "engine/methods/minibatch/neighbour_source.h"

#include "engine/sampling/block_matrix.h"

namespace halo {

BatchLoss seedLoss(const SeedOrder& order, Index iteration, bool plainAverage) {
  const auto own = static_cast<double>(order.seeds(iteration).size());
  const auto all = static_cast<double>(order.globalSeeds(iteration));
  BatchLoss loss{.inEpoch = all};
  if (own > 0)
    loss.weight =
        plainAverage ? 1 / (own * static_cast<double>(order.trainersWithSeeds(iteration))) : 1 / all;
  return loss;
}

std::map<std::string, double> batchMetrics(const SeedOrder& order) {
  return {{"effective_batch", static_cast<double>(order.globalSeeds(0))}};
}

NeighbourSource::NeighbourSource(const BatchParts& parts)
    : parts_(parts),
      order_(seedOrder(parts.worker.comm, parts.settings.seeds, parts.trained)),
      batch_(parts.worker, parts.topology, parts.settings.neighbours) {}

void NeighbourSource::open(Index iteration, const DrawKey& key) {
  iteration_ = iteration;
  key_ = key;
  batch_.open(order_.seeds(iteration));
}

void NeighbourSource::weigh(int layer, Csr& out) {
  weighNeighbours(batch_.blocks(), layer, parts_.topology.matrix(), parts_.settings.weights, out);
}

}  // namespace halo
