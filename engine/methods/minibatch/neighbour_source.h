#pragma once

#include "engine/methods/minibatch/batch_source.h"
#include "engine/methods/minibatch/pulled_batch.h"

namespace halo {

/// What a seed of a rank counts in the loss of an iteration, and the iteration in that of its epoch: the mean
/// over the seeds of all ranks, or with `plainAverage` over the means of those that have any.
BatchLoss seedLoss(const SeedOrder& order, Index iteration, bool plainAverage);

/// The seeds of all ranks in a full iteration.
std::map<std::string, double> batchMetrics(const SeedOrder& order);

/// Drawn neighbours of a rank's own seeds; owners draw, and owners send features.
class NeighbourSource final : public BatchSource {
 public:
  /// Collective.
  explicit NeighbourSource(const BatchParts& parts);

  Index iterations() const override { return order_.iterations(); }
  void begin(std::int32_t epoch) override { order_.begin(static_cast<std::uint32_t>(epoch)); }
  void open(Index iteration, const DrawKey& key) override;
  void draw(int layer, PullCounts& counts) override { batch_.draw(layer, key_, counts); }
  void fetch(PullCounts& counts) override { batch_.fetch(counts); }
  BatchLoss loss() const override { return seedLoss(order_, iteration_, parts_.settings.plainAverage); }
  std::span<const Vertex> vertices(int level) const override { return batch_.blocks().at(level); }
  const Matrix& features() const override { return batch_.features(); }
  Index arcs(int layer) const override { return batch_.blocks().block(layer).nonzeros(); }
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override { return order_.heldBytes() + batch_.heldBytes(); }
  std::map<std::string, double> metrics() const override { return batchMetrics(order_); }

 private:
  BatchParts parts_;
  SeedOrder order_;
  PulledBatch batch_;
  Index iteration_ = 0;
  DrawKey key_;
};

}  // namespace halo
