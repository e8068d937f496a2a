#include "engine/hybrid/iteration.h"

#include <algorithm>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6, kMicro = 1e-6;

/// The steps of the stages.
class Steps {
 public:
  Steps(const HybridPlatform& platform, const HybridWork& work, const HybridMapping& mapping)
      : platform_(platform), work_(work), mapping_(mapping) {}

  RaceStep sampling(const BatchWork* batch) const {
    if (batch == nullptr) return {};
    const double onCards = batch->edges * batch->cardSampleShare;
    RaceStep step = {{HybridStage::sampleCpu,
                      {{batch->edges - onCards, mapping_.sampleThreads * platform_.threadSampleMedges * kMega,
                        platform_.sampleBytesPerEdge}}}};
    if (onCards > 0)
      step.push_back(
          {HybridStage::sampleCard, {{onCards, platform_.cards * platform_.cardSampleMedges * kMega}}});
    return step;
  }

  RaceStep loading(const BatchWork* batch) const {
    if (batch == nullptr) return {};
    const double copies = std::min(work_.hostTrafficFactor, 2);
    return {{HybridStage::load,
             {{batch->features, mapping_.loadThreads * platform_.threadGbps * kGiga, copies}}}};
  }

  RaceStep transferring(const BatchWork* batch) const {
    RaceStep step;
    for (int card = 0; batch != nullptr && card < platform_.cards; ++card)
      step.push_back({HybridStage::transfer, {overPcie(batch->cards[at(card)].transferBytes, card)}, card});
    return step;
  }

  RaceStep training(const BatchWork* batch) const {
    if (batch == nullptr) return {};
    RaceStep step;
    const double threads = std::max(mapping_.trainThreads, 1);
    if (batch->cpu.macs > 0)
      step.push_back({HybridStage::trainCpu,
                      {{batch->cpu.gatheredBytes, threads * platform_.threadGbps * kGiga, 1},
                       {batch->cpu.macs, platform_.cpuGmacs * kGiga * threads / platform_.cpuThreads}}});
    for (int card = 0; card < platform_.cards; ++card)
      if (const double seconds = batch->cards[at(card)].cardSeconds; seconds > 0)
        step.push_back({HybridStage::trainCard, {{seconds + platform_.launchUs * kMicro}}, card});
    return step;
  }

  // Gradients up, their mean down again.
  RaceStep synchronising(const BatchWork* batch) const {
    RaceStep step;
    for (int card = 0; batch != nullptr && card < platform_.cards; ++card) {
      const RacePart model = overPcie(modelBytes(work_), card);
      step.push_back({HybridStage::sync, {model, model}, card});
    }
    return step;
  }

 private:
  RacePart overPcie(double bytes, int card) const {
    return {bytes, platform_.pcieGbps * kGiga, work_.hostTrafficFactor == 3 ? 1.0 : 0.0, card};
  }

  const HybridPlatform& platform_;
  const HybridWork& work_;
  const HybridMapping& mapping_;
};

}  // namespace

std::vector<RaceLane> lanesOf(const HybridPlatform& platform, const HybridWork& work,
                              const HybridMapping& mapping, Prefetch prefetch, const InIteration& batches) {
  const Steps steps(platform, work, mapping);
  RaceLane sample{steps.sampling(batches.sampled)}, load{steps.loading(batches.loaded)};
  RaceLane transfer{steps.transferring(batches.transferred)};
  RaceLane train{steps.training(batches.trained), steps.synchronising(batches.trained)};
  const auto join = [](RaceLane& to, const RaceLane& more) { to.insert(to.end(), more.begin(), more.end()); };
  switch (prefetch) {
    case Prefetch::two:
      return {sample, load, transfer, train};
    case Prefetch::one:
      join(load, transfer);
      return {sample, load, train};
    case Prefetch::none:
      break;
  }
  for (const RaceLane& more : {load, transfer, train}) join(sample, more);
  return {sample};
}

HybridTimes timesOf(const RaceTimes& race, const HybridPlatform& platform) {
  const auto secondsOf = [&](HybridStage stage) { return race.stageSeconds[at(stage)]; };
  return {secondsOf(HybridStage::sampleCpu), secondsOf(HybridStage::sampleCard),
          secondsOf(HybridStage::load),      secondsOf(HybridStage::transfer),
          secondsOf(HybridStage::trainCpu),  secondsOf(HybridStage::trainCard),
          secondsOf(HybridStage::sync),      race.hostBytes / (platform.hostMemoryGbps() * kGiga)};
}

}  // namespace halo
