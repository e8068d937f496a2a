#include "engine/hybrid/resource_manager.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/hybrid/manager_actions.h"

namespace halo {
namespace {

constexpr double kLeastGain = 0.01;  // of an iteration, for a change to be kept
constexpr double kDrift = 0.1;       // of an iteration at rest
constexpr int kWindowsOff = 2;       // with that drift, before changes are tried again

}  // namespace

ResourceManager::ResourceManager(const HybridPlatform& platform, Prefetch prefetch,
                                 const HybridMapping& start)
    : platform_(platform), prefetch_(prefetch), mapping_(start) {
  HALO_CHECK(start.cpuSeeds >= 0 && start.cpuSeeds <= start.batch - platform.cards);
  HALO_CHECK(start.threads() == platform.cpuThreads);
  decisions_.push_back({{}, start, 0, {}, DecisionOutcome::kept, 0});
}

const HybridMapping& ResourceManager::endWindow(const HybridTimes& times, double iterationSeconds) {
  ++windows_;
  Measured now{times, iterationSeconds};
  if (windows_ == 1) decisions_.front().afterSeconds = iterationSeconds;
  if (restGoesOn(iterationSeconds)) return mapping_;
  judge(now);
  tryNext(now);
  return mapping_;
}

bool ResourceManager::restGoesOn(double seconds) {
  if (!rest_) return false;
  rest_->off = std::abs(seconds - rest_->seconds) > kDrift * rest_->seconds ? rest_->off + 1 : 0;
  if (rest_->off < kWindowsOff) return true;
  rest_.reset();
  refused_.clear();
  return false;
}

/// Keeps what was tried, or undoes it; then `now` is what was measured before.
void ResourceManager::judge(Measured& now) {
  if (!trial_) return;
  const Trial trial = *trial_;
  trial_.reset();
  ManagerDecision& decision = decisions_.back();
  decision.afterSeconds = now.seconds;
  if (now.seconds > (1 - kLeastGain) * trial.measured.seconds) {
    decision.outcome = DecisionOutcome::undone;
    std::erase_if(refused_, [&](const Refusal& refusal) { return refusal.change == trial.change; });
    refused_.push_back({trial.change, kept_});
    mapping_ = trial.before;
    now = trial.measured;
    return;
  }
  decision.outcome = DecisionOutcome::kept;
  ++kept_;
}

bool ResourceManager::refuses(const ManagerChange& change) const {
  return std::ranges::find(refused_, change, &Refusal::change) != refused_.end();
}

void ResourceManager::tryNext(const Measured& now) {
  const std::vector<ManagerOption> options = managerOptions(platform_, prefetch_, mapping_, now.times);
  const auto free = [&] {
    return std::ranges::find_if(options, [&](const ManagerOption& one) { return !refuses(one.change); });
  };
  auto next = free();
  if (next == options.end()) {  // what was refused before the last change that was kept may be tried again
    std::erase_if(refused_, [&](const Refusal& refusal) { return refusal.kept < kept_; });
    next = free();
  }
  if (next == options.end()) {
    rest_ = {now.seconds, windows_, 0};
    decisions_.push_back(
        {{MappingAction::rest}, mapping_, now.seconds, now.seconds, DecisionOutcome::rest, windows_});
    return;
  }
  trial_ = {next->change, mapping_, now};
  mapping_ = next->mapping;
  decisions_.push_back({next->change, mapping_, now.seconds, {}, DecisionOutcome::open, windows_});
}

DecisionRow decisionRow(const ManagerDecision& decision, std::size_t number, int cards) {
  const auto ns = [](double seconds) { return static_cast<std::int64_t>(std::llround(seconds * 1e9)); };
  const HybridMapping& mapping = decision.mapping;
  DecisionRow row;
  row.decision = static_cast<std::int64_t>(number);
  row.action = decision.change.action;
  row.takenFrom = decision.change.from;
  row.givenTo = decision.change.to;
  row.cpuSeeds = mapping.cpuSeeds;
  row.cardSeeds = mapping.cardSeeds(0, cards);
  row.sampleThreads = mapping.sampleThreads;
  row.loadThreads = mapping.loadThreads;
  row.trainThreads = mapping.trainThreads;
  row.cardSampleShare = mapping.cardSampleShare;
  if (number > 0) row.beforeNs = ns(decision.beforeSeconds);
  if (decision.afterSeconds) row.afterNs = ns(*decision.afterSeconds);
  row.outcome = decision.outcome;
  return row;
}

}  // namespace halo
