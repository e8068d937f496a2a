#include "engine/methods/minibatch/neighbour_source.h"

#include "engine/methods/worker/uncounted.h"
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

NeighbourSource::NeighbourSource(const BatchParts& parts, bool fetches)
    : parts_(parts), order_(seedOrder(parts.worker.comm, parts.settings.seeds, parts.trained)) {
  for (int slot = 0; slot <= parts.settings.ahead; ++slot)
    batches_.push_back(std::make_unique<PulledBatch>(parts.worker, parts.topology, parts.settings.neighbours,
                                                     slot, fetches));
}

void NeighbourSource::begin(std::int32_t epoch) {
  order_.begin(static_cast<std::uint32_t>(epoch));
  opened_ = 0;
}

void NeighbourSource::open(Index iteration, const DrawKey& key) {
  iteration_ = iteration;
  key_ = key;
  if (opened_ <= iteration) openNext();
}

void NeighbourSource::openNext() {
  DrawKey key = key_;
  key.step += static_cast<std::uint64_t>(opened_ - iteration_);
  batchOf(opened_).open(order_.seeds(opened_), key);
  ++opened_;
}

void NeighbourSource::fetch(PullCounts& counts) {
  finishTo(0, counts);
  const Index ahead = parts_.settings.ahead;
  while (opened_ <= iteration_ + ahead && opened_ < iterations()) openNext();
}

void NeighbourSource::finishTo(int round, PullCounts& counts) {
  PulledBatch& present = batchOf(iteration_);
  while (present.round() >= round) present.step(counts);
}

// Of the first batch that can: it is trained on first.
std::optional<int> NeighbourSource::goOn(PullCounts& counts, bool waits) {
  for (Index next = iteration_ + 1; next < opened_; ++next) {
    PulledBatch& batch = batchOf(next);
    const int round = batch.round();
    if (round < 0 || (!waits && !batch.isReady())) continue;
    batch.step(counts);
    return round;
  }
  return std::nullopt;
}

// Batches that were pulled ahead are pulled again: what that moves was counted before.
void NeighbourSource::resume(ByteReader& in, Index iteration, const DrawKey& key) {
  const auto ahead = in.value<Index>();
  const Uncounted again(parts_.worker);
  iteration_ = opened_ = iteration;
  key_ = key;
  PullCounts counted(parts_.worker.model.layers(), parts_.worker.comm.size());
  for (Index batch = 0; batch < ahead; ++batch) {
    openNext();
    for (PulledBatch& pulled = batchOf(opened_ - 1); pulled.round() >= 0;) pulled.step(counted);
  }
}

void NeighbourSource::weigh(int layer, Csr& out) {
  weighNeighbours(batch().blocks(), layer, parts_.topology.matrix(), parts_.settings.weights, out);
}

std::size_t NeighbourSource::featureBytes() const {
  std::size_t bytes = 0;
  for (const auto& batch : batches_) bytes += batch->features().heldBytes();
  return bytes;
}

std::size_t NeighbourSource::heldBytes() const {
  std::size_t bytes = order_.heldBytes();
  for (const auto& batch : batches_) bytes += batch->heldBytes();
  return bytes;
}

}  // namespace halo
