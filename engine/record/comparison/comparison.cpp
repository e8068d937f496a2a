#include "engine/record/comparison/comparison.h"

#include <algorithm>

#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

/// One run with what is read of it once.
struct ReadRun {
  RunRow row;
  std::int64_t ranks = 0;  // that train; 0: a simulated device, whose lanes are no workers
  std::vector<EpochRow> all, inScope;
};
using ReadRuns = std::vector<ReadRun>;

/// Without the runs that have no epoch in scope, of which `notes` tells.
ReadRuns readSide(Database& database, const Configuration& configuration, const Scope& scope,
                  std::vector<std::string>& notes) {
  ReadRuns side;
  for (const RunRow& row : configuration.runs) {
    ReadRun run{row,
                trainingWorkers(row, Runs(database).latest(row.id)).value_or(0),
                Epochs(database).epochs(row.id),
                {}};
    run.inScope = epochsIn(run.all, scope);
    if (run.inScope.empty())
      notes.push_back("Run " + std::to_string(row.id) +
                      (run.all.empty() ? " recorded no epoch." : " has no epoch in scope."));
    else
      side.push_back(std::move(run));
  }
  return side;
}

Repeats epochTimes(const ReadRuns& runs) {
  Repeats repeats;
  for (const ReadRun& run : runs) {
    std::vector<double>& values = repeats.emplace_back();
    for (const EpochRow& epoch : run.inScope) values.push_back(static_cast<double>(epoch.wallNs));
  }
  return repeats;
}

EpochFigures figuresOf(const ReadRuns& runs) {
  EpochFigures figures;
  std::vector<std::int64_t> all;
  for (const ReadRun& run : runs) {
    figures.epochs.push_back(static_cast<std::int64_t>(run.inScope.size()));
    for (const EpochRow& epoch : run.inScope) all.push_back(epoch.wallNs);
  }
  const Repeats repeats = epochTimes(runs);
  figures.meanNs = meanOf(repeats);
  figures.medianNs = quantileOf(all, 0.5);
  figures.interval = meanInterval(repeats);
  return figures;
}

/// Of all runs by the same source; empty where it lacks one of them.
std::vector<RunParts> partsOf(Database& database, const ReadRuns& runs, bool bySpans) {
  std::vector<RunParts> all;
  for (const ReadRun& run : runs) {
    if (run.ranks == 0) return {};
    auto parts = (bySpans ? partsBySpans : partsByRows)(database, run.row.id, run.ranks, run.inScope);
    if (!parts) return {};
    all.push_back(std::move(*parts));
  }
  return all;
}

/// The time of both by its parts: by spans if they cover every epoch of both, else by sums of layers.
void addWaterfall(Database& database, const ReadRuns& a, const ReadRuns& b, Change& change) {
  if (a.empty() || b.empty()) return;
  for (const bool bySpans : {true, false}) {
    const std::vector<RunParts> from = partsOf(database, a, bySpans);
    if (from.empty()) continue;
    const std::vector<RunParts> to = partsOf(database, b, bySpans);
    if (to.empty()) continue;
    change.waterfall = waterfall(meanEpoch(from), meanEpoch(to));
    change.bySpans = bySpans;
    return;
  }
}

std::vector<RunSpans> spansOf(Database& database, const ReadRuns& runs, std::vector<std::string>& notes) {
  std::vector<RunSpans> all;
  for (const ReadRun& run : runs) {
    if (run.ranks == 0) continue;
    RunSpans spans = readSpanTotals(database, run.row.id, run.ranks, run.inScope);
    notes.insert(notes.end(), spans.leftOut.begin(), spans.leftOut.end());
    if (!spans.epochs.empty()) all.push_back(std::move(spans));
  }
  return all;
}

ScoredRun scoredOf(Database& database, const ReadRun& run) {
  ScoredRun scored{run.all, {}};
  for (const LayerRow& row : Epochs(database).layers(run.row.id)) scored.bytes[row.epoch] += row.bytesSent;
  return scored;
}

void addAccuracy(Database& database, const std::vector<ReadRuns>& sides, std::optional<double> accuracy,
                 Comparison& comparison) {
  std::vector<ScoredRun> all;
  for (const ReadRuns& side : sides)
    for (const ReadRun& run : side) all.push_back(scoredOf(database, run));
  if (!all.empty()) comparison.score = commonScore(all);
  if (!comparison.score) {
    comparison.notes.emplace_back("There is no score that all runs measured, so none is reached.");
    return;
  }
  double lowest = 1;
  for (const ScoredRun& run : all) lowest = std::min(lowest, *bestScore(run, *comparison.score));
  comparison.accuracy = accuracy.value_or(lowest);
  auto next = all.begin();
  for (const ReadRuns& side : sides) {
    ToAccuracy& to = comparison.reached.emplace_back();
    for (std::size_t i = 0; i < side.size(); ++i)
      to.runs.push_back(reached(*next++, *comparison.score, comparison.accuracy));
  }
}

}  // namespace

Comparison compareConfigurations(Database& database, const std::vector<Configuration>& configurations,
                                 const Scope& scope, std::optional<double> accuracy) {
  Comparison comparison;
  std::vector<ReadRuns> sides;
  for (const Configuration& configuration : configurations) {
    sides.push_back(readSide(database, configuration, scope, comparison.notes));
    comparison.epochs.push_back(figuresOf(sides.back()));
  }
  std::vector<RunSpans> first;
  if (sides.size() > 1) first = spansOf(database, sides.front(), comparison.notes);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    Change& change = comparison.changes.emplace_back();
    change.deltaNs = comparison.epochs[i].meanNs - comparison.epochs[0].meanNs;
    change.interval = differenceInterval(epochTimes(sides[0]), epochTimes(sides[i]));
    addWaterfall(database, sides[0], sides[i], change);
    std::vector<RunSpans> other = spansOf(database, sides[i], comparison.notes);
    if (!first.empty() && !other.empty()) change.differences = differences(first, other);
  }
  addAccuracy(database, sides, accuracy, comparison);
  return comparison;
}

}  // namespace halo
