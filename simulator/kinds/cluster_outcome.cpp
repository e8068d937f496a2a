#include "simulator/kinds/cluster_outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/index.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"

namespace halo::cluster {
namespace {

constexpr double kNs = 1e-9;
constexpr double kLongestNs = 8.64e15;  // 100 days

struct RankSums {
  double outBytes = 0, inBytes = 0, outMessages = 0, inMessages = 0;
};

void addSums(const Plan& plan, double count, std::vector<RankSums>& sums) {
  for (const Step& step : plan.steps) {
    if (step.traffic < 0) continue;
    const Traffic& traffic = plan.traffics[at(step.traffic)];
    for (int rank = 0; rank < plan.ranks; ++rank) {
      RankSums& sum = sums[at(rank)];
      sum.outBytes += count * static_cast<double>(traffic.outBytes[rank]);
      sum.inBytes += count * static_cast<double>(traffic.inBytes[rank]);
      sum.outMessages += count * static_cast<double>(traffic.outMessages[rank]);
      sum.inMessages += count * static_cast<double>(traffic.inMessages[rank]);
    }
  }
}

/// Of an epoch, means of the period.
std::vector<RankSums> sumsOf(const PlanCycle& cycle) {
  std::vector<RankSums> sums(at(cycle.first().ranks));
  for (const PlanTurn& turn : cycle.turns) addSums(turn.plan, static_cast<double>(turn.count), sums);
  const double epochs = static_cast<double>(cycle.epochs()) / cycle.scale();
  for (RankSums& sum : sums)
    for (double* figure : {&sum.outBytes, &sum.inBytes, &sum.outMessages, &sum.inMessages}) *figure /= epochs;
  return sums;
}

std::string ranksOf(const PlanCycle& cycle) {
  std::string text = "rank,rows,entries,memory_bytes,bytes_out,bytes_in,messages_out,messages_in\n";
  const Plan& plan = cycle.first();
  const std::vector<RankSums> sums = sumsOf(cycle);
  for (int rank = 0; rank < plan.ranks; ++rank) {
    const RankSums& sum = sums[at(rank)];
    text += fmt::format("{},{},{},{},{},{},{},{}\n", rank, plan.rows[rank], plan.entries[rank],
                        plan.memoryBytes[rank], sum.outBytes, sum.inBytes, sum.outMessages, sum.inMessages);
  }
  return text;
}

std::map<std::string, double> metricsOf(const ClusterResult& result) {
  const TimeShares& shares = result.shares;
  std::map<std::string, double> metrics = {
      {"epoch_seconds", result.epochNs * kNs},
      {"simulated_seconds", result.epochNs * kNs},
      {"simulated_workers", result.ranks},
      {"simulated_sparse_seconds", shares.sparseNs * kNs},
      {"simulated_dense_seconds", shares.denseNs * kNs},
      {"simulated_pack_seconds", shares.packNs * kNs},
      {"simulated_quantise_seconds", shares.quantiseNs * kNs},
      {"simulated_wait_seconds", shares.waitNs * kNs},
      {"simulated_reduce_seconds", shares.reduceNs * kNs},
      {"simulated_idle_seconds", shares.idleNs * kNs},
      {"bytes_per_epoch", static_cast<double>(result.bytes)},
      {"messages_per_epoch", static_cast<double>(result.messages)},
      {"simulated_memory_bytes", static_cast<double>(result.memoryBytes)},
      {"simulated_over_memory", result.overMemory ? 1.0 : 0.0},
  };
  if (result.epochNs > 0) {
    metrics["compute_share"] = (shares.sparseNs + shares.denseNs + shares.packNs) / result.epochNs;
    metrics["exchange_wait_share"] = shares.waitNs / result.epochNs;
    metrics["synchronise_share"] = shares.reduceNs / result.epochNs;
    metrics["quantise_share"] = shares.quantiseNs / result.epochNs;
  }
  return metrics;
}

std::map<std::string, std::string> foundOf(const Plan& plan, const ClusterResult& result) {
  std::map<std::string, std::string> parameters = {{"result.engine", result.engine},
                                                   {"result.level", result.fidelity},
                                                   {"result.plan", std::string(text(plan.origin))},
                                                   {"result.class", std::string(text(result.kind))},
                                                   {"result.steps", std::to_string(plan.steps.size())},
                                                   {"result.epochs", std::to_string(result.epochs)}};
  for (const Factor& factor : result.factors)
    parameters["factor." + factor.what + ".source"] = factor.from.origin + ": " + factor.from.source;
  for (std::size_t i = 0; i < result.notes.size(); ++i)
    parameters["result.note_" + std::to_string(i + 1)] = result.notes[i];
  return parameters;
}

}  // namespace

sim::SimulationOutcome outcomeOf(const PlanCycle& cycle, const Machine& machine, ClusterResult result) {
  const Plan& plan = cycle.first();
  if (!(result.epochNs < kLongestNs))
    throw InputError(
        {.key = "simulate",
         .message = "an epoch takes more than 100 days, which is beyond counting in nanoseconds; see the "
                    "figures of " +
                    machine.name});
  sim::SimulationOutcome outcome;
  if (result.kind == PointClass::extrapolated)
    outcome.marks.push_back(fmt::format("extrapolated({})", text(plan.origin)));
  if (!cycle.bound.empty()) outcome.marks.push_back(fmt::format("bound({})", cycle.bound));
  if (result.overMemory)
    outcome.marks.push_back(fmt::format("over {:.3g} GB of memory", machine.memoryGbPerRank));
  outcome.metrics = metricsOf(result);
  outcome.metrics["bytes_per_epoch"] = cycle.bytesSent();
  outcome.metrics["messages_per_epoch"] = cycle.messagesSent();
  outcome.parameters = foundOf(plan, result);
  if (cycle.iterations > 0) {
    outcome.metrics["iterations_per_epoch"] = static_cast<double>(cycle.iterations);
    outcome.parameters["result.iterations_drawn"] = std::to_string(cycle.drawn);
  } else {
    outcome.parameters["result.period"] = std::to_string(cycle.epochs());
    outcome.parameters["result.unlike_epochs"] = std::to_string(cycle.turns.size());
  }
  const bool together = result.engine == "bulk";
  for (std::size_t i = 0; i < result.lanes.size(); ++i) {
    const int rank = static_cast<int>(i);
    WorkerRow row;
    if (together) row.role = "slowest rank of each step";
    row.vertices = together ? plan.rows.largest(plan.ranks) : plan.rows[rank];
    row.nonzeros = together ? plan.entries.largest(plan.ranks) : plan.entries[rank];
    row.featureBytes = together ? result.memoryBytes : plan.memoryBytes[rank];
    outcome.lanes.push_back({row, std::move(result.lanes[i])});
  }
  outcome.artifacts.push_back({"ranks", "text/csv", ranksOf(cycle)});
  return outcome;
}

std::vector<Metric> clusterMetrics() {
  using Unit = Metric::Unit;
  return {
      {"simulated_seconds", "simulated: time", Unit::seconds,
       "time of an epoch, or its mean over a method's period"},
      {"simulated_workers", "simulated: workers", Unit::plain, "how many ranks there are"},
      {"simulated_speedup", "simulated: speedup over one worker", Unit::plain,
       "epoch of one worker of the same method and machine, with memory for all of it, ÷ "
       "`simulated_seconds`"},
      {"simulated_efficiency", "simulated: speedup, share of the workers", Unit::plain,
       "`simulated_speedup` ÷ `simulated_workers`"},
      {"simulated_sparse_seconds", "simulated: aggregating, mean of workers", Unit::seconds,
       "aggregating, mean of the ranks; the parts from sparse to idle add up to the epoch"},
      {"simulated_dense_seconds", "simulated: updating, mean of workers", Unit::seconds,
       "updating, mean of the ranks; a part of the epoch"},
      {"simulated_pack_seconds", "simulated: packing, mean of workers", Unit::seconds,
       "packing of messages, mean of the ranks; a part of the epoch"},
      {"simulated_quantise_seconds", "simulated: quantising, mean of workers", Unit::seconds,
       "coding of rows, mean of the ranks; a part of the epoch"},
      {"simulated_wait_seconds", "simulated: waiting for rows, mean of workers", Unit::seconds,
       "waiting for rows, mean of the ranks; a part of the epoch"},
      {"simulated_reduce_seconds", "simulated: summing gradients", Unit::seconds,
       "summing of gradients, mean of the ranks; a part of the epoch"},
      {"simulated_idle_seconds", "simulated: waiting for slower workers, mean", Unit::seconds,
       "waiting for slower ranks, mean of the ranks; a part of the epoch"},
      {"simulated_memory_bytes", "simulated: memory, largest worker", Unit::bytes,
       "memory of the largest rank: rows, weights and matrix"},
      {"simulated_over_memory", "simulated: more than a worker has (1: yes)", Unit::plain,
       "1 where the largest rank needs more than the machine has, else 0"},
      {"simulated_faster_start_seconds", "simulated: epoch with shorter starts of messages", Unit::seconds,
       "the epoch with starts, wire and overheads of messages divided by `sensitivity`"},
      {"simulated_slower_start_seconds", "simulated: epoch with longer starts of messages", Unit::seconds,
       "the epoch with starts, wire and overheads of messages times `sensitivity`"},
      {"simulated_faster_bandwidth_seconds", "simulated: epoch with more bandwidth", Unit::seconds,
       "the epoch with bandwidth times `sensitivity`"},
      {"simulated_slower_bandwidth_seconds", "simulated: epoch with less bandwidth", Unit::seconds,
       "the epoch with bandwidth divided by `sensitivity`"},
      {"simulated_faster_compute_seconds", "simulated: epoch with faster work", Unit::seconds,
       "the epoch with work `sensitivity` times as fast"},
      {"simulated_slower_compute_seconds", "simulated: epoch with slower work", Unit::seconds,
       "the epoch with work `sensitivity` times as slow"},
  };
}

void addSpeedup(double oneWorkerNs, const ClusterResult& result, sim::SimulationOutcome& outcome) {
  if (result.epochNs <= 0) return;
  const double speedup = oneWorkerNs / result.epochNs;
  outcome.metrics["simulated_speedup"] = speedup;
  outcome.metrics["simulated_efficiency"] = speedup / result.ranks;
}

void addSensitivity(const std::vector<Sensitivity>& sensitivities, sim::SimulationOutcome& outcome) {
  for (const Sensitivity& group : sensitivities) {
    outcome.metrics["simulated_faster_" + group.name + "_seconds"] = group.fasterNs * kNs;
    outcome.metrics["simulated_slower_" + group.name + "_seconds"] = group.slowerNs * kNs;
  }
}

Engine engineNamed(const std::string& name, const Plan& plan) {
  if (name == "flows") return simulateFlows;
  if (name == "events") return simulateEvents;
  if (name == "bulk") return simulateBulk;
  const bool pairs = std::ranges::all_of(plan.traffics, [](const Traffic& t) { return t.pairwise; });
  return pairs && plan.ranks <= kPairwiseRanks ? Engine(simulateEvents) : Engine(simulateBulk);
}

}  // namespace halo::cluster
