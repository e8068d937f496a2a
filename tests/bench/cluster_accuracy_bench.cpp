// How near the cluster simulator comes to measured epochs: every run of an experiment that was recorded
// beside what engine events makes of it.
//   haloscope run FILE.toml --db FILE.db, then
//   cluster_accuracy_bench FILE.toml FILE.db [CORES]      cores of this machine, which all workers share; 2
// replayed   of the run's own computing times, as long as its threads had a core, and its ledger
// predicted  of the counted plan, with computing times of the run of the same method on one worker, which the
//            experiment must have too
// What a look for messages and a copy of them cost on this machine is measured first, by themselves, and what
// sums of rows of several widths do, and how much longer kernels take when all cores compute: nothing is
// fitted to the runs. Of runs that differ in their seed alone
// the one with the shortest epoch counts, since what others do on the machine only adds. Replayed computing
// times have in them what others' looks interrupted of them already. Bytes are the plan's of the predictors
// and the ledger's; they must be equal. Exit status 1: they are not, or an epoch, replayed or predicted, is
// farther than 15 % from the measured one; 2: there was nothing to compare.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

#include "app/program/known.h"
#include "datasets/load.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "simulator/cluster/plans/pattern.h"
#include "simulator/cluster/replay/replay.h"
#include "simulator/cluster/replay/worker_times.h"
#include "tests/bench/host_costs.h"

using namespace halo;

namespace {

constexpr double kBand = 0.15;   // of replays and predictions
constexpr double kSleepUs = 20;  // of engine/comm's waits, nap() in link.h

struct Graph {
  Dataset set;
  Csr pattern;
  cluster::ComputeRates rates;  // of sums over it
  Crowding crowding;
};

const Graph& graphOf(const RunSettings& run, std::int64_t cores = 1) {
  static std::map<std::string, Graph> cache;
  const std::string key = run.dataset.name + std::to_string(run.dataset.scale) + run.model.kind;
  auto [entry, isNew] = cache.try_emplace(key);
  if (isNew) {
    entry->second.set = loadDataset(run.dataset);
    entry->second.pattern = cluster::patternOf(entry->second.set.arcs, run.model.kind);
    entry->second.rates = measureSparse(entry->second.pattern);
    entry->second.crowding = measureCrowding(entry->second.pattern, static_cast<int>(cores));
    std::printf(
        "%s: a stored entry takes %.2f ns, an element of it %.3f, of a row %.3f; beside others sums take "
        "%.2f, "
        "products %.2f times as long\n",
        run.dataset.name.c_str(), entry->second.rates.entryNs, entry->second.rates.entryElementNs,
        entry->second.rates.rowElementNs, entry->second.crowding.sparse, entry->second.crowding.dense);
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

/// A run of the experiment and its recording.
struct Recorded {
  RunSettings run;
  std::int64_t id = 0;
  double epochNs = 0;
};

/// Of each method and number of workers the least disturbed of its repeats.
std::map<std::pair<std::string, std::int64_t>, Recorded> leastDisturbed(const Experiment& experiment,
                                                                        Database& database) {
  Runs runs(database);
  std::map<std::pair<std::string, std::int64_t>, Recorded> fastest;
  for (const RunSettings& run : experiment.runs) {
    const auto row = recorded(runs, run);
    if (!row) continue;
    const double epochNs = cluster::replayOf(database, row->id).measured.epochNs;
    auto [at, isNew] =
        fastest.try_emplace({run.method, run.cluster.workers}, Recorded{run, row->id, epochNs});
    if (!isNew && epochNs < at->second.epochNs) at->second = {run, row->id, epochNs};
  }
  return fastest;
}

/// One worker had the machine for itself, several compute beside one another.
void crowd(cluster::Plan& plan, const Crowding& crowding) {
  for (cluster::Step& step : plan.steps) {
    if (!step.measuredNs) continue;
    const double times = step.op == cluster::Op::sparse ? crowding.sparse : crowding.dense;
    std::vector<std::int64_t> ns;
    for (int rank = 0; rank < plan.ranks; ++rank)
      ns.push_back(std::llround(static_cast<double>((*step.measuredNs)[rank]) * times));
    step.measuredNs = cluster::PerRank(std::move(ns));
  }
}

/// Ratios of epochs, simulated to measured, less 1.
struct Errors {
  double replayed = 0, predicted = 0;
  bool sameBytes = true;
};

bool exchangesColumns(const RunSettings& run) {
  const auto& style = find<MethodEntry>(run.method)->style;
  return style(run, static_cast<int>(run.cluster.workers)).order == ExchangeOrder::transposed;
}

Errors errorsOf(const Recorded& several, const Recorded* single, Database& database, const HostCosts& host,
                std::int64_t cores) {
  const int ranks = static_cast<int>(several.run.cluster.workers);
  const cluster::Replay replay = cluster::replayOf(database, several.id);
  cluster::Machine machine = cluster::machineOf(several.run.cluster.link, cores);
  machine.compute.copyGbPerS = exchangesColumns(several.run) ? sliceGbPerS(ranks) : host.gatherGbPerS;
  machine.looks = {kSleepUs, host.lookUs};
  machine.looks.singleCopy = host.readGbPerS > 0;  // as the launcher starts workers
  machine.messageCopyGbPerS = machine.looks.singleCopy ? host.readGbPerS : host.copyGbPerS;
  const double replayed = cluster::simulateCycle(replay.cycle, machine, cluster::simulateEvents).epochNs;
  cluster::Plan plan = planOf(several.run, ranks);
  double predicted = std::numeric_limits<double>::quiet_NaN();  // which is within no band
  if (single != nullptr) {
    if (ranks > cores) machine.looks.lookUs = host.lookLossUs;  // who has a core is not interrupted
    cluster::calibrate(planOf(single->run, 1), timesOf(database, single->id, 1), graphOf(single->run).rates,
                       plan);
    crowd(plan, graphOf(several.run).crowding);
    predicted = cluster::simulateEvents(plan, machine).epochNs;
  }
  const bool same = plan.bytesSent() == replay.cycle.first().bytesSent();
  std::printf("%-10s %7d %12.2f %12.2f %9s %12.2f %9s  %s\n", several.run.method.c_str(), ranks,
              several.epochNs * 1e-6, replayed * 1e-6, percent(replayed, several.epochNs).c_str(),
              predicted * 1e-6, percent(predicted, several.epochNs).c_str(), same ? "equal" : "DIFFER");
  return {std::abs(replayed / several.epochNs - 1), std::abs(predicted / several.epochNs - 1), same};
}

int bench(const char* file, const char* db, std::int64_t cores) {
  const HostCosts host = measureHost();
  std::printf(
      "copies %.1f GB/s, reads of other processes %.1f (0: none), gathers %.1f; a look takes %.1f us of a "
      "core, and a worker beside it loses "
      "%.1f us\n",
      host.copyGbPerS, host.readGbPerS, host.gatherGbPerS, host.lookUs, host.lookLossUs);
  const Experiment experiment = readExperiment(file, knownHere());
  Database database(db, Access::readOnly);
  const auto runs = leastDisturbed(experiment, database);
  for (const auto& [key, run] : runs) graphOf(run.run, cores);
  std::printf("%-10s %7s %12s %12s %9s %12s %9s  %s\n", "method", "workers", "measured ms", "replayed ms", "",
              "predicted ms", "", "bytes");
  Errors worst;
  int compared = 0, replayed = 0, predicted = 0;
  for (const auto& [key, several] : runs) {
    if (key.second == 1) continue;
    const auto single = runs.find({key.first, 1});
    const Errors errors =
        errorsOf(several, single == runs.end() ? nullptr : &single->second, database, host, cores);
    worst = {std::max(worst.replayed, errors.replayed), std::max(worst.predicted, errors.predicted),
             worst.sameBytes && errors.sameBytes};
    ++compared;
    replayed += errors.replayed <= kBand;
    predicted += errors.predicted <= kBand;
  }
  std::printf("worst: replayed %.1f %%, predicted %.1f %%; within %.0f %%: %d and %d of %d\n",
              100 * worst.replayed, 100 * worst.predicted, 100 * kBand, replayed, predicted, compared);
  if (compared == 0) return 2;
  return worst.sameBytes && replayed == compared && predicted == compared ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "cluster_accuracy_bench FILE.toml FILE.db [CORES]\n");
    return 2;
  }
  return bench(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 2);
}
