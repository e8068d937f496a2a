#include "engine/record/analysis/mapping_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace halo {
namespace {

/// Threads that one gained another has lost.
std::int64_t threadsMoved(const DecisionRow& before, const DecisionRow& after) {
  const std::array changes = {after.sampleThreads - before.sampleThreads,
                              after.loadThreads - before.loadThreads,
                              after.trainThreads - before.trainThreads};
  return std::ranges::max(changes);
}

MappingChange changeOf(const DecisionRow& decision, const std::optional<DecisionRow>& before) {
  MappingChange change{decision, before, 0, 0, 0, {}};
  if (before) {
    change.seeds = std::abs(decision.cpuSeeds - before->cpuSeeds);
    change.threads = threadsMoved(*before, decision);
    change.sampleShare = std::abs(decision.cardSampleShare - before->cardSampleShare);
  }
  if (decision.beforeNs && decision.afterNs && *decision.beforeNs > 0)
    change.gain = 1 - static_cast<double>(*decision.afterNs) / static_cast<double>(*decision.beforeNs);
  return change;
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %%", 100 * share);
  return text.data();
}

double shareOf(std::int64_t part, std::int64_t total) {
  return total > 0 ? static_cast<double>(part) / static_cast<double>(total) : 0;
}

}  // namespace

std::vector<MappingChange> mappingChanges(std::span<const DecisionRow> decisions) {
  std::vector<MappingChange> changes;
  std::optional<DecisionRow> standing;
  for (const DecisionRow& decision : decisions) {
    changes.push_back(changeOf(decision, standing));
    if (!standing || decision.outcome != DecisionOutcome::undone) standing = decision;
  }
  return changes;
}

std::string movedText(const MappingChange& change) {
  const DecisionRow& decision = change.decision;
  const std::string way =
      " from " + std::string(text(decision.takenFrom)) + " to " + std::string(text(decision.givenTo));
  const auto counted = [](std::int64_t count, const char* unit) {
    return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
  };
  switch (decision.action) {
    case MappingAction::work:
    case MappingAction::step:
      return counted(change.seeds, "seed") + way;
    case MappingAction::threads:
      return counted(change.threads, "thread") + way;
    case MappingAction::sampling:
      return percent(change.sampleShare) + " of the sampling" + way;
    case MappingAction::start:
    case MappingAction::rest:
      break;
  }
  return std::string(text(decision.action));
}

std::vector<MappingShares> sharesOver(std::span<const DecisionRow> decisions, std::int64_t batch) {
  std::vector<MappingShares> shares;
  for (const DecisionRow& row : decisions) {
    const std::int64_t threads = row.sampleThreads + row.loadThreads + row.trainThreads;
    const double cpu = shareOf(row.cpuSeeds, batch);
    const MappingShares step{row.epoch,
                             row.iteration,
                             cpu,
                             batch > 0 ? 1 - cpu : 0,
                             shareOf(row.sampleThreads, threads),
                             shareOf(row.loadThreads, threads),
                             shareOf(row.trainThreads, threads),
                             row.cardSampleShare};
    shares.push_back(step);
  }
  return shares;
}

// The first window has the mapping of decision 0, each later one that of a trial.
std::optional<std::int64_t> windowsToRest(std::span<const DecisionRow> decisions) {
  const auto rest = std::ranges::find(decisions, MappingAction::rest, &DecisionRow::action);
  return rest == decisions.end() ? std::nullopt : std::optional(rest->decision);
}

}  // namespace halo
