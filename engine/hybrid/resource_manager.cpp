#include "engine/hybrid/resource_manager.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace halo {
namespace {

// Damping, dead band and the range of the processors' share: a public code of HyScale's authors.
constexpr double kDamping = 0.5, kDeadBand = 0.01, kLeastShare = 0.05, kMostShare = 0.95;
constexpr double kThreadShare = 0.05;  // of the pool, moved at a time

constexpr std::array<std::string_view, 7> kNames = {
    "none", "work", "sampling", "threads to sampling", "threads to loading", "threads to training", "undo"};

}  // namespace

std::string_view nameOf(Shift shift) { return kNames[static_cast<std::size_t>(shift)]; }

HybridMapping ResourceManager::next(const HybridMapping& mapping, const HybridTimes& times,
                                    double iterationSeconds) {
  HALO_CHECK(mapping.cpuSeeds <= mapping.batch - platform_.cards);
  if (trial_) {
    const Trial trial = *trial_;
    trial_.reset();
    if (iterationSeconds >= trial.seconds) {
      refused_.push_back(trial.change);
      last_ = Shift::undo;
      return trial.before;
    }
    refused_.clear();
  }
  const bool together = prefetch_ == Prefetch::twoStage;
  const Times by = {times.sampleCard, times.sampleCpu, times.load, times.trainCpu,
                    together ? std::max(times.transfer, times.trainCard) : times.transfer + times.trainCard};
  Change change;
  const HybridMapping changed = improved(mapping, by, change);
  last_ = Shift::none;
  if (changed == mapping || std::ranges::find(refused_, change) != refused_.end()) return mapping;
  trial_ = {change, mapping, iterationSeconds};
  last_ = change.shift;
  return changed;
}

/// Tasks that are there, the fastest first.
std::vector<ResourceManager::Task> ResourceManager::rising(const Times& times, bool cpuTrains) const {
  std::vector<Task> order;
  for (const Task task : {kSampleCard, kSampleCpu, kLoad, kTrainCpu, kCard})
    if ((task != kSampleCard || sampledOnCards()) && (task != kTrainCpu || cpuTrains)) order.push_back(task);
  std::ranges::stable_sort(order, {}, [&](Task task) { return times[task]; });
  return order;
}

HybridMapping ResourceManager::improved(const HybridMapping& mapping, const Times& times,
                                        Change& change) const {
  const std::vector<Task> order = rising(times, mapping.cpuTrains());
  const Task longest = order.back();
  const bool cardsIdle = sampledOnCards()
                             ? order[0] == kSampleCard || (order[0] == kCard && order[1] == kSampleCard)
                             : order[0] == kCard;
  const auto work = [&] {
    change = {Shift::work, longest};
    return balanceWork(mapping, times);
  };
  const auto sampling = [&] {
    change = {Shift::sampling, longest};
    return balanceSampling(mapping, times);
  };
  switch (longest) {
    case kCard:
      return work();
    case kSampleCard:
      return sampling();
    case kTrainCpu:
      return cardsIdle ? work() : balanceThreads(mapping, order, longest, change);
    case kSampleCpu:
      return cardsIdle && sampledOnCards() ? sampling() : balanceThreads(mapping, order, longest, change);
    default:
      return balanceThreads(mapping, order, longest, change);
  }
}

// Towards the shares with which processors and cards take alike.
HybridMapping ResourceManager::balanceWork(const HybridMapping& mapping, const Times& times) const {
  HybridMapping changed = mapping;
  if (!mapping.cpuTrains()) return changed;
  const int q = platform_.cards;
  const auto batch = static_cast<double>(mapping.batch);
  const double cardSeeds = (batch - static_cast<double>(mapping.cpuSeeds)) / q;
  const double cpuEach = times[kTrainCpu] / static_cast<double>(mapping.cpuSeeds);
  const double cardEach = times[kCard] / cardSeeds;
  if (cpuEach + cardEach <= 0) return changed;
  const double target = batch * cpuEach / (cardEach + q * cpuEach);
  if (std::abs(target - cardSeeds) <= kDeadBand * cardSeeds) return changed;
  const double cpuSeeds = batch - q * (cardSeeds + kDamping * (target - cardSeeds));
  const double clamped = std::clamp(cpuSeeds, kLeastShare * batch, kMostShare * batch);
  changed.cpuSeeds = std::clamp<std::int64_t>(std::llround(clamped), 1, mapping.batch - q);
  return changed;
}

HybridMapping ResourceManager::balanceSampling(const HybridMapping& mapping, const Times& times) const {
  HybridMapping changed = mapping;
  // what a neighbour takes on either side; where one side has sampled none, by its rate
  const double share = mapping.cardSampleShare;
  const double cpuRate = mapping.sampleThreads * platform_.threadSampleMedges;
  const double cardRate = platform_.cards * platform_.cardSampleMedges;
  const double cpuEach =
      share < 1 ? times[kSampleCpu] / (1 - share) : times[kSampleCard] * cardRate / cpuRate;
  const double cardEach = share > 0 ? times[kSampleCard] / share : times[kSampleCpu] * cpuRate / cardRate;
  if (cpuEach + cardEach <= 0) return changed;
  const double target = cpuEach / (cpuEach + cardEach);
  if (std::abs(target - share) <= kDeadBand) return changed;
  changed.cardSampleShare = std::clamp(share + kDamping * (target - share), 0.0, kMostShare);
  return changed;
}

HybridMapping ResourceManager::balanceThreads(const HybridMapping& mapping, const std::vector<Task>& order,
                                              Task to, Change& change) const {
  HybridMapping changed = mapping;
  const auto threadsOf = [&](Task task) -> int& {
    return task == kSampleCpu ? changed.sampleThreads
           : task == kLoad    ? changed.loadThreads
                              : changed.trainThreads;
  };
  const int step = std::max(1, static_cast<int>(std::ceil(kThreadShare * platform_.cpuThreads)));
  for (const Task from : order) {
    const bool cpu = from != kSampleCard && from != kCard;
    if (!cpu || from == to || threadsOf(from) <= 1) continue;
    const int moved = std::min(step, threadsOf(from) - 1);
    threadsOf(from) -= moved;
    threadsOf(to) += moved;
    change = {to == kSampleCpu ? Shift::sampleThreads
              : to == kLoad    ? Shift::loadThreads
                               : Shift::trainThreads,
              from};
    break;
  }
  return changed;
}

}  // namespace halo
