#include "engine/record/comparison/read_run.h"

#include <algorithm>
#include <atomic>
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

/// Unpacks blocks of a rank up to the first that is damaged, which is named in `wrong`; none of them counts
/// then.
void unpackLanes(const std::vector<PackedBlock>& blocks, SpanLanes& lanes, std::string& wrong) {
  for (const PackedBlock& block : blocks) {
    try {
      appendSpans(block.bytes, block.claimed, lanes);
    } catch (const RecordDamaged& error) {
      wrong = "row " + std::to_string(block.id) + " of span_block: " + error.what();
      for (std::vector<Span>& lane : lanes) lane.clear();
      return;
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
  /// Without what it sent.
  void addRank(std::int64_t rank, const SpanLanes& lanes) {
    const std::vector<Span>& main = lanes[at(Lane::main)];
    const std::vector<Span>& wait = lanes[at(Lane::wait)];
    parts.addRank(main, wait);
    waits.addRank(main, wait);
    graph.addWaits(rank, lanes);
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

/// Where the spans of a run stand.
struct BlocksOfRun {
  std::map<std::int64_t, std::vector<std::int64_t>> times, messages;  // of each rank
  bool explained = false;                                             // the run recorded why it waited
};

BlocksOfRun blocksOf(const Spans& table, std::int64_t run) {
  BlocksOfRun blocks;
  for (const SpanBlockInfo& block : table.blocks(run)) {
    if (block.lane == Lane::phase) continue;
    (block.lane == Lane::message ? blocks.messages : blocks.times)[block.rank].push_back(block.id);
    if (block.lane == Lane::wait) blocks.explained = true;
  }
  return blocks;
}

/// Reads the spans of a run rank by rank, on several threads: each block is read and unpacked once for all
/// that is made of it. Gains alone need what is known of messages, so that is left packed where there are
/// none.
class SpanReading {
 public:
  SpanReading(Database& recording, ReadRun& run)
      : table_(recording), run_(run), blocks_(blocksOf(table_, run.row.id)), all_(run), times_(run.times) {}

  /// Returns the first damaged block of each rank that has one, for then nothing is made of them.
  std::map<std::int64_t, std::string> read() {
    parallelBlocks(run_.ranks, 1, [this](std::int64_t rank, std::int64_t) { readRank(rank); });
    if (!damaged_.empty()) return damaged_;
    run_.times = std::move(times_);
    run_.bySpans = all_.parts.parts();
    run_.spans = all_.totals.totals();
    run_.waits = all_.waits.waits();
    if (run_.waits.explained) addGains(all_.graph, run_.waits);
    return {};
  }

 private:
  void readRank(std::int64_t rank) {
    std::string wrong;
    SpanLanes lanes = spareLanes();
    for (std::vector<Span>& lane : lanes) lane.clear();
    unpackLanes(packed(blocks_.times, rank), lanes, wrong);
    OfSpans ofRank(run_);
    ofRank.addRank(rank, lanes);
    const std::vector<Span>& link = lanes[at(Lane::link)];
    RankTimes& ofTimes = times_[at(rank)];
    ofTimes.bySpans = ofRank.parts.sums();
    if (!link.empty()) ofTimes.exchangeNs = exchangeNsOf(link, run_.inScope);
    if (wrong.empty() && hasGains(ofRank.graph)) {
      unpackLanes(packed(blocks_.messages, rank), lanes, wrong);
      ofRank.graph.addSends(rank, lanes[at(Lane::message)]);
    }
    const std::lock_guard lock(access_);
    all_.add(std::move(ofRank));
    spare_.push_back(std::move(lanes));
    if (!wrong.empty()) damaged_[rank] = wrong;
  }

  /// There may be gains: reasons are recorded, and the steps of the ranks so far are not too many.
  bool hasGains(const EpochGraph& ofRank) {
    return (steps_ += ofRank.steps()) <= EpochGraph::kMostSteps && blocks_.explained;
  }

  /// With the room that those of an earlier rank had.
  SpanLanes spareLanes() {
    const std::lock_guard lock(access_);
    if (spare_.empty()) return {};
    SpanLanes lanes = std::move(spare_.back());
    spare_.pop_back();
    return lanes;
  }

  std::vector<PackedBlock> packed(const std::map<std::int64_t, std::vector<std::int64_t>>& blocks,
                                  std::int64_t rank) {
    std::vector<PackedBlock> packed;
    const auto ids = blocks.find(rank);
    if (ids == blocks.end()) return packed;
    const std::lock_guard lock(access_);
    for (const std::int64_t id : ids->second)
      table_.loadRaw(id, [&](std::string_view bytes, std::int64_t claimed) {
        packed.push_back({id, std::string(bytes), claimed});
      });
    return packed;
  }

  const Spans table_;
  ReadRun& run_;
  const BlocksOfRun blocks_;
  std::mutex access_;  // to the recording and to what is gathered
  OfSpans all_;
  std::vector<SpanLanes> spare_;
  std::map<std::int64_t, std::string> damaged_;
  std::vector<RankTimes> times_;
  std::atomic<std::size_t> steps_ = 0;  // of all ranks so far, without what they sent
};

/// Why a run without epochs in scope has none, after its number.
std::string lackOf(Database& recording, const ReadRun& run) {
  if (!run.all.empty()) return " has no epoch in scope.";
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
    run.all = Epochs(recording).epochs(row.id);
    run.inScope = epochsIn(run.all, scope);
    if (run.inScope.empty())
      comparison.notes.push_back("Run " + std::to_string(row.id) + lackOf(recording, run));
    if (run.all.empty()) continue;
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
      if (const auto damaged = SpanReading(recording, run).read(); !damaged.empty()) {
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
