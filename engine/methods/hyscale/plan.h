#pragma once

#include <vector>

#include "engine/hybrid/iteration.h"
#include "engine/methods/hyscale/machine.h"

namespace halo::hyscale {

/// When a task begins and ends, in seconds of modelled time after its iteration did.
struct PlannedTask {
  double begin = 0, end = 0;
  double seconds() const { return end - begin; }
};

/// What the platform's figures say of one iteration: stages side by side, as they share host memory and
/// links. A task that has nothing to do takes no time.
class IterationPlan {
 public:
  explicit IterationPlan(int cards);

  /// The race of the iteration's batches with a mapping.
  void make(const HybridPlatform& platform, const HybridWork& work, const HybridMapping& mapping,
            Prefetch prefetch, const InIteration& batches);

  double seconds() const { return seconds_; }
  const HybridTimes& times() const { return times_; }
  const PlannedTask& taskOf(const Task& task) const;

 private:
  PlannedTask& planned(HybridStage stage, int card);

  double seconds_ = 0;
  HybridTimes times_;
  PlannedTask sample_, load_, synchronise_, none_;
  std::vector<PlannedTask> transfer_, train_;  // by trainer
};

}  // namespace halo::hyscale
