#include "engine/hybrid/manager_actions.h"

#include <algorithm>
#include <cmath>

namespace halo {
namespace {

// Damping, dead band and the range of the processors' share: a public code of HyScale's authors.
constexpr double kDamping = 0.5, kDeadBand = 0.01, kLeastShare = 0.05, kMostShare = 0.95;
constexpr double kThreadShare = 0.05;  // of the pool, moved at a time
constexpr double kSeedShare = 0.05;    // of the batch, moved by a step

/// Stages as the manager sees them, in the order that decides ties.
enum Task : std::size_t { kSample, kLoad, kCards, kTrain, kCardSample, kTasks };

double halfUp(double value) { return std::floor(value + 0.5); }

/// Transfer and training of the cards count as one; where loading and transfer take turns, their sum counts
/// for the longer of them.
std::array<double, kTasks> bundled(const HybridTimes& times, Prefetch prefetch) {
  double load = times.load, cards = times.transfer + times.trainCard;
  if (prefetch == Prefetch::two) cards = std::max(times.transfer, times.trainCard);
  if (prefetch == Prefetch::one) {
    const double fetch = times.load + times.transfer;
    const bool loadLonger = times.load >= times.transfer;
    if (loadLonger) load = fetch;
    cards = std::max(loadLonger ? times.transfer : fetch, times.trainCard);
  }
  return {times.sampleCpu, load, cards, times.trainCpu, times.sampleCard};
}

class Options {
 public:
  Options(const HybridPlatform& platform, Prefetch prefetch, const HybridMapping& mapping,
          const HybridTimes& times)
      : platform_(platform), mapping_(mapping), times_(times), by_(bundled(times, prefetch)) {
    for (const Task task : {kSample, kLoad, kCards, kTrain, kCardSample})
      if (isThere(task)) tasks_.push_back(task);
    std::ranges::stable_sort(tasks_, {}, [&](Task task) { return by_[task]; });
    const bool second = tasks_.size() > 1 && tasks_[0] == kCards && tasks_[1] == kCardSample;
    cardsIdle_ = samplesOnCards() ? tasks_[0] == kCardSample || second : tasks_[0] == kCards;
  }

  std::vector<ManagerOption> all() {
    std::vector<Task> longestFirst;
    for (const Task task : {kSample, kLoad, kCards, kTrain, kCardSample})
      if (isThere(task)) longestFirst.push_back(task);
    std::ranges::stable_sort(longestFirst, std::greater<>(), [&](Task task) { return by_[task]; });
    for (const Task task : longestFirst) answer(task);
    return std::move(options_);
  }

 private:
  bool samplesOnCards() const { return platform_.cardSampleMedges > 0; }
  bool isThere(Task task) const {
    if (task == kTrain) return mapping_.cpuTrains();
    return task != kCardSample || samplesOnCards();
  }

  void answer(Task task) {
    switch (task) {
      case kCards:
        work();
        return step(-1);
      case kCardSample:
        return sampling();
      case kTrain:
        if (cardsIdle_) work();
        threads(MappingPart::train);
        if (!cardsIdle_) work();
        return step(+1);
      case kSample:
        if (samplesOnCards() && cardsIdle_) sampling();
        threads(MappingPart::sample);
        if (samplesOnCards() && !cardsIdle_) sampling();
        return;
      default:
        return threads(MappingPart::load);
    }
  }

  std::int64_t each() const { return mapping_.cardSeeds(0, platform_.cards); }
  double batch() const { return static_cast<double>(mapping_.batch); }

  void seeds(MappingAction action, std::int64_t eachCard) {
    if (!mapping_.cpuTrains()) return;
    eachCard = std::clamp<std::int64_t>(eachCard, 1, (mapping_.batch - 1) / platform_.cards);
    HybridMapping changed = mapping_;
    changed.cpuSeeds = mapping_.batch - platform_.cards * eachCard;
    if (changed == mapping_) return;
    const bool toCards = changed.cpuSeeds < mapping_.cpuSeeds;
    options_.push_back({{action, toCards ? MappingPart::cpu : MappingPart::cards,
                         toCards ? MappingPart::cards : MappingPart::cpu},
                        changed});
  }

  /// Half of the way to where a seed more takes processors and cards alike.
  void work() {
    if (!mapping_.cpuTrains()) return;
    const auto now = static_cast<double>(each()), cards = static_cast<double>(platform_.cards);
    const double ofCpu = by_[kTrain] / static_cast<double>(mapping_.cpuSeeds), ofCard = by_[kCards] / now;
    if (!(ofCard + cards * ofCpu > 0)) return;
    const double target = batch() * ofCpu / (ofCard + cards * ofCpu);
    if (std::abs(target - now) <= kDeadBand * now) return;
    const double left = batch() - cards * (now + kDamping * (target - now));
    const double cpuSeeds = std::clamp(left, kLeastShare * batch(), kMostShare * batch());
    seeds(MappingAction::work, static_cast<std::int64_t>(halfUp((batch() - cpuSeeds) / cards)));
  }

  void step(int way) {
    const auto size = static_cast<std::int64_t>(halfUp(kSeedShare * batch() / platform_.cards));
    seeds(MappingAction::step, each() + way * std::max<std::int64_t>(1, size));
  }

  /// From the task with the least own time, then from the next.
  void threads(MappingPart to) {
    std::vector<MappingPart> givers;
    for (const MappingPart party : {MappingPart::sample, MappingPart::load, MappingPart::train})
      if (party != to && (party != MappingPart::train || mapping_.cpuTrains())) givers.push_back(party);
    std::ranges::stable_sort(givers, {}, [&](MappingPart part) { return ownSeconds(part); });
    for (const MappingPart from : givers) {
      HybridMapping changed = mapping_;
      int& giver = threadsOf(changed, from);
      const int moved = std::min(static_cast<int>(std::ceil(kThreadShare * platform_.cpuThreads)), giver - 1);
      if (moved < 1) continue;
      giver -= moved;
      threadsOf(changed, to) += moved;
      options_.push_back({{MappingAction::threads, from, to}, changed});
    }
  }
  double ownSeconds(MappingPart task) const {
    return task == MappingPart::sample ? times_.sampleCpu
           : task == MappingPart::load ? times_.load
                                       : times_.trainCpu;
  }
  static int& threadsOf(HybridMapping& mapping, MappingPart party) {
    return party == MappingPart::sample ? mapping.sampleThreads
           : party == MappingPart::load ? mapping.loadThreads
                                        : mapping.trainThreads;
  }

  /// Half of the way to where cards and processors sample equally long.
  void sampling() {
    const double share = mapping_.cardSampleShare;
    const double ofCpu = times_.sampleCpu / (1 - share);
    const double ratio = mapping_.sampleThreads * platform_.threadSampleMedges /
                         (platform_.cards * platform_.cardSampleMedges);
    const double ofCards = share > 0 ? times_.sampleCard / share : ofCpu * ratio;
    if (!(ofCpu + ofCards > 0)) return;
    const double target = ofCpu / (ofCpu + ofCards);
    if (std::abs(target - share) <= kDeadBand) return;
    HybridMapping changed = mapping_;
    changed.cardSampleShare = std::clamp(share + kDamping * (target - share), 0.0, kMostShare);
    if (changed == mapping_) return;
    const bool toCards = changed.cardSampleShare > share;
    options_.push_back({{MappingAction::sampling, toCards ? MappingPart::cpu : MappingPart::cards,
                         toCards ? MappingPart::cards : MappingPart::cpu},
                        changed});
  }

  const HybridPlatform& platform_;
  const HybridMapping& mapping_;
  const HybridTimes& times_;
  std::array<double, kTasks> by_;
  std::vector<Task> tasks_;  // that are there, the fastest first
  bool cardsIdle_ = false;
  std::vector<ManagerOption> options_;
};

}  // namespace

std::vector<ManagerOption> managerOptions(const HybridPlatform& platform, Prefetch prefetch,
                                          const HybridMapping& mapping, const HybridTimes& times) {
  return Options(platform, prefetch, mapping, times).all();
}

}  // namespace halo
