#include "engine/record/comparison/comparison.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/record/analysis/median.h"
#include "engine/record/comparison/read_run.h"

namespace halo {
namespace {

Repeats epochTimes(const ReadRuns& runs) {
  Repeats repeats;
  for (const ReadRun& run : runs) {
    std::vector<double>& values = repeats.emplace_back();
    for (const EpochRow& epoch : run.inScope) values.push_back(static_cast<double>(epoch.wallNs));
  }
  return repeats;
}

/// Of simulations that came to the time of an epoch.
EpochFigures modelledFigures(const Configuration& configuration) {
  EpochFigures figures;
  Repeats repeats;
  Median median;
  for (const RunRow& row : configuration.runs)
    if (const auto ns = modelledEpochNs(*configuration.recording, row)) {
      figures.epochs.push_back(1);
      repeats.push_back({*ns});
      median.add(*ns);
    }
  figures.meanNs = meanOf(repeats);
  figures.medianNs = median.empty() ? std::nan("") : median.value();
  figures.interval = meanInterval(repeats);
  figures.modelled = !repeats.empty();
  return figures;
}

EpochFigures figuresOf(const Configuration& configuration, const ReadRuns& runs, const Scope& scope) {
  if (runs.empty()) return modelledFigures(configuration);
  EpochFigures figures;
  std::vector<std::int64_t> all;
  for (const ReadRun& run : runs) {
    figures.epochs.push_back(static_cast<std::int64_t>(run.inScope.size()));
    for (const EpochRow& epoch : run.inScope) all.push_back(epoch.wallNs);
    const LeftOut left = leftOut(run.epochs, scope);
    figures.left = {figures.left.firsts + left.firsts, figures.left.filling + left.filling};
  }
  const Repeats repeats = epochTimes(runs);
  figures.meanNs = meanOf(repeats);
  figures.medianNs = quantileOf(all, 0.5);
  figures.interval = meanInterval(repeats);
  return figures;
}

/// Of all runs; empty where one of them has none.
std::vector<RunParts> partsOf(const ReadRuns& runs, std::optional<RunParts> ReadRun::*parts) {
  std::vector<RunParts> all;
  for (const ReadRun& run : runs) {
    if (run.ranks == 0 || !(run.*parts)) return {};
    all.push_back(*(run.*parts));
  }
  return all;
}

/// The time of both by its parts: by spans if they cover every epoch of both, else by sums of layers.
void addWaterfall(const ReadRuns& a, const ReadRuns& b, Change& change) {
  for (const auto parts : {&ReadRun::bySpans, &ReadRun::byRows}) {
    const std::vector<RunParts> from = partsOf(a, parts), to = partsOf(b, parts);
    if (from.empty() || to.empty()) continue;
    change.waterfall = waterfall(meanEpoch(from), meanEpoch(to));
    change.bySpans = parts == &ReadRun::bySpans;
    return;
  }
}

/// The mean epoch of every side by the finest source that all have which recorded epochs.
void addMeans(const std::vector<ReadRuns>& sides, Comparison& comparison) {
  for (const auto parts : {&ReadRun::bySpans, &ReadRun::byRows}) {
    comparison.means.clear();
    for (const ReadRuns& side : sides)
      if (const std::vector<RunParts> all = partsOf(side, parts); !all.empty() || side.empty())
        comparison.means.push_back(side.empty() ? MeanEpoch{} : meanEpoch(all));
    comparison.meansBySpans = parts == &ReadRun::bySpans;
    if (comparison.means.size() == sides.size()) return;
  }
  comparison.means.clear();
}

/// Of the runs that have spans.
std::vector<RunSpans> spansOf(ReadRuns& runs) {
  std::vector<RunSpans> all;
  for (ReadRun& run : runs)
    if (!run.spans.epochs.empty()) all.push_back(std::move(run.spans));
  return all;
}

void addAccuracy(const std::vector<ReadRuns>& sides, const Scope& scope, std::optional<double> accuracy,
                 Comparison& comparison) {
  std::vector<ScoredRun> all;
  for (const ReadRuns& side : sides)
    for (const ReadRun& run : side) all.push_back({run.epochs, run.bytes});
  if (!all.empty()) comparison.score = commonScore(all);
  if (!comparison.score) {
    comparison.notes.emplace_back("There is no score that all runs measured, so none is reached.");
    return;
  }
  double lowest = 1;
  for (const ScoredRun& run : all) lowest = std::min(lowest, *bestScore(run, *comparison.score));
  comparison.accuracy = accuracy.value_or(lowest);
  std::span<const ScoredRun> left = all;
  for (const ReadRuns& side : sides) {
    const std::span<const ScoredRun> runs = left.first(side.size());
    left = left.subspan(side.size());
    ToAccuracy& to = comparison.reached.emplace_back();
    for (std::size_t i = 0; i < side.size(); ++i)
      to.runs.push_back({side[i].row.id, reached(runs[i], *comparison.score, comparison.accuracy)});
    comparison.learning.push_back(learningOf(runs, *comparison.score, scope));
  }
}

PartTable partTableOf(const ReadRuns& runs, bool bySpans) {
  std::vector<PartsOfRun> all;
  for (const ReadRun& run : runs)
    all.push_back({run.row.id, partsOf(PartSources{run.workers, run.inScope, run.layers, run.traffic,
                                                   run.times, bySpans})});
  return partTable(std::move(all));
}

/// Of the first run; parameters are recorded as TOML has them.
RankFacts rankFactsOf(const Configuration& configuration, const ReadRuns& runs) {
  RankFacts facts;
  if (runs.empty()) return facts;
  facts.vertices.resize(at(runs.front().ranks));
  facts.hosts.resize(facts.vertices.size());
  for (const WorkerRow& worker : runs.front().workers)
    if (worker.rank >= 0 && worker.rank < runs.front().ranks) {
      facts.vertices[at(worker.rank)] = worker.vertices;
      facts.hosts[at(worker.rank)] = worker.host;
    }
  const auto partitioner = configuration.parameters.find("partition.method");
  if (partitioner != configuration.parameters.end()) facts.partitioner = partitioner->second;
  std::erase(facts.partitioner, '"');
  return facts;
}

/// Means over the runs that have as many ranks as the first; empty where some rank's time is not known.
RankParts rankPartsOf(const ReadRuns& runs, bool bySpans) {
  RankParts means;
  double count = 0;
  for (const ReadRun& run : runs) {
    if (run.times.size() != runs.front().times.size() || run.inScope.empty()) continue;
    means.resize(run.times.size());
    ++count;
    for (std::size_t rank = 0; rank < run.times.size(); ++rank) {
      const std::optional<PartSums>& sums = bySpans ? run.times[rank].bySpans : run.times[rank].byRows;
      if (!sums) return {};
      for (std::size_t part = 0; part < kTimeParts; ++part)
        means[rank][part] += static_cast<double>((*sums)[part]) / static_cast<double>(run.inScope.size());
    }
  }
  for (auto& parts : means)
    for (double& ns : parts) ns /= count;
  return means;
}

void addStaleness(const std::vector<ReadRuns>& sides, const Scope& scope, Comparison& comparison) {
  for (const ReadRuns& side : sides) {
    std::vector<std::vector<LayerRow>> layers;
    for (const ReadRun& run : side) layers.push_back(run.layers);
    comparison.staleness.push_back(stalenessOf(layers, scope));
  }
}

void addTables(std::vector<ReadRuns>& sides, Comparison& comparison) {
  for (ReadRuns& side : sides) {
    comparison.parts.push_back(partTableOf(side, comparison.meansBySpans));
    comparison.rankParts.push_back(rankPartsOf(side, comparison.meansBySpans));
    std::vector<RunTraffic> traffic;
    for (ReadRun& run : side) traffic.push_back(std::move(run.traffic));
    comparison.traffic.push_back(meanTraffic(traffic));
  }
}

/// Of the runs with epochs in scope; where there are none, of the simulations.
LayerTable layerTableOf(const Configuration& configuration, const ReadRuns& side, bool withSpans,
                        std::vector<std::string>& notes) {
  std::vector<LayerTable> runs;
  for (const ReadRun& run : side) runs.push_back(layersByRows(run.layers, run.inScope));
  if (side.empty() && withSpans)
    for (const RunRow& row : configuration.runs)
      if (row.kind == "simulation") runs.push_back(layersBySpans(*configuration.recording, row, notes));
  return meanLayers(runs);
}

/// Of the runs that recorded why they waited. `comparable`: of the same data as the first.
void addWaits(std::vector<ReadRuns>& sides, const std::vector<bool>& comparable, Comparison& comparison) {
  std::vector<std::vector<RunWaits>> waits;
  for (ReadRuns& side : sides) {
    std::vector<RunWaits>& runs = waits.emplace_back();
    for (ReadRun& run : side)
      if (run.ranks > 0 && run.waits.explained && !run.waits.epochs.empty())
        runs.push_back(std::move(run.waits));
  }
  comparison.waits = waitsOf(waits, comparable);
}

}  // namespace

Comparison compareConfigurations(const std::vector<Configuration>& configurations, const Scope& scope,
                                 std::optional<double> accuracy, bool withSpans) {
  Comparison comparison;
  std::vector<ReadRuns> sides;
  for (const Configuration& configuration : configurations)
    sides.push_back(readRuns(configuration, scope, withSpans, comparison));
  addAccuracy(sides, scope, accuracy, comparison);
  addStaleness(sides, scope, comparison);
  for (ReadRuns& side : sides)  // all else is of the time of epochs
    std::erase_if(side, [](const ReadRun& run) { return run.inScope.empty(); });
  for (std::size_t i = 0; i < sides.size(); ++i)
    comparison.epochs.push_back(figuresOf(configurations[i], sides[i], scope));
  addMeans(sides, comparison);
  std::vector<RunSpans> first;
  if (!sides.empty()) first = spansOf(sides.front());
  std::vector<bool> comparable(sides.size());
  for (std::size_t i = 1; i < sides.size(); ++i) {
    Change& change = comparison.changes.emplace_back();
    comparable[i] = change.sameData = onOneDataset(configurations.front(), configurations[i]);
    if (!change.sameData) {
      comparison.notes.push_back("Run " + std::to_string(configurations[i].runs.front().id) +
                                 " is of other data: other work, so no changes.");
      continue;
    }
    change.deltaNs = comparison.epochs[i].meanNs - comparison.epochs[0].meanNs;
    change.interval = differenceInterval(epochTimes(sides[0]), epochTimes(sides[i]));
    addWaterfall(sides[0], sides[i], change);
    std::vector<RunSpans> other = spansOf(sides[i]);
    if (!first.empty() && !other.empty()) change.differences = differences(first, other);
  }
  for (std::size_t i = 0; i < sides.size(); ++i)
    comparison.layers.push_back(layerTableOf(configurations[i], sides[i], withSpans, comparison.notes));
  for (std::size_t i = 0; i < sides.size(); ++i)
    comparison.rankFacts.push_back(rankFactsOf(configurations[i], sides[i]));
  addTables(sides, comparison);
  addWaits(sides, comparable, comparison);
  return comparison;
}

}  // namespace halo
