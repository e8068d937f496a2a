#include "engine/hybrid/resource_manager.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/hybrid/manager_actions.h"

namespace halo {
namespace {

constexpr double kLeastGain = 0.01;  // of an iteration, for a change to be kept
constexpr double kDrift = 0.1;       // of an iteration at rest
constexpr int kWindowsOff = 2;       // with that drift, before changes are tried again

}  // namespace

ResourceManager::ResourceManager(const HybridPlatform& platform, Prefetch prefetch,
                                 const HybridMapping& start)
    : platform_(platform), prefetch_(prefetch) {
  state_.mapping = start;
  HALO_CHECK(start.cpuSeeds >= 0 && start.cpuSeeds <= start.batch - platform.cards);
  HALO_CHECK(start.threads() == platform.cpuThreads);
  decisions_.push_back({{}, start, 0, {}, DecisionOutcome::kept, 0});
}

const HybridMapping& ResourceManager::endWindow(const HybridTimes& times, double iterationSeconds) {
  ++state_.windows;
  Measured now{times, iterationSeconds};
  if (state_.windows == 1) decisions_.front().afterSeconds = iterationSeconds;
  if (restGoesOn(iterationSeconds)) return state_.mapping;
  judge(now);
  tryNext(now);
  return state_.mapping;
}

bool ResourceManager::restGoesOn(double seconds) {
  if (!state_.rest) return false;
  state_.rest->off =
      std::abs(seconds - state_.rest->seconds) > kDrift * state_.rest->seconds ? state_.rest->off + 1 : 0;
  if (state_.rest->off < kWindowsOff) return true;
  state_.rest.reset();
  refused_.clear();
  return false;
}

/// Keeps what was tried, or undoes it; then `now` is what was measured before.
void ResourceManager::judge(Measured& now) {
  if (!state_.trial) return;
  const Trial trial = *state_.trial;
  state_.trial.reset();
  ManagerDecision& decision = decisions_.back();
  decision.afterSeconds = now.seconds;
  if (now.seconds > (1 - kLeastGain) * trial.measured.seconds) {
    decision.outcome = DecisionOutcome::undone;
    std::erase_if(refused_, [&](const Refusal& refusal) { return refusal.change == trial.change; });
    refused_.push_back({trial.change, state_.kept});
    state_.mapping = trial.before;
    now = trial.measured;
    return;
  }
  decision.outcome = DecisionOutcome::kept;
  ++state_.kept;
}

bool ResourceManager::refuses(const ManagerChange& change) const {
  return std::ranges::find(refused_, change, &Refusal::change) != refused_.end();
}

void ResourceManager::tryNext(const Measured& now) {
  const std::vector<ManagerOption> options = managerOptions(platform_, prefetch_, state_.mapping, now.times);
  const auto free = [&] {
    return std::ranges::find_if(options,
                                [&](const ManagerOption& option) { return !refuses(option.change); });
  };
  auto next = free();
  if (next == options.end()) {  // what was refused before the last change that was kept may be tried again
    std::erase_if(refused_, [&](const Refusal& refusal) { return refusal.kept < state_.kept; });
    next = free();
  }
  if (next == options.end()) {
    state_.rest = {now.seconds, state_.windows, 0};
    decisions_.push_back({{MappingAction::rest},
                          state_.mapping,
                          now.seconds,
                          now.seconds,
                          DecisionOutcome::rest,
                          state_.windows});
    return;
  }
  ++state_.tried;
  state_.trial = {next->change, state_.mapping, now};
  state_.mapping = next->mapping;
  decisions_.push_back(
      {next->change, state_.mapping, now.seconds, {}, DecisionOutcome::open, state_.windows});
}

// The start is told the time of the first window.
std::size_t ResourceManager::forgetJudged() {
  if (state_.windows == 0) return 0;
  const auto end = decisions_.end() - (state_.trial ? 1 : 0);
  const auto judged = at(end - decisions_.begin());
  decisions_.erase(decisions_.begin(), end);
  return judged;
}

void ResourceManager::resume(const State& state, std::vector<Refusal> refusals,
                             std::vector<ManagerDecision> decisions) {
  state_ = state;
  refused_ = std::move(refusals);
  decisions_ = std::move(decisions);
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
