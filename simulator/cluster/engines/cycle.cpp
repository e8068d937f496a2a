#include "simulator/cluster/engines/cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

void add(const TimeShares& more, double share, TimeShares& sum) {
  sum.sparseNs += share * more.sparseNs;
  sum.denseNs += share * more.denseNs;
  sum.packNs += share * more.packNs;
  sum.quantiseNs += share * more.quantiseNs;
  sum.waitNs += share * more.waitNs;
  sum.reduceNs += share * more.reduceNs;
  sum.idleNs += share * more.idleNs;
}

/// What was found of the mean turn, as it is of an epoch.
ClusterResult inEpochs(ClusterResult result, const PlanCycle& cycle) {
  TimeShares shares;
  add(result.shares, cycle.scale(), shares);
  result.shares = shares;
  result.epochNs *= cycle.scale();
  result.bytes = std::llround(cycle.bytesSent());
  result.messages = std::llround(cycle.messagesSent());
  return result;
}

}  // namespace

ClusterResult simulateCycle(const PlanCycle& cycle, const Machine& machine, const Engine& engine,
                            const SimulateOptions& options) {
  HALO_CHECK(!cycle.turns.empty());
  ClusterResult all = engine(cycle.first(), machine, options);
  all.notes.insert(all.notes.end(), cycle.notes.begin(), cycle.notes.end());
  if (cycle.turns.size() == 1) return inEpochs(std::move(all), cycle);
  SimulateOptions others = options;
  others.lanes = 0;
  const auto period = static_cast<double>(cycle.epochs());
  const auto shareOf = [&](const PlanTurn& turn) { return static_cast<double>(turn.count) / period; };
  TimeShares shares;
  add(all.shares, shareOf(cycle.turns.front()), shares);
  all.epochNs *= shareOf(cycle.turns.front());
  for (std::size_t t = 1; t < cycle.turns.size(); ++t) {
    const ClusterResult turnResult = engine(cycle.turns[t].plan, machine, others);
    all.epochNs += shareOf(cycle.turns[t]) * turnResult.epochNs;
    add(turnResult.shares, shareOf(cycle.turns[t]), shares);
    all.epochs += turnResult.epochs;
    all.operations += turnResult.operations;
    all.memoryBytes = std::max(all.memoryBytes, turnResult.memoryBytes);
    all.overMemory = all.overMemory || turnResult.overMemory;
  }
  all.shares = shares;
  if (cycle.iterations == 0)
    all.notes.push_back(
        fmt::format("mean of {} epochs, of which {} differ in what is sent; the timeline has the first",
                    cycle.epochs(), cycle.turns.size()));
  return inEpochs(std::move(all), cycle);
}

std::vector<Sensitivity> sensitivity(const PlanCycle& cycle, const Machine& machine, const Engine& engine,
                                     const SimulateOptions& options, double factor) {
  std::vector<Sensitivity> all;
  for (const PlanTurn& turn : cycle.turns) {
    const double share =
        cycle.scale() * static_cast<double>(turn.count) / static_cast<double>(cycle.epochs());
    std::vector<Sensitivity> sensitivities = sensitivity(turn.plan, machine, engine, options, factor);
    for (std::size_t i = 0; i < sensitivities.size(); ++i) {
      if (all.size() <= i) all.push_back({sensitivities[i].name, 0, 0});
      all[i].fasterNs += share * sensitivities[i].fasterNs;
      all[i].slowerNs += share * sensitivities[i].slowerNs;
    }
  }
  return all;
}

}  // namespace halo::cluster
