#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/index.h"
#include "engine/methods/minibatch/batch_source.h"
#include "engine/methods/minibatch/pulled_batch.h"

namespace halo {

/// What a seed of a rank counts in the loss of an iteration, and the iteration in that of its epoch. The loss
/// is the mean over the seeds of all ranks, or with `plainAverage` over the means of those that have any.
BatchLoss seedLoss(const SeedOrder& order, Index iteration, bool plainAverage);

/// The seeds of all ranks in a full iteration.
std::map<std::string, double> batchMetrics(const SeedOrder& order);

/// Drawn neighbours of a rank's own seeds; owners draw, and owners send features. The next `ahead` batches of
/// the epoch are under way beside the present one. Every rank opens them in the same order, and waits for a
/// batch's questions and answers only once that is the present one. So no ranks wait for each other.
class NeighbourSource final : public BatchSource {
 public:
  /// Collective. `fetches`: false where nobody asks for features().
  explicit NeighbourSource(const BatchParts& parts, bool fetches = true);

  Index iterations() const override { return order_.iterations(); }
  void begin(std::int32_t epoch) override;
  void open(Index iteration, const DrawKey& key) override;
  void draw(int layer, PullCounts& counts) override { finishTo(layer, counts); }
  /// And opens the batches that come next.
  void fetch(PullCounts& counts) override;
  std::optional<int> goOn(PullCounts& counts, bool waits) override;
  void keep(ByteWriter& out) const override { out.value(opened_ - iteration_ - 1); }
  void resume(ByteReader& in, Index iteration, const DrawKey& key) override;
  BatchLoss loss() const override { return seedLoss(order_, iteration_, parts_.settings.plainAverage); }
  std::span<const Vertex> vertices(int level) const override { return batch().blocks().at(level); }
  const Blocks* blocks() const override { return &batch().blocks(); }
  const Matrix& features() const override { return batch().features(); }
  std::size_t featureBytes() const override;
  Index arcs(int layer) const override { return batch().blocks().block(layer).nonzeros(); }
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override;
  std::map<std::string, double> metrics() const override { return batchMetrics(order_); }

 private:
  PulledBatch& batchOf(Index iteration) { return *batches_[at(iteration % std::ssize(batches_))]; }
  const PulledBatch& batch() const { return *batches_[at(iteration_ % std::ssize(batches_))]; }
  void openNext();
  void finishTo(int round, PullCounts& counts);

  BatchParts parts_;
  SeedOrder order_;
  std::vector<std::unique_ptr<PulledBatch>> batches_;  // the present one, and those under way
  Index iteration_ = 0, opened_ = 0;                   // opened_: batches of this epoch
  DrawKey key_;                                        // of the present one
};

}  // namespace halo
