#pragma once

#include <vector>

#include "engine/base/clock.h"
#include "engine/methods/minibatch/batch_source.h"
#include "engine/methods/minibatch/pull_counts.h"

namespace halo {

/// What is recorded of the batches of a rank: an iteration as it ends, and what all of an epoch read.
class IterationNotes {
 public:
  /// `parts` outlives this.
  explicit IterationNotes(WorkerParts& parts);

  void startEpoch(std::int32_t epoch, std::int64_t iterations);
  /// Sums of the epoch so far, for a run that goes on with its next iteration.
  void keep(ByteWriter& out) const { out.array(blocks_); }
  void resume(ByteReader& in, std::int64_t iteration);
  /// An iteration begins now.
  void begin() { begin(wallNs()); }
  void begin(std::int64_t nowNs);
  /// What else is told of it; until it ends.
  Iteration& present() { return now_; }
  // Its batch, once it was trained on: one that nothing passes counts nothing.

  /// nonzeros: of the matrix of layer l = 0 … L − 1.
  void addBlock(const BatchSource& batch, int l, Index nonzeros);
  /// The same in numbers.
  void addBlock(int l, const BlockRow& read);
  /// loss: this rank's part; seeds: rows that are in it.
  void addLoss(double loss, std::int64_t seeds);
  /// It ends now. Collective.
  void end() { end(wallNs()); }
  void end(std::int64_t nowNs);
  /// Of the epoch. counts: what its batches pulled.
  std::vector<BlockRow> sums(const PullCounts& counts) const;

 private:
  WorkerParts& parts_;
  std::vector<BlockRow> blocks_;  // by layer
  Iteration now_;
};

}  // namespace halo
