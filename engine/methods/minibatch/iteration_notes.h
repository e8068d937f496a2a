#pragma once

#include <vector>

#include "engine/methods/minibatch/pull_counts.h"
#include "engine/methods/minibatch/turned_block.h"
#include "engine/sampling/blocks.h"

namespace halo {

/// What is recorded of the batches of a rank: an iteration as it ends, and what all of an epoch read.
class IterationNotes {
 public:
  /// `parts` outlives this.
  explicit IterationNotes(WorkerParts& parts);

  void startEpoch(std::int32_t epoch, std::int64_t iterations);
  /// An iteration begins now.
  void begin() { now_.beginNs = wallNs(); }
  /// Its batch, once it was trained on. matrices: by layer; loss: this rank's part.
  void add(const Blocks& blocks, const std::vector<TurnedBlock>& matrices, double loss);
  /// It ends now. Collective.
  void end();
  /// Of the epoch. counts: what its batches pulled.
  BatchSums sums(const PullCounts& counts) const;

 private:
  WorkerParts& parts_;
  std::vector<BlockRow> blocks_;  // by layer
  Iteration now_;
};

}  // namespace halo
