// How near the cluster simulator comes to measured epochs: every run of an experiment that was recorded
// beside what engine events makes of it.
//   haloscope run FILE.toml --db FILE.db, then
//   cluster_accuracy_bench FILE.toml FILE.db [CORES]      cores of this machine, which all workers share; 2
// replayed   of the run's own computing times, as long as its threads had a core, and its ledger
// predicted  of the counted plan, with computing times of the run of the same method on one worker, which the
//            experiment must have too
// What a look for messages and a copy of them cost on this machine is measured first, by themselves: nothing
// is fitted to the runs. Replayed computing times have in them what others' looks interrupted of them
// already. Bytes are the plan's of the predictors and the ledger's; they must be equal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "app/known.h"
#include "datasets/dataset.h"
#include "engine/record/epochs.h"
#include "engine/record/runs.h"
#include "simulator/cluster/calibrate.h"
#include "simulator/cluster/counted_plan.h"
#include "simulator/cluster/events.h"
#include "simulator/cluster/pattern.h"
#include "simulator/cluster/replay.h"
#include "tests/bench/host_costs.h"

using namespace halo;

namespace {

constexpr double kBand = 0.15;   // of replays; simulator.md 7.4
constexpr double kSleepUs = 20;  // of engine/comm's waits, nap() in link.h

struct Graph {
  Dataset set;
  Csr pattern;
};

const Graph& graphOf(const RunSettings& run) {
  static std::map<std::string, Graph> known;
  const std::string key = run.dataset.name + std::to_string(run.dataset.scale) + run.model.kind;
  auto [entry, isNew] = known.try_emplace(key);
  if (isNew) {
    entry->second.set = loadDataset(run.dataset);
    entry->second.pattern = cluster::patternOf(entry->second.set.arcs, run.model.kind);
  }
  return entry->second;
}

cluster::Plan planOf(const RunSettings& run, int ranks) {
  const Graph& graph = graphOf(run);
  std::vector<std::int64_t> widths = {graph.set.features.cols()};
  for (std::int64_t l = 1; l < run.model.layers; ++l) widths.push_back(run.model.hidden);
  widths.push_back(graph.set.classes);
  return cluster::countedPlan(
      {graph.set.arcs, graph.pattern, run, widths, ranks, 1, [&](int parts) {
         return partition(graph.set.arcs, run.partition.method,
                          {parts, run.partition.imbalance, run.training.seed, run.partition.parameters});
       }});
}

cluster::RecordedTimes timesOf(Database& database, std::int64_t run, int ranks) {
  return cluster::recordedTimes(Epochs(database).layers(run), ranks, /*firstEpoch=*/1);
}

std::optional<RunRow> recorded(Runs& runs, const RunSettings& settings) {
  std::optional<RunRow> newest;
  for (const RunRow& run : runs.all())
    if (run.fingerprint == settings.fingerprint() && run.status == "completed") newest = run;
  return newest;
}

std::string percent(double simulated, double measured) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * (simulated / measured - 1));
  return text;
}

int bench(const char* file, const char* db, std::int64_t cores) {
  const HostCosts host = measureHost();
  std::printf(
      "copies %.1f GB/s, gathers %.1f GB/s; a look takes %.1f us of a core, and a worker beside it loses "
      "%.1f us\n",
      host.copyGbPerS, host.gatherGbPerS, host.lookUs, host.lookLossUs);
  const Experiment experiment = readExperiment(file, knownHere());
  Database database(db, Access::readOnly);
  Runs runs(database);
  std::map<std::string, std::pair<RunSettings, std::int64_t>> single;  // by method
  for (const RunSettings& run : experiment.runs)
    if (const auto row = recorded(runs, run); row && run.cluster.workers == 1)
      single.emplace(run.method, std::pair(run, row->id));
  std::printf("%-10s %7s %12s %12s %9s %12s %9s  %s\n", "method", "workers", "measured ms", "replayed ms", "",
              "predicted ms", "", "bytes");
  double worst = 0, worstReplayed = 0;
  bool same = true;  // bytes
  for (const RunSettings& run : experiment.runs) {
    const auto row = recorded(runs, run);
    if (!row || run.cluster.workers == 1) continue;
    const int ranks = static_cast<int>(run.cluster.workers);
    const cluster::Replay replay = cluster::replayOf(database, row->id);
    cluster::Machine machine = cluster::machineOf(run.cluster.link, cores);
    machine.compute.copyGbPerS = host.gatherGbPerS;
    machine.messageCopyGbPerS = host.copyGbPerS;
    machine.looks = {kSleepUs, host.lookUs};
    const double measured = replay.measured.epochNs;
    const double replayed = cluster::simulateEvents(replay.plan, machine).epochNs;
    cluster::Plan plan = planOf(run, ranks);
    worstReplayed = std::max(worstReplayed, std::abs(replayed / measured - 1));
    double predicted = 0;
    if (ranks > cores) machine.looks.lookUs = host.lookLossUs;  // who has a core is not interrupted
    if (const auto one = single.find(run.method); one != single.end()) {
      cluster::calibrate(planOf(one->second.first, 1), timesOf(database, one->second.second, 1), plan);
      predicted = cluster::simulateEvents(plan, machine).epochNs;
      worst = std::max(worst, std::abs(predicted / measured - 1));
    }
    std::printf("%-10s %7d %12.2f %12.2f %9s %12.2f %9s  %s\n", run.method.c_str(), ranks, measured * 1e-6,
                replayed * 1e-6, percent(replayed, measured).c_str(), predicted * 1e-6,
                percent(predicted, measured).c_str(),
                plan.bytesSent() == replay.plan.bytesSent() ? "equal" : "DIFFER");
    same = same && plan.bytesSent() == replay.plan.bytesSent();
  }
  std::printf("worst: replayed %.1f %%, predicted %.1f %%\n", 100 * worstReplayed, 100 * worst);
  return same && worstReplayed <= kBand ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "cluster_accuracy_bench FILE.toml FILE.db [CORES]\n");
    return 2;
  }
  return bench(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 2);
}
