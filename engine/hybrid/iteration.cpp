#include "engine/hybrid/iteration.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6;

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
      step.push_back({HybridStage::trainCard, {{batch->cards[at(card)].cardSeconds}}, card});
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

void check(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
           std::int64_t batch) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({"", 0, 0, key, std::move(message)});
  };
  if (work.widths.size() < 2) wrong("hybrid.widths", "one layer has two widths: its inputs and its outputs");
  for (const std::int64_t width : work.widths)
    if (width < 1) wrong("hybrid.widths", fmt::format("{} cannot be used; 1 or more", width));
  if (at(sizes.layers()) + 1 != work.widths.size())
    wrong("hybrid.widths", fmt::format("{} widths for mini-batches of {} layers; one more than layers",
                                       work.widths.size(), sizes.layers()));
  if (work.hostTrafficFactor < 1 || work.hostTrafficFactor > 3)
    wrong("hybrid.host_traffic_factor", fmt::format("{} cannot be used; 1, 2 or 3", work.hostTrafficFactor));
  if (work.elementBytes < 1)
    wrong("hybrid.element_bytes", fmt::format("{} cannot be used", work.elementBytes));
  if (work.trainVertices < 0)
    wrong("hybrid.train_vertices", fmt::format("{} cannot be used; 0 or more", work.trainVertices));
  if (batch < platform.cards)
    wrong("hybrid.batch",
          fmt::format("{} cannot be used; at least {}, a seed for each card", batch, platform.cards));
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

std::vector<RaceLane> lanesOf(const HybridPlatform& platform, const HybridWork& work,
                              const HybridMapping& mapping, Prefetch prefetch, const InIteration& batches) {
  const Steps steps(platform, work, mapping);
  RaceLane sample{steps.sampling(batches.sampled)}, load{steps.loading(batches.loaded)};
  RaceLane transfer{steps.transferring(batches.transferred)};
  RaceLane train{steps.training(batches.trained), steps.synchronising(batches.trained)};
  const auto join = [](RaceLane& to, const RaceLane& more) { to.insert(to.end(), more.begin(), more.end()); };
  switch (prefetch) {
    case Prefetch::twoStage:
      return {sample, load, transfer, train};
    case Prefetch::oneStage:
      join(load, transfer);
      return {sample, load, train};
    case Prefetch::none:
      break;
  }
  for (const RaceLane& more : {load, transfer, train}) join(sample, more);
  return {sample};
}

HybridMapping staticMapping(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                            std::int64_t batch, Prefetch prefetch, bool cpuMayTrain) {
  check(platform, work, sizes, batch);
  constexpr int kThreadSteps = 16, kShareSteps = 20;
  const int pool = platform.cpuThreads;
  HybridMapping best;
  double shortest = -1;
  BatchWork mean;  // of the share that is looked at
  const auto consider = [&](const HybridMapping& mapping) {
    const double seconds =
        race(lanesOf(platform, work, mapping, prefetch, {&mean, &mean, &mean, &mean}), platform).seconds;
    if (shortest >= 0 && seconds >= shortest) return;
    shortest = seconds;
    best = mapping;
  };
  const auto share = [&](std::int64_t cpuSeeds) {
    mean = batchWork(platform, work, {batch, cpuSeeds, 1, 1, 0, 0},
                     [&](double seeds, int) { return sizes.mean(seeds); });
  };
  // without a trainer all threads but the samplers' load
  share(0);
  for (int s = 1; s < kThreadSteps; ++s) {
    const int sample = std::max(1, pool * s / kThreadSteps);
    consider({batch, 0, sample, pool - sample, 0, 0});
  }
  for (int part = 1; cpuMayTrain && batch > platform.cards && part < kShareSteps; ++part) {
    const std::int64_t cpuSeeds =
        std::clamp<std::int64_t>(batch * part / kShareSteps, 1, batch - platform.cards);
    share(cpuSeeds);
    for (int s = 1; s < kThreadSteps; ++s)
      for (int l = 1; s + l <= kThreadSteps; ++l) {
        const int sample = std::max(1, pool * s / kThreadSteps), load = std::max(1, pool * l / kThreadSteps);
        const int train = pool - sample - load;
        if (train >= 1) consider({batch, cpuSeeds, sample, load, train, 0});
      }
  }
  HALO_CHECK(shortest >= 0);
  return best;
}

}  // namespace halo
