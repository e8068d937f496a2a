#include "engine/record/comparison/comparison.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "engine/base/parallel.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"

namespace halo {
namespace {

/// One run with what is read of it once.
struct ReadRun {
  RunRow row;
  std::int64_t ranks = 0;  // that train; 0: a simulated device, whose lanes are no workers
  std::vector<EpochRow> all, inScope;
  std::map<std::int64_t, std::int64_t> bytes;  // sent by all ranks in each epoch
  std::optional<RunParts> bySpans, byRows;
  RunSpans spans;
};
using ReadRuns = std::vector<ReadRun>;

/// The spans of one rank by lane, each by begin.
using Lanes = std::array<std::vector<Span>, kLanes>;

/// Unpacks the blocks of a rank. What is damaged is left out and named in `notes`.
Lanes lanesOf(const std::vector<std::string>& blocks, std::vector<std::string>& notes) {
  Lanes lanes;
  for (const std::string& block : blocks) {
    try {
      const std::vector<Span> spans = unpackSpans(block);
      if (spans.empty()) continue;
      std::vector<Span>& lane = lanes[static_cast<std::size_t>(spans.front().lane)];
      lane.insert(lane.end(), spans.begin(), spans.end());
    } catch (const RecordDamaged& error) {
      notes.emplace_back(error.what());
    }
  }
  for (std::vector<Span>& lane : lanes)
    if (!std::ranges::is_sorted(lane, {}, &Span::beginNs)) std::ranges::stable_sort(lane, {}, &Span::beginNs);
  return lanes;
}

/// The spans, rank by rank on several threads: each block is read and unpacked once for all that is made of
/// it.
void readSpans(Database& recording, ReadRun& run, std::vector<std::string>& notes) {
  const Spans table(recording);
  PartsBySpans parts(run.ranks, run.inScope);
  TotalsOfSpans totals(run.ranks, run.inScope);
  std::map<std::int64_t, std::vector<std::int64_t>> blocksOfRank;
  for (const SpanBlockInfo& block : table.blocks(run.row.id))
    if (block.lane == Lane::main || block.lane == Lane::link || block.lane == Lane::wait)
      blocksOfRank[block.rank].push_back(block.id);
  std::mutex one;  // of the recording and what is gathered
  bool damaged = false;
  parallelBlocks(run.ranks, 1, [&](std::int64_t rank, std::int64_t) {
    std::vector<std::string> packed, wrong;
    {
      const std::lock_guard lock(one);
      for (const std::int64_t id : blocksOfRank[rank])
        table.loadRaw(id, [&](std::string_view bytes) { packed.emplace_back(bytes); });
    }
    const Lanes lanes = lanesOf(packed, wrong);
    PartsBySpans ofRank(run.ranks, run.inScope);
    TotalsOfSpans totalsOfRank(run.ranks, run.inScope);
    ofRank.addRank(lanes[static_cast<std::size_t>(Lane::main)], lanes[static_cast<std::size_t>(Lane::wait)]);
    for (const std::vector<Span>& lane : lanes) totalsOfRank.add(lane);
    const std::lock_guard lock(one);
    parts.add(ofRank);
    totals.add(totalsOfRank);
    damaged = damaged || !wrong.empty();
    for (const std::string& sentence : wrong)
      notes.push_back("Run " + std::to_string(run.row.id) + ", worker " + std::to_string(rank) + ": " +
                      sentence);
  });
  if (!damaged) run.bySpans = parts.parts();
  run.spans = totals.totals();
}

/// Without the runs that have no epoch in scope, of which `notes` tells.
ReadRuns readSide(const Configuration& configuration, const Scope& scope, bool withSpans,
                  std::vector<std::string>& notes) {
  Database& recording = *configuration.recording;
  ReadRuns side;
  for (const RunRow& row : configuration.runs) {
    ReadRun run;
    run.row = row;
    run.ranks = trainingWorkers(row, Runs(recording).latest(row.id)).value_or(0);
    run.all = Epochs(recording).epochs(row.id);
    run.inScope = epochsIn(run.all, scope);
    if (run.inScope.empty()) {
      notes.push_back("Run " + std::to_string(row.id) +
                      (run.all.empty() ? " recorded no epoch." : " has no epoch in scope."));
      continue;
    }
    const std::vector<LayerRow> layers = Epochs(recording).layers(row.id);
    for (const LayerRow& layer : layers) run.bytes[layer.epoch] += layer.bytesSent;
    run.byRows = partsByRows(layers, run.ranks, run.inScope);
    if (withSpans) readSpans(recording, run, notes);
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

/// The mean epoch of every side by the finest source that all have.
void addMeans(const std::vector<ReadRuns>& sides, Comparison& comparison) {
  for (const auto parts : {&ReadRun::bySpans, &ReadRun::byRows}) {
    comparison.means.clear();
    for (const ReadRuns& side : sides)
      if (const std::vector<RunParts> all = partsOf(side, parts); !all.empty())
        comparison.means.push_back(meanEpoch(all));
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

void addAccuracy(const std::vector<ReadRuns>& sides, std::optional<double> accuracy, Comparison& comparison) {
  std::vector<ScoredRun> all;
  for (const ReadRuns& side : sides)
    for (const ReadRun& run : side) all.push_back({run.all, run.bytes});
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
    for (const ReadRun& run : side)
      to.runs.push_back({run.row.id, reached(*next++, *comparison.score, comparison.accuracy)});
  }
}

}  // namespace

Comparison compareConfigurations(const std::vector<Configuration>& configurations, const Scope& scope,
                                 std::optional<double> accuracy, bool withSpans) {
  Comparison comparison;
  std::vector<ReadRuns> sides;
  for (const Configuration& configuration : configurations) {
    sides.push_back(readSide(configuration, scope, withSpans, comparison.notes));
    comparison.epochs.push_back(figuresOf(sides.back()));
  }
  addMeans(sides, comparison);
  std::vector<RunSpans> first;
  if (!sides.empty()) first = spansOf(sides.front());
  for (std::size_t i = 1; i < sides.size(); ++i) {
    Change& change = comparison.changes.emplace_back();
    if (!onOneDataset(configurations.front(), configurations[i])) {
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
  addAccuracy(sides, accuracy, comparison);
  return comparison;
}

}  // namespace halo
