#include "engine/methods/hyscale/plan.h"

#include <algorithm>

#include "engine/base/index.h"

namespace halo::hyscale {
IterationPlan::IterationPlan(int cards) : transfer_(at(cards) + 1), train_(at(cards) + 1) {}

void IterationPlan::make(const HybridPlatform& platform, const HybridWork& work, const HybridMapping& mapping,
                         Prefetch prefetch, const InIteration& batches) {
  const RaceTimes raced = race(lanesOf(platform, work, mapping, prefetch, batches), platform);
  seconds_ = raced.seconds;
  times_ = timesOf(raced, platform);
  sample_ = load_ = synchronise_ = {};
  std::ranges::fill(transfer_, PlannedTask{});
  std::ranges::fill(train_, PlannedTask{});
  for (const RaceTimes::Span& span : raced.spans) {
    PlannedTask& task = planned(span.stage, span.card);
    task.begin = task.end > 0 ? std::min(task.begin, span.begin) : span.begin;
    task.end = std::max(task.end, span.end);
  }
}

// Cards' sampling and the processors' are one stage, and so are all transfers of gradients and weights.
PlannedTask& IterationPlan::planned(HybridStage stage, int card) {
  switch (stage) {
    case HybridStage::load:
      return load_;
    case HybridStage::transfer:
      return transfer_[at(card) + 1];
    case HybridStage::trainCpu:
      return train_[0];
    case HybridStage::trainCard:
      return train_[at(card) + 1];
    case HybridStage::sync:
      return synchronise_;
    case HybridStage::sampleCpu:
    case HybridStage::sampleCard:
    case HybridStage::count:
      break;
  }
  return sample_;
}

const PlannedTask& IterationPlan::taskOf(const Task& task) const {
  switch (task.stage) {
    case Stage::sample:
      return sample_;
    case Stage::load:
      return load_;
    case Stage::transfer:
      return transfer_[at(task.trainer)];
    case Stage::train:
      return train_[at(task.trainer)];
    case Stage::synchronise:
      return synchronise_;
    case Stage::draw:
    case Stage::step:
      break;
  }
  return none_;
}

}  // namespace halo::hyscale
