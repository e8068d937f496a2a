#include "simulator/cluster/replay.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>

#include <set>

#include "engine/base/check.h"
#include "engine/experiment/read_value.h"
#include "engine/record/epochs.h"
#include "engine/record/runs.h"
#include "simulator/cluster/rounds.h"
#include "simulator/cluster/schedule.h"

namespace halo::cluster {
namespace {

using PassKey = std::pair<int, Pass>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

[[noreturn]] void refuse(std::int64_t run, const std::string& why) {
  throw InputError(Problem{"", 0, 0, "replay", "run " + std::to_string(run) + " " + why});
}

std::int64_t median(std::vector<std::int64_t> values) {
  HALO_CHECK(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The method's parameters, of their text in the recording.
Values parametersOf(const MethodEntry& method, const std::map<std::string, std::string>& recorded) {
  Values values = fallbacks(method.declaration.parameters);
  for (const Parameter& parameter : method.declaration.parameters) {
    const auto found = recorded.find("run." + std::string(parameter.key));
    if (found == recorded.end()) continue;
    const toml::table table = toml::parse(std::string_view("value = " + found->second));
    std::string wrong;
    if (auto value = readValue(parameter, *table.get("value"), wrong))
      values.insert_or_assign(std::string(parameter.key), std::move(*value));
  }
  return values;
}

double numberOf(const std::map<std::string, std::string>& recorded, const std::string& key) {
  const auto found = recorded.find(key);
  return found == recorded.end() ? 0 : std::stod(found->second);
}

/// What one rank computed in one pass of one layer, in ns.
struct Times {
  std::int64_t sparse = 0, dense = 0, pack = 0, quantise = 0;
  std::int64_t& of(Op op) {
    return op == Op::sparse ? sparse : op == Op::pack ? pack : op == Op::quantise ? quantise : dense;
  }
};
using TimesOf = std::map<PassKey, std::vector<Times>>;  // by rank

TimesOf timesOf(const std::vector<LayerRow>& rows, int ranks, std::int64_t firstEpoch) {
  std::map<std::pair<PassKey, std::int64_t>, std::array<std::vector<std::int64_t>, 4>> samples;
  for (const LayerRow& row : rows) {
    if (row.epoch < firstEpoch || row.rank < 0 || row.rank >= ranks) continue;
    auto& of = samples[{PassKey{static_cast<int>(row.layer), row.pass}, row.rank}];
    of[0].push_back(row.aggregateNs);
    of[1].push_back(row.updateNs + row.activationNs + row.lossNs + row.optimizerNs);
    of[2].push_back(row.gatherNs + row.sampleNs);
    of[3].push_back(row.quantiseNs);
  }
  TimesOf times;
  for (auto& [key, of] : samples) {
    auto& all = times[key.first];
    all.resize(at(ranks));
    all[at(key.second)] = {median(of[0]), median(of[1]), median(of[2]), median(of[3])};
  }
  return times;
}

/// Layers with one element of everything: what writeSteps makes of them has the order, and no figures.
ModelShape skeleton(const TimesOf& times, const TrafficOf& traffic, std::int64_t sumBytes) {
  int layers = 0;
  for (const auto& [key, of] : times) layers = std::max(layers, key.first + 1);
  for (const auto& [key, of] : traffic) layers = std::max(layers, key.first + 1);
  ModelShape shape;
  shape.weights = sumBytes / std::int64_t{sizeof(Scalar)};
  for (int l = 0; l < layers; ++l) {
    LayerShape layer;
    layer.propagated = layer.returned = 1 << 20;  // wide enough that every slice has some
    layer.finishFlop = layer.backwardFinishFlop = 1;
    const auto back = times.find({l, Pass::backward});
    layer.backward = traffic.contains({l, Pass::backward}) ||
                     (back != times.end() &&
                      std::ranges::any_of(back->second, [](const Times& t) { return t.sparse > 0; }));
    shape.layers.push_back(layer);
  }
  return shape;
}

/// Puts the measured times into the steps of their pass and kind, in equal parts where there are several;
/// what has no step goes into one of its own before the gradients' sum.
void fill(const TimesOf& times, Plan& plan) {
  std::map<std::pair<PassKey, Op>, std::vector<std::size_t>> steps;
  for (std::size_t s = 0; s < plan.steps.size(); ++s)
    if (computes(plan.steps[s].op))
      steps[{{plan.steps[s].layer, plan.steps[s].pass}, plan.steps[s].op}].push_back(s);
  for (auto& [key, of] : steps)
    for (const std::size_t s : of) plan.steps[s].measuredNs = PerRank();
  std::vector<std::int64_t> rest(at(plan.ranks), 0);
  for (const auto& [key, ranks] : times)
    for (const Op op : {Op::sparse, Op::dense, Op::pack, Op::quantise}) {
      std::vector<std::int64_t> ns;
      for (Times rank : ranks) ns.push_back(rank.of(op));
      const auto found = steps.find({key, op});
      if (found == steps.end()) {
        for (std::size_t r = 0; r < ns.size(); ++r) rest[r] += ns[r];
        continue;
      }
      const auto count = static_cast<std::int64_t>(found->second.size());
      for (std::int64_t part = 0; part < count; ++part) {
        std::vector<std::int64_t> share;
        for (const std::int64_t all : ns) share.push_back(all * (part + 1) / count - all * part / count);
        plan.steps[found->second[at(part)]].measuredNs = PerRank(std::move(share));
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
  point.epochNs = static_cast<double>(median(wall));
  std::set<std::int64_t> covered;
  TimeShares sum;
  for (const LayerRow& row : rows) {
    if (row.epoch < firstEpoch) continue;
    covered.insert(row.epoch);
    sum.sparseNs += static_cast<double>(row.aggregateNs);
    sum.denseNs += static_cast<double>(row.updateNs + row.activationNs + row.lossNs + row.optimizerNs);
    sum.packNs += static_cast<double>(row.gatherNs + row.sampleNs);
    sum.quantiseNs += static_cast<double>(row.quantiseNs);
    sum.waitNs += static_cast<double>(row.exposedNs);
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

Replay replayOf(Database& database, std::int64_t number) {
  const Runs runs(database);
  const Epochs table(database);
  const auto run = runs.find(number);
  if (!run) refuse(number, "is not in this recording; see `haloscope list`");
  const MethodEntry* method = find<MethodEntry>(run->method);
  if (method == nullptr)
    refuse(number, "trained with '" + run->method + "', which this version does not know");
  const auto recorded = runs.parameters(number);
  RunSettings settings;
  settings.method = run->method;
  settings.parameters = parametersOf(*method, recorded);
  const int ranks = static_cast<int>(run->workers);
  const MethodStyle style = styleOf(settings, ranks);
  if (!style.unknown.empty())
    refuse(number, "is of " + run->method + ", whose time is not laid out: " + style.unknown);
  const std::vector<EpochRow> epochs = table.epochs(number);
  const std::vector<LayerRow> rows = table.layers(number);
  if (epochs.empty() || rows.empty())
    refuse(number, "has no epoch with rows by layer; train it for an epoch or more");
  const std::int64_t firstEpoch = epochs.size() > 1 ? epochs[1].epoch : epochs[0].epoch;

  Replay replay;
  Plan& plan = replay.plan;
  plan.ranks = ranks;
  plan.method = run->method;
  plan.origin = PlanOrigin::recorded;
  std::map<PassKey, PassFlows> flows;
  std::int64_t sumBytes = 0;
  for (const MessageRow& row : table.messages(number, epochs.back().epoch)) {
    if (row.layer < 0 && row.target < 0)
      sumBytes += row.bytes;
    else
      addMessage({static_cast<int>(row.layer), row.pass, static_cast<int>(row.source),
                  static_cast<int>(row.target), row.messages, row.bytes},
                 ranks, flows);
  }
  if (ranks > 1 && sumBytes == 0) refuse(number, "has no ledger of its last epoch");
  TrafficOf traffic;
  for (auto& [key, of] : flows) traffic.emplace(key, passTraffic(std::move(of), style, key.second, plan));
  const TimesOf times = timesOf(rows, ranks, firstEpoch);
  Loads loads;
  loads.rows = loads.rowsOfGroup = PerRank(1);
  loads.entries = loads.entriesOfGroup = PerRank(2);
  loads.ownEntries = PerRank(1);
  writeSteps(skeleton(times, traffic, ranks > 1 ? sumBytes / (2 * (ranks - 1)) : 0), style, loads,
             /*cached=*/cachesLayer0(*method, settings.parameters), traffic, plan);
  fill(times, plan);

  replay.measured = measuredPoint(epochs, rows, runs.workers(number), firstEpoch, ranks);
  replay.measured.method = run->method;
  replay.measured.machine = run->host;
  replay.measured.bytes = plan.bytesSent();
  replay.measured.messages = plan.messagesSent();
  std::vector<std::int64_t> memory(at(ranks), 0), vertices(at(ranks), 0);
  for (const WorkerRow& worker : runs.workers(number))
    if (worker.rank >= 0 && worker.rank < ranks) {
      memory[at(worker.rank)] = worker.featureBytes;
      vertices[at(worker.rank)] = worker.vertices;
    }
  plan.memoryBytes = PerRank(std::move(memory));
  plan.rows = PerRank(std::move(vertices));
  replay.link.bandwidthGbit = numberOf(recorded, "cluster.link.bandwidth_gbit");
  replay.link.latencyUs = numberOf(recorded, "cluster.link.latency_us");
  replay.link.stagingGbit = numberOf(recorded, "cluster.link.staging_gbit");
  return replay;
}

}  // namespace halo::cluster
