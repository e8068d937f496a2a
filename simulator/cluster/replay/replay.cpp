#include "simulator/cluster/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "simulator/cluster/plans/rounds.h"
#include "simulator/cluster/plans/schedule.h"
#include "simulator/cluster/replay/recorded_times.h"

namespace halo::cluster {
namespace {

using PassKey = std::pair<int, Pass>;

[[noreturn]] void refuse(std::int64_t run, const std::string& why) {
  throw InputError(Problem{.key = "replay", .message = "run " + std::to_string(run) + " " + why});
}

/// A recorded text without its quotes.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// 0 where it is not recorded.
double numberOf(const std::map<std::string, std::string>& recorded, const std::string& key,
                const std::function<void(const std::string&)>& damaged) {
  const auto entry = recorded.find(key);
  if (entry == recorded.end()) return 0;
  double number = 0;
  const char* end = entry->second.data() + entry->second.size();
  const auto [last, error] = std::from_chars(entry->second.data(), end, number);
  if (error != std::errc() || last != end || !std::isfinite(number) || number < 0)
    damaged(fmt::format("parameter {}: {} is no number of 0 or more", key, entry->second));
  return number;
}

/// Layers with one element of everything: what writeSteps makes of them has the order, and no figures.
ModelShape skeleton(const RecordedTimes& times, const TrafficOf& traffic, std::int64_t sumBytes) {
  int layers = 0;
  for (const auto& [key, rankTimes] : times) layers = std::max(layers, key.first + 1);
  for (const auto& [key, exchanges] : traffic) layers = std::max(layers, key.first + 1);
  ModelShape shape;
  shape.weights = sumBytes / std::int64_t{sizeof(Scalar)};
  for (int l = 0; l < layers; ++l) {
    LayerShape layer;
    layer.propagated = layer.returned = 1 << 20;  // wide enough that every slice has some
    layer.finishFlop = layer.backwardFinishFlop = 1;
    const auto back = times.find({l, Pass::backward});
    layer.backward = traffic.contains({l, Pass::backward}) ||
                     (back != times.end() &&
                      std::ranges::any_of(back->second, [](const StepTimes& t) { return t.sparse > 0; }));
    shape.layers.push_back(layer);
  }
  return shape;
}

/// What steps of one kind weigh beside each other: sums by the entries of the skeleton, others alike.
std::vector<std::int64_t> weightsOf(const Plan& plan, const std::vector<std::size_t>& steps) {
  std::vector<std::int64_t> weights(steps.size(), 1);
  if (steps.size() > 1 && plan.steps[steps.front()].op == Op::sparse)
    std::ranges::transform(steps, weights.begin(),
                           [&](std::size_t step) { return plan.steps[step].entries[0]; });
  return weights;
}

/// Puts the measured times into the steps of their pass and kind, by weightsOf() where there are several.
/// Times without such a step go into one of their own before the gradients' sum.
void fill(const RecordedTimes& times, Plan& plan) {
  std::map<std::pair<PassKey, Op>, std::vector<std::size_t>> steps;
  for (std::size_t s = 0; s < plan.steps.size(); ++s)
    if (computes(plan.steps[s].op))
      steps[{{plan.steps[s].layer, plan.steps[s].pass}, plan.steps[s].op}].push_back(s);
  for (auto& [key, indices] : steps)
    for (const std::size_t s : indices) plan.steps[s].measuredNs = PerRank();
  std::vector<std::int64_t> rest(at(plan.ranks), 0);
  for (const auto& [key, ranks] : times)
    for (const Op op : {Op::sparse, Op::dense, Op::pack, Op::quantise}) {
      std::vector<std::int64_t> ns;
      for (const StepTimes& rank : ranks) ns.push_back(rank.nsOf(op));
      const auto entry = steps.find({key, op});
      if (entry == steps.end()) {
        for (std::size_t r = 0; r < ns.size(); ++r) rest[r] += ns[r];
        continue;
      }
      const std::vector<std::int64_t> weights = weightsOf(plan, entry->second);
      const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
      for (std::int64_t part = 0, before = 0; part < std::ssize(weights); ++part) {
        const std::int64_t after = before + weights[at(part)];
        std::vector<std::int64_t> share;
        for (const std::int64_t time : ns) share.push_back(time * after / all - time * before / all);
        plan.steps[entry->second[at(part)]].measuredNs = PerRank(std::move(share));
        before = after;
      }
    }
  Step step;
  step.op = Op::dense;
  step.measuredNs = PerRank(std::move(rest));
  const auto sum = std::ranges::find(plan.steps, Op::allReduce, &Step::op);
  plan.steps.insert(sum, std::move(step));
}

/// The run itself, as a point beside simulated ones.
ClusterResult measuredPoint(const std::vector<EpochRow>& epochs, const std::vector<LayerRow>& rows,
                            const std::vector<WorkerRow>& workers, std::int64_t firstEpoch, int ranks) {
  ClusterResult point;
  point.kind = PointClass::measured;
  point.engine = "run";
  point.ranks = ranks;
  std::vector<std::int64_t> wall;
  for (const EpochRow& epoch : epochs)
    if (epoch.epoch >= firstEpoch) wall.push_back(epoch.wallNs);
  point.epochNs = static_cast<double>(medianNs(wall));
  std::set<std::int64_t> covered;
  TimeShares sum;
  for (const LayerRow& row : rows) {
    if (row.epoch < firstEpoch) continue;
    covered.insert(row.epoch);
    sum.sparseNs += static_cast<double>(row.aggregateNs);
    sum.denseNs += static_cast<double>(row.updateNs + row.activationNs + row.lossNs + row.optimizerNs);
    sum.packNs += static_cast<double>(row.gatherNs + row.sampleNs);
    sum.quantiseNs += static_cast<double>(row.quantiseNs);
    sum.waitNs += static_cast<double>(row.exchangeWaitNs);
    sum.reduceNs += static_cast<double>(row.synchroniseNs);
  }
  const double scale = 1.0 / (static_cast<double>(std::max<std::size_t>(covered.size(), 1)) * ranks);
  for (double* share :
       {&sum.sparseNs, &sum.denseNs, &sum.packNs, &sum.quantiseNs, &sum.waitNs, &sum.reduceNs})
    *share *= scale;
  sum.idleNs = std::max(0.0, point.epochNs - sum.totalNs());
  point.shares = sum;
  for (const WorkerRow& worker : workers)
    point.memoryBytes = std::max(point.memoryBytes, worker.featureBytes);
  return point;
}

}  // namespace

Values recordedParameters(const MethodEntry& method, const std::map<std::string, std::string>& recorded,
                          const std::function<void(const std::string&)>& damaged) {
  Values values = fallbacks(method.declaration.parameters);
  for (const Parameter& parameter : method.declaration.parameters) {
    const auto entry = recorded.find("run." + std::string(parameter.key));
    if (entry == recorded.end()) continue;
    std::string wrong = "it is no value";
    std::optional<Value> value;
    try {
      const toml::table table = parseToml("value = " + entry->second, "");
      if (const toml::node* node = table.get("value")) value = readValue(parameter, *node, wrong);
    } catch (const InputError& error) {
      wrong = error.problems().front().message;
    }
    if (!value)
      damaged(fmt::format("parameter {}: {} cannot be used: {}", entry->first, entry->second, wrong));
    else
      values.insert_or_assign(std::string(parameter.key), std::move(*value));
  }
  return values;
}

namespace {

struct Trained {
  RunRow run;
  const MethodEntry* method;
};
/// Refuses what did not train, or by a method that is not known here.
Trained trainedRun(const Runs& runs, std::int64_t number) {
  const auto run = runs.find(number);
  if (!run) refuse(number, "is not in this recording; see `haloscope list`");
  if (run->kind != "training") refuse(number, "is a simulation; replayed is what trained");
  const MethodEntry* method = find<MethodEntry>(run->method);
  if (method == nullptr)
    refuse(number, "trained with '" + run->method + "', which this version does not know");
  return {*run, method};
}

/// The order of its work; refuses what cannot be laid out.
MethodStyle styleOfRun(const RunRow& run, const RunSettings& settings, int ranks) {
  MethodStyle style = styleOf(settings, ranks);
  if (!style.unknown.empty())
    refuse(run.id, "is of " + run.method + ", whose time is not laid out: " + style.unknown);
  if (find<MethodEntry>(run.method)->sampled)
    refuse(run.id, "is of " + run.method +
                       ", which trains on mini-batches; [[simulate]] cluster draws them anew, replay cannot");
  if (style.order == ExchangeOrder::relayed)
    refuse(run.id, "is of " + run.method +
                       ", whose messages go in two stages, and the ledger does not say which went when");
  return style;
}

/// The order of its work with the change; refuses what has no meaning for it.
MethodStyle changed(MethodStyle style, const RunRow& run, const ReplayChange& change) {
  if (change.bits > 0 && style.codes)
    refuse(run.id, "is of " + run.method + ", whose rows travelled as codes; bits are of rows that did not");
  if (change.overlap == ReplayChange::Overlap::asItWas) return style;
  if (style.order != ExchangeOrder::halo && style.order != ExchangeOrder::rounds)
    refuse(run.id, "is of " + run.method + ", which exchanges no halo rows; overlap is of these");
  const bool none = change.overlap == ReplayChange::Overlap::none;
  if (!none && style.depth > 0)
    refuse(run.id,
           "is of " + run.method + ", whose rows travel for epochs; there is nothing more to overlap");
  style.order = ExchangeOrder::halo;
  style.depth = 0;
  style.meanwhile = none ? Meanwhile::nothing : Meanwhile::own;
  return style;
}

struct MeasuredRows {
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  std::int64_t firstEpoch = 0;  // that counts
};
MeasuredRows measuredRows(const Epochs& table, std::int64_t number, CheckedRows& checked) {
  MeasuredRows rows{table.epochs(number), table.layers(number)};
  if (rows.epochs.empty() || rows.layers.empty())
    refuse(number, "has no epoch with rows by layer; train it for an epoch or more");
  for (const LayerRow& row : rows.layers) checked.check(row);
  rows.firstEpoch = rows.epochs[rows.epochs.size() > 1 ? 1 : 0].epoch;
  return rows;
}

/// Of the epochs that count, the last ones that are replayed (Replay), and why they say less than a period.
struct ReplayedEpochs {
  std::int64_t from = 0;
  std::string note;
};
ReplayedEpochs replayedEpochs(const MeasuredRows& rows, const EpochCycle& cycle) {
  constexpr std::int64_t kMost = 16;
  std::vector<std::int64_t> epochs;
  for (const EpochRow& row : rows.epochs)
    if (row.epoch >= rows.firstEpoch) epochs.push_back(row.epoch);
  const auto count = static_cast<std::int64_t>(epochs.size());
  const std::int64_t period = cycle.bound.empty() ? cycle.epochs() : 1;
  ReplayedEpochs replayed;
  std::int64_t replayedCount = std::max(period, std::min(count, kMost) / period * period);
  if (replayedCount > count) {
    replayed.note = fmt::format("mean of {} recorded epochs after the first, fewer than the {} of a period",
                                count, period);
    replayedCount = count;
  }
  replayed.from = epochs[at(count - replayedCount)];
  return replayed;
}

/// The ledgers of epochs, equal ones together, and of how many each is.
struct Ledger {
  std::vector<MessageRow> rows;
  std::int64_t epochs = 0;
};
std::vector<Ledger> ledgersOf(std::vector<MessageRow> messages) {
  using Entry = std::tuple<std::int64_t, Pass, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::map<std::int64_t, std::vector<MessageRow>> byEpoch;
  for (MessageRow& row : messages) byEpoch[row.epoch].push_back(std::move(row));
  std::vector<Ledger> ledgers;
  std::map<std::vector<Entry>, std::size_t> ledgerIndex;
  for (auto& [epoch, rows] : byEpoch) {
    std::vector<Entry> entries;
    for (const MessageRow& row : rows)
      entries.emplace_back(row.layer, row.pass, row.source, row.target, row.messages, row.bytes);
    std::ranges::sort(entries);
    const auto [place, isNew] = ledgerIndex.try_emplace(std::move(entries), ledgers.size());
    if (isNew) ledgers.push_back({std::move(rows), 0});
    ++ledgers[place->second].epochs;
  }
  if (ledgers.empty()) ledgers.push_back({{}, 1});
  return ledgers;
}

struct EpochTraffic {
  TrafficOf traffic;
  std::int64_t sumBytes = 0;  // of the gradients' sum
};
/// What the messages of one epoch come to, exchange by exchange.
EpochTraffic sentBy(const std::vector<MessageRow>& messages, const MethodStyle& style, double shareOfBytes,
                    CheckedRows& checked, Plan& plan) {
  EpochTraffic sent;
  std::map<PassKey, PassFlows> flows;
  for (const MessageRow& row : messages) {
    checked.check(row);
    if (row.layer < 0 && row.target < 0)
      sent.sumBytes += row.bytes;
    else
      addMessage(
          {static_cast<int>(row.layer), row.pass, static_cast<int>(row.source), static_cast<int>(row.target),
           row.messages, std::llround(static_cast<double>(row.bytes) * shareOfBytes)},
          plan.ranks, flows);
  }
  for (auto& [key, passFlows] : flows)
    sent.traffic.emplace(key, passTraffic(std::move(passFlows), style, key.second, plan));
  return sent;
}

/// One of everything, as skeleton(); own entries are all where every sum overlaps.
Loads skeletonLoads(const MethodStyle& style, int ranks, ReplayChange::Overlap overlap) {
  Loads loads;
  loads.rows = loads.rowsOfGroup = PerRank(1);
  loads.entries = loads.entriesOfGroup = PerRank(2);
  loads.ownEntries = loads.centralEntries = PerRank(overlap == ReplayChange::Overlap::all ? 2 : 1);
  if (takesParts(style, ranks))
    loads.partEntries.assign(at(style.order == ExchangeOrder::rounds ? roundSteps(ranks) : ranks),
                             PerRank(1));
  return loads;
}

void addWorkers(const std::vector<WorkerRow>& workers, CheckedRows& checked, Plan& plan) {
  std::vector<std::int64_t> memory(at(plan.ranks), 0), vertices(at(plan.ranks), 0);
  for (const WorkerRow& worker : workers) {
    checked.check(worker);
    memory[at(worker.rank)] = worker.featureBytes;
    vertices[at(worker.rank)] = worker.vertices;
  }
  plan.memoryBytes = PerRank(std::move(memory));
  plan.rows = PerRank(std::move(vertices));
}

}  // namespace

Replay replayOf(Database& database, std::int64_t number, const ReplayChange& change) {
  const Runs runs(database);
  const Epochs table(database);
  const auto [run, method] = trainedRun(runs, number);
  const auto recorded = runs.parameters(number);
  CheckedRows checked(database, number);
  const auto wrong = [&](const std::string& message) { checked.damaged(message); };
  checked.setRanks(run.workers);
  const int ranks = static_cast<int>(run.workers);
  RunSettings settings;
  settings.method = run.method;
  settings.parameters = recordedParameters(*method, recorded, wrong);
  if (const auto kind = recorded.find("model.kind"); kind != recorded.end())
    settings.model.kind = unquoted(kind->second);
  const MethodStyle style = changed(styleOfRun(run, settings, ranks), run, change);
  const double shareOfBytes = change.bits > 0 ? change.bits / (8 * sizeof(Scalar)) : 1;
  const MeasuredRows rows = measuredRows(table, number, checked);
  const std::vector<WorkerRow> workers = runs.workers(number);

  Replay replay;
  const ReplayedEpochs replayed = replayedEpochs(rows, cycleOf(*method, settings, ranks));
  if (!replayed.note.empty()) replay.cycle.notes.push_back(replayed.note);
  if (change.bits > 0) replay.cycle.notes.push_back("coding of rows takes no time");
  if (change.overlap == ReplayChange::Overlap::all)
    replay.cycle.notes.push_back("every sum goes on while its rows travel, the most that overlap can hide");
  const RecordedTimes times = recordedTimes(rows.layers, ranks, rows.firstEpoch);
  for (const Ledger& ledger : ledgersOf(table.messages(number, replayed.from))) {
    Plan plan;
    plan.ranks = ranks;
    plan.method = run.method;
    plan.origin = PlanOrigin::recorded;
    const EpochTraffic sent = sentBy(ledger.rows, style, shareOfBytes, checked, plan);
    if (ranks > 1 && sent.sumBytes == 0) refuse(number, "has no ledger of its last epochs");
    writeSteps(skeleton(times, sent.traffic, ranks > 1 ? sent.sumBytes / (2 * (ranks - 1)) : 0), style,
               skeletonLoads(style, ranks, change.overlap),
               /*cached=*/cachesLayer0(*method, settings.parameters), sent.traffic, plan);
    fill(times, plan);
    addWorkers(workers, checked, plan);
    replay.cycle.turns.push_back({std::move(plan), ledger.epochs});
  }

  replay.measured = measuredPoint(rows.epochs, rows.layers, workers, rows.firstEpoch, ranks);
  replay.measured.method = run.method;
  replay.measured.machine = run.host;
  replay.measured.bytes = std::llround(replay.cycle.bytesSent());
  replay.measured.messages = std::llround(replay.cycle.messagesSent());
  const std::optional<RunsNetwork> network = networkOf({run, recorded, run.workers});
  const std::string prefix = network && !network->emulated ? "cluster.wire." : "cluster.link.";
  replay.link.bandwidthGbit = numberOf(recorded, prefix + "bandwidth_gbit", wrong);
  replay.link.latencyUs = numberOf(recorded, prefix + "latency_us", wrong);
  replay.link.stagingGbit = numberOf(recorded, prefix + "staging_gbit", wrong);
  if (network && network->ranksAHost > 1) replay.link.ranksPerHost = network->ranksAHost;
  return replay;
}

}  // namespace halo::cluster
