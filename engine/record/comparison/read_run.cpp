#include "engine/record/comparison/read_run.h"

#include <algorithm>
#include <mutex>

#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/plain_text.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/comparison/comparison.h"
#include "engine/record/comparison/epoch_graph.h"
#include "engine/record/tables/epoch_times.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/span_lanes.h"
#include "engine/record/tables/spans.h"

namespace halo {
namespace {

struct PackedBlock {
  std::int64_t id;
  std::string bytes;
  std::int64_t claimed;  // spans, by its row
};

/// Unpacks the blocks of a rank up to the first that is damaged, which is named in `wrong`. Takes the room
/// that `lanes` have from the rank before.
void unpackLanes(const std::vector<PackedBlock>& blocks, SpanLanes& lanes, std::string& wrong) {
  const auto clear = [&] {
    for (std::vector<Span>& lane : lanes) lane.clear();
  };
  clear();
  for (const PackedBlock& block : blocks) {
    try {
      appendSpans(block.bytes, block.claimed, lanes);
    } catch (const RecordDamaged& error) {
      wrong = "row " + std::to_string(block.id) + " of span_block: " + error.what();
      return clear();
    }
  }
  for (std::vector<Span>& lane : lanes)
    if (!std::ranges::is_sorted(lane, {}, &Span::beginNs)) std::ranges::stable_sort(lane, {}, &Span::beginNs);
}

/// All that is made of the spans of some ranks.
struct OfSpans {
  PartsBySpans parts;
  TotalsOfSpans totals;
  WaitsOfSpans waits;
  EpochGraph graph;

  explicit OfSpans(const ReadRun& run)
      : parts(run.ranks, run.inScope),
        totals(run.ranks, run.inScope),
        waits(run.ranks, run.inScope),
        graph(run.inScope) {}
  void addRank(std::int64_t rank, const SpanLanes& lanes) {
    const std::vector<Span>& main = lanes[at(Lane::main)];
    const std::vector<Span>& wait = lanes[at(Lane::wait)];
    parts.addRank(main, wait);
    waits.addRank(main, wait);
    graph.addRank(rank, lanes);
    for (const Lane lane : {Lane::main, Lane::link, Lane::wait}) totals.add(lanes[at(lane)]);
  }
  void add(OfSpans others) {
    parts.add(others.parts);
    totals.add(others.totals);
    waits.add(std::move(others.waits));
    graph.add(others.graph);
  }
};

/// Of the longest kinds of waits.
void addGains(EpochGraph& graph, RunWaits& waits) {
  constexpr std::size_t kMost = 256;
  std::vector<std::pair<std::int64_t, WaitKind>> longest;
  for (const auto& [kind, stretches] : waits.kinds) {
    std::int64_t ns = 0;
    for (const WaitStretch& stretch : stretches) ns += stretch.endNs - stretch.beginNs;
    longest.emplace_back(ns, kind);
  }
  std::ranges::sort(longest, std::ranges::greater{});
  std::vector<WaitKind> kinds;
  for (const auto& [ns, kind] : longest)
    if (kinds.size() < kMost) kinds.push_back(kind);
  graph.order();
  const auto gains = graph.gainsNs(kinds);
  if (!gains) return;
  for (std::size_t k = 0; k < kinds.size(); ++k) waits.gainNs[kinds[k]] = (*gains)[k];
  waits.gainOfAllNs = gains->back();
}

/// The spans, rank by rank on several threads: each block is read and unpacked once for all that is made of
/// it. Returns the first damaged block of each rank that has one, for then nothing is made of them.
std::map<std::int64_t, std::string> readSpans(Database& recording, ReadRun& run) {
  const Spans table(recording);
  OfSpans all(run);
  std::map<std::int64_t, std::vector<std::int64_t>> blocksOfRank;
  for (const SpanBlockInfo& block : table.blocks(run.row.id))
    if (block.lane != Lane::phase) blocksOfRank[block.rank].push_back(block.id);
  std::mutex access;  // to the recording and to what is gathered
  std::vector<SpanLanes> spare;
  std::map<std::int64_t, std::string> damaged;
  std::vector<RankTimes> times = run.times;
  parallelBlocks(run.ranks, 1, [&](std::int64_t rank, std::int64_t) {
    std::vector<PackedBlock> packed;
    SpanLanes lanes;
    {
      const std::lock_guard lock(access);
      if (!spare.empty()) {
        lanes = std::move(spare.back());
        spare.pop_back();
      }
      for (const std::int64_t id : blocksOfRank[rank])
        table.loadRaw(id, [&](std::string_view bytes, std::int64_t claimed) {
          packed.push_back({id, std::string(bytes), claimed});
        });
    }
    std::string wrong;
    unpackLanes(packed, lanes, wrong);
    OfSpans ofRank(run);
    ofRank.addRank(rank, lanes);
    const std::vector<Span>& link = lanes[at(Lane::link)];
    RankTimes& ofTimes = times[at(rank)];
    ofTimes.bySpans = ofRank.parts.sums();
    if (!link.empty()) ofTimes.exchangeNs = exchangeNsOf(link, run.inScope);
    const std::lock_guard lock(access);
    all.add(std::move(ofRank));
    spare.push_back(std::move(lanes));
    if (!wrong.empty()) damaged[rank] = wrong;
  });
  if (!damaged.empty()) return damaged;
  run.times = std::move(times);
  run.bySpans = all.parts.parts();
  run.spans = all.totals.totals();
  run.waits = all.waits.waits();
  if (run.waits.explained) addGains(all.graph, run.waits);
  return {};
}

/// Why a run without epochs in scope has none, after its number.
std::string lackOf(Database& recording, const ReadRun& run) {
  if (!run.epochs.empty()) return " has no epoch in scope.";
  return modelledEpochNs(recording, run.row)
             ? " is simulated: one epoch, whose parts and spread are not recorded."
             : " recorded no epoch.";
}

}  // namespace

std::optional<double> modelledEpochNs(Database& recording, const RunRow& run) {
  if (run.kind != "simulation") return std::nullopt;
  const auto latest = Runs(recording).latest(run.id);
  const auto seconds = latest.find("epoch_seconds");
  return seconds == latest.end() || !(seconds->second > 0) ? std::nullopt
                                                           : std::optional(seconds->second * 1e9);
}

ReadRuns readRuns(const Configuration& configuration, const Scope& scope, bool withSpans,
                  Comparison& comparison) {
  Database& recording = *configuration.recording;
  ReadRuns runs;
  for (const RunRow& row : configuration.runs) {
    ReadRun run;
    run.row = row;
    run.ranks = trainingWorkers(row, Runs(recording).latest(row.id)).value_or(0);
    requireTimes(recording, row.id);
    run.epochs = Epochs(recording).epochs(row.id);
    run.inScope = epochsIn(run.epochs, scope);
    if (run.inScope.empty())
      comparison.notes.push_back("Run " + std::to_string(row.id) + lackOf(recording, run));
    if (run.epochs.empty()) continue;
    if (row.kind == "training") requireWorkers(recording, row.id, row.workers);
    run.layers = Epochs(recording).layers(row.id);
    for (const LayerRow& layer : run.layers) run.bytes[layer.epoch] += layer.bytesSent;
    if (run.inScope.empty()) {  // it learnt all the same
      runs.push_back(std::move(run));
      continue;
    }
    run.byRows = partsByRows(run.layers, run.ranks, run.inScope);
    run.workers = Runs(recording).workers(row.id);
    run.times.resize(static_cast<std::size_t>(run.ranks));
    const std::vector<PartSums> sums = sumsByRows(run.layers, run.ranks, run.inScope);
    for (std::size_t rank = 0; rank < sums.size(); ++rank) run.times[rank].byRows = sums[rank];
    run.traffic = trafficOf(run.ranks, run.inScope, Epochs(recording).messages(row.id), run.layers);
    if (withSpans)
      if (const auto damaged = readSpans(recording, run); !damaged.empty()) {
        comparison.damages.push_back(onOneLine(recording.file().string()) + ": the spans of run " +
                                     std::to_string(row.id) + " are left out, for they are damaged: worker " +
                                     std::to_string(damaged.begin()->first) + ", " + damaged.begin()->second +
                                     "; `haloscope check` lists all damaged blocks");
        comparison.damagedRuns.push_back(row.id);
        comparison.notes.push_back(comparison.damages.back());
      }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace halo
