#include "views/recording/run_data.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "engine/base/index.h"
#include "engine/base/median.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/analysis/unlike.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/epoch_times.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "views/recording/names_apart.h"
#include "views/recording/shown_lanes.h"

namespace halo {

namespace {

/// `before`: sums of earlier rows.
std::vector<MessageRow> summed(const std::vector<MessageRow>& before, const std::vector<MessageRow>& rows) {
  std::map<std::tuple<std::int64_t, Pass, std::int64_t, std::int64_t>, MessageRow> sums;
  for (const MessageRow& sum : before) sums[{sum.layer, sum.pass, sum.source, sum.target}] = sum;
  for (const MessageRow& row : rows) {
    MessageRow& sum = sums[{row.layer, row.pass, row.source, row.target}];
    sum.epoch = -1;
    sum.layer = row.layer;
    sum.pass = row.pass;
    sum.source = row.source;
    sum.target = row.target;
    sum.messages += row.messages;
    sum.bytes += row.bytes;
    sum.predictedBytes += row.predictedBytes;
    if (row.predictedMessages)
      sum.predictedMessages = sum.predictedMessages.value_or(0) + *row.predictedMessages;
  }
  std::vector<MessageRow> result;
  for (const auto& [key, sum] : sums) result.push_back(sum);
  return result;
}

TimeRange extentOf(const std::vector<SpanBlockInfo>& blocks) {
  TimeRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const SpanBlockInfo& block : blocks) {
    range.beginNs = std::min(range.beginNs, block.firstNs);
    range.endNs = std::max(range.endNs, block.lastNs);
  }
  return blocks.empty() ? TimeRange{} : range;
}

/// Actors do their parts side by side: each counts as one more rank, below the others. How many there are
/// then.
std::int64_t actorsBelow(std::int64_t ranks, std::vector<SpanBlockInfo>& blocks) {
  constexpr std::int64_t kMostActors = 10'000;  // more has a damaged recording alone
  std::int64_t all = ranks;
  for (SpanBlockInfo& block : blocks) {
    if (!block.actor || *block.actor >= kMostActors) continue;
    block.rank = ranks + *block.actor;
    all = std::max(all, block.rank + 1);
  }
  return all;
}

/// Throws RecordDamaged at a block that cannot be read, or with `leftOut` goes on without it and says so
/// there.
std::vector<Span> spansWithin(const Spans& spans, const std::vector<SpanBlockInfo>& blocks, std::int64_t rank,
                              std::optional<Lane> lane, TimeRange range,
                              std::vector<std::string>* leftOut = nullptr) {
  std::vector<Span> within;
  for (const SpanBlockInfo& block : blocks)
    if (block.rank == rank && (!lane || block.lane == *lane) && block.firstNs < range.endNs &&
        block.lastNs > range.beginNs)
      try {
        const std::vector<Span> loaded = spans.load(block.id);
        within.insert(within.end(), loaded.begin(), loaded.end());
      } catch (const RecordDamaged& error) {
        if (!leftOut) throw;
        leftOut->push_back(std::string("left out: ") + error.what());
      }
  return within;
}

/// The part that fills most of it.
template <class Parts>
auto largest(const Parts& parts) {
  return *std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
}

/// A stretch of a lane: how much of it each kind is at work, and what is waited for.
struct Stretch {
  std::map<Kind, double> work;
  std::map<Name, double> waits;
};

/// By its largest kind, and in eighths how much is at work at all: nothing that is there becomes none.
std::optional<LaneBox> workIn(const Stretch& stretch) {
  if (stretch.work.empty()) return std::nullopt;
  double all = 0;
  for (const auto& [kind, part] : stretch.work) all += part;
  return LaneBox{.kind = largest(stretch.work).first, .share = std::clamp(std::round(all * 8), 1.0, 8.0) / 8};
}

/// Where it is a quarter or more, as in the window.
std::optional<LaneBox> waitIn(const Stretch& stretch) {
  double all = 0;
  for (const auto& [cause, part] : stretch.waits) all += part;
  if (all < 0.25) return std::nullopt;
  return LaneBox{.kind = Kind::idle, .waits = largest(stretch.waits).first};
}

/// What is at work in each of `columns` stretches, and what is waited for; neighbours alike become one box.
void coalesce(const std::vector<Span>& spans, std::int64_t rank, Lane lane, int columns, LanesData& data) {
  const double stretch = static_cast<double>(data.range.lengthNs()) / columns;
  std::vector<Stretch> filled(at(columns));
  for (const Span& span : spans) {
    const double from = std::max(0.0, static_cast<double>(span.beginNs - data.range.beginNs) / stretch);
    const double to =
        std::min<double>(columns, static_cast<double>(span.endNs() - data.range.beginNs) / stretch);
    for (auto c = static_cast<std::size_t>(from); c < at(columns) && static_cast<double>(c) < to; ++c)
      (span.kind == Kind::idle ? filled[c].waits[span.name] : filled[c].work[span.kind]) +=
          std::min(to, static_cast<double>(c) + 1) - std::max(from, static_cast<double>(c));
  }
  const auto place = [&](std::size_t c) {
    return data.range.beginNs + static_cast<std::int64_t>(static_cast<double>(c) * stretch);
  };
  for (const auto boxIn : {workIn, waitIn}) {
    bool open = false;
    for (std::size_t c = 0; c < filled.size(); ++c) {
      const std::optional<LaneBox> box = boxIn(filled[c]);
      const auto alike = [&](const LaneBox& other) {
        return std::tie(box->kind, box->waits, box->share) == std::tie(other.kind, other.waits, other.share);
      };
      if (box && !(open && alike(data.boxes.back())))
        data.boxes.push_back({rank, lane, place(c), 0, box->kind, box->waits, box->share});
      if (box) data.boxes.back().endNs = place(c + 1);
      open = box.has_value();
    }
  }
}

/// `before` with the rows from epoch `from` on read again: those of an epoch under way grow.
BatchRows batchesFrom(Database& database, std::int64_t run, std::int64_t from, BatchRows before) {
  const Iterations table(database);
  const auto renew = [from](auto& rows, const auto& fresh) {
    std::erase_if(rows, [from](const auto& row) { return row.epoch >= from; });
    rows.insert(rows.end(), fresh.begin(), fresh.end());
  };
  renew(before.iterations, table.iterations(run, from));
  renew(before.blocks, table.blocks(run, from));
  renew(before.caches, table.caches(run, from));
  const Hybrid node(database);
  renew(before.stages, node.stages(run, from));
  before.decisions = node.decisions(run);  // judged later than they are made
  return before;
}

}  // namespace

namespace {

/// Of a foreign recording a text may be longer than anybody reads, and laying it out takes minutes.
void cutTexts(RunRow& run) {
  constexpr std::size_t kLongest = 2000;  // bytes; our own names have 500 at most
  for (std::string* text :
       {&run.name, &run.method, &run.dataset, &run.model, &run.error, &run.marks, &run.host, &run.tags})
    if (text->size() > kLongest) *text = shortened(*text, kLongest);
}

}  // namespace

RunsData readRuns(Database& database, const RunsReached& reached) {
  Runs table(database);
  RunsData data{table.all(), table.latestOfAll(), {}, {}};
  std::ranges::for_each(data.runs, cutTexts);
  const auto all = std::ssize(data.runs);
  const auto tell = [&](std::int64_t runs) {
    constexpr std::int64_t kEvery = 100;
    if (reached && (runs % kEvery == 0 || runs == all)) reached(runs, all);
  };
  for (const RunRow& run : data.runs)
    if (run.experimentId > 0 && !data.experiments.contains(run.experimentId)) {  // 0: a run without one
      ExperimentRow row = table.experiment(run.experimentId);
      if (row.text.find("[[published]]") == std::string::npos) row.text.clear();
      data.experiments.emplace(run.experimentId, std::move(row));
    }
  if (std::ranges::any_of(data.runs, [](const RunRow& run) { return run.kind == "simulation"; }) ||
      table.anyHas("cluster.wire.bandwidth_gbit"))
    for (const RunRow& run : data.runs) {
      tell(std::ssize(data.parameters));
      data.parameters.emplace(run.id, table.parameters(run.id, kComparedSections));
    }
  tell(all);
  for (const RunRow& run : data.runs)
    if (const auto from = data.experiments.find(run.experimentId);
        from != data.experiments.end() && !from->second.text.empty())
      data.publishedSettings.emplace(run.id, table.parameters(run.id));
  data.unlike = table.unlikeParameters();
  for (auto& [run, keys] : data.unlike)
    std::erase_if(keys, [](const auto& key) { return !touchesComparison(key.first); });
  data.namesApart = namesApart(data);
  return data;
}

RunData readRun(Database& database, std::int64_t run, const RunData* before) {
  const Transaction oneState(database, Hold::read);  // else messages could be of epochs not yet seen
  Runs runs(database);
  const auto row = runs.find(run);
  if (!row)
    throw DamagedInput(Problem{
        .file = database.file().string(),
        .key = "run",
        .message = "there is no run " + std::to_string(run) + "; `haloscope list` names those there are"});
  RunData data;
  data.run = *row;
  cutTexts(data.run);
  if (row->experimentId > 0) data.experimentText = runs.experiment(row->experimentId).text;
  data.parameters = runs.parameters(run);
  data.latest = runs.latest(run);
  data.workers = runs.workers(run);
  requireWorkers(database, run, row->workers);
  const Epochs epochs(database);
  // a recording may have been replaced by another one with a run of that number
  const bool same = before != nullptr && before->run.id == run && before->run.startedAt == row->startedAt &&
                    before->run.fingerprint == row->fingerprint;
  if (same) data.epochs = before->epochs, data.messages = before->messages;
  if (!same) requireTimes(database, run);
  const std::int64_t from = data.epochs.empty() ? INT64_MIN : data.epochs.back().epoch + 1;
  if (data.epochs.empty()) data.messages.clear();
  const std::vector<EpochRow> fresh = epochs.epochs(run, from);
  data.epochs.insert(data.epochs.end(), fresh.begin(), fresh.end());
  data.messages = summed(data.messages, epochs.messages(run, from));
  if (data.parameters.contains(kIterationsEvery) || row->kind == "simulation")
    data.batches = batchesFrom(database, run, from, same ? before->batches : BatchRows());
  if (!data.batches.stages.empty()) data.actors = Hybrid(database).actors(run);
  for (const SpanBlockInfo& block : Spans(database).blocks(run))
    if (isShown(block.lane)) data.spans += block.count;
  if (const auto log = runs.artifact(run, "log")) data.log = log->bytes;
  if (const auto launch = runs.artifact(run, "launch")) data.launch = launch->bytes;
  return data;
}

BreakdownData readBreakdown(Database& database, std::int64_t run, std::int64_t ranks, TimeRange range,
                            const std::function<bool()>& stop) {
  const Spans spans(database);
  std::vector<SpanBlockInfo> blocks = spans.blocks(run);
  requireWorkers(database, run, ranks);
  const std::int64_t lanes = actorsBelow(ranks, blocks);
  if (range.empty()) range = extentOf(blocks);
  BreakdownData data{range, {}, !blocks.empty() && !range.empty()};
  if (!data.measured) return data;
  for (std::int64_t rank = 0; rank < lanes && !(stop && stop()); ++rank) {
    Breakdown parts;
    try {
      parts = breakdown(spansWithin(spans, blocks, rank, {}, range), range.beginNs, range.endNs);
    } catch (const RecordDamaged& error) {
      data.leftOut.push_back("worker " + std::to_string(rank) + " is left out: " + error.what());
    }
    data.ranks.push_back(parts);
  }
  return data;
}

BreakdownData divided(BreakdownData data, double divisor) {
  if (divisor == 1) return data;
  data.range = {dividedNs(data.range.beginNs, divisor), dividedNs(data.range.endNs, divisor)};
  for (Breakdown& rank : data.ranks) {
    if (rank.totalNs() == 0) continue;  // left out
    std::int64_t* const parts[] = {&rank.computeNs,     &rank.quantiseNs, &rank.exchangeWaitNs,
                                   &rank.synchroniseNs, &rank.otherNs,    &rank.idleNs};
    for (std::int64_t* part : parts) *part = dividedNs(*part, divisor);
    **std::ranges::max_element(parts, {}, [](const std::int64_t* part) { return *part; }) +=
        data.range.lengthNs() - rank.totalNs();  // what rounding left
    rank.hiddenNs = dividedNs(rank.hiddenNs, divisor);
    for (auto* causes : {&rank.waitedNs, &rank.reasonNs})
      for (auto& [cause, ns] : *causes) ns = dividedNs(ns, divisor);
  }
  return data;
}

LanesData readLanes(Database& database, std::int64_t run, std::int64_t ranks, TimeRange range, int columns) {
  const Spans spans(database);
  std::vector<SpanBlockInfo> blocks = spans.blocks(run);
  const std::int64_t lanes = actorsBelow(ranks, blocks);
  const TimeRange extent = extentOf(blocks);
  LanesData data{range.empty() ? extent : range, {}, false};
  data.complete = data.range.beginNs <= extent.beginNs && data.range.endNs >= extent.endNs;
  if (data.range.empty()) return data;
  for (std::int64_t rank = 0; rank < lanes; ++rank)
    for (const Lane lane : {Lane::main, Lane::link}) {
      const std::vector<Span> within = spansWithin(spans, blocks, rank, lane, data.range, &data.leftOut);
      if (within.size() > at(columns)) {
        coalesce(within, rank, lane, columns, data);
        data.coalesced = true;
        continue;
      }
      for (const Span& span : within)
        if (span.beginNs < data.range.endNs && span.endNs() > data.range.beginNs)
          data.boxes.push_back({rank, lane, std::max(span.beginNs, data.range.beginNs),
                                std::min(span.endNs(), data.range.endNs), span.kind,
                                span.kind == Kind::idle ? std::optional(span.name) : std::nullopt});
    }
  return data;
}

std::string engineName(const WorkerRow& worker) {
  if (worker.role == WorkerRow{}.role) return "";
  const auto device = worker.role.rfind(": ");
  return device == std::string::npos ? worker.role : worker.role.substr(device + 2);
}

std::vector<std::string> engineNames(const RunData& data, std::size_t ranks) {
  std::vector<std::string> names(ranks);
  for (const WorkerRow& worker : data.workers)
    if (const auto rank = at(worker.rank); rank < ranks) names[rank] = engineName(worker);
  for (const ActorRow& actor : data.actors) {
    const auto rank = at(data.run.workers + actor.actor);
    if (rank < ranks) names[rank] = actor.name;
  }
  return names;
}

bool ofDevices(const RunData& data) {
  return data.run.kind == "simulation" && !data.latest.contains("simulated_workers");
}

std::vector<Name> waitsOf(const BreakdownData& data) {
  std::set<Name> names;
  for (const Breakdown& rank : data.ranks)
    for (const auto* causes : {&rank.waitedNs, &rank.reasonNs})
      for (const auto& [name, ns] : *causes) names.insert(name);
  return {names.begin(), names.end()};
}

std::string simulatedExtent(const RunData& data) {
  const auto valueOf = [&](const char* key) {
    const auto parameter = data.parameters.find(key);
    return parameter == data.parameters.end() ? std::string() : parameter->second;
  };
  if (data.run.kind != "simulation") return "";
  if (valueOf("simulate.workload") == "\"inference\"") return "one inference";
  if (valueOf("simulate.kind") == "\"platform\"")
    return valueOf("result.shown_iterations") == "1" ? "one iteration"
                                                     : valueOf("result.shown_iterations") + " iterations";
  if (const std::string epochs = valueOf("result.epochs"); !epochs.empty() && epochs != "1")
    return "one epoch, the first of " + epochs + " that its time is the mean of";
  return "one epoch";
}

std::map<std::int64_t, double> clocksOf(const std::vector<WorkerRow>& workers,
                                        const std::map<std::string, std::string>& parameters) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kClocks = {
      {{"pipeline: sparse", "sparse.freq_mhz"},
       {"pipeline: dense", "dense.freq_mhz"},
       {"", "device.freq_mhz"}}};
  std::map<std::int64_t, double> clocks;
  for (const WorkerRow& worker : workers) {
    const auto key =
        std::ranges::find_if(kClocks, [&](const auto& c) { return worker.role.starts_with(c.first); });
    const auto frequency = parameters.find(key->second);
    if (frequency == parameters.end()) continue;
    double mhz = 0;
    const std::string& text = frequency->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mhz);
    if (error == std::errc() && std::isfinite(mhz) && mhz > 0) clocks[worker.rank] = mhz;
  }
  return clocks;
}

double secondsAt(const RunData& data, std::size_t i) {
  const EpochRow& row = data.epochs[i];
  return static_cast<double>(row.beginNs + row.wallNs - data.epochs.front().beginNs) * 1e-9;
}

std::int64_t medianEpochNs(const RunData& data) {
  std::vector<std::int64_t> times;
  for (const EpochRow& row : data.epochs)
    if ((row.epoch > 0 && !row.filling) || data.epochs.size() == 1) times.push_back(row.wallNs);
  return times.empty() ? 0 : static_cast<std::int64_t>(median(std::move(times)));
}

}  // namespace halo
