// Plans and machines small enough to be worked out by hand.
#pragma once

#include <utility>
#include <vector>

#include "simulator/cluster/machines/machine.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// One rank a node, 1 GB/s, 2 us a start, 5 us on the wire; 1 ns an element; work as the steps' figures say.
inline Machine plainMachine() {
  Machine machine;
  machine.name = "plain";
  machine.nodes = 1 << 20;
  machine.between = {2, 5, 0, 0, 1, {"assumed", "by hand"}};
  machine.within = machine.between;
  machine.compute = {0, 0, 1, 0, 1, 1, 1, 0, {"assumed", "by hand"}};
  return machine;
}

inline Step work(Op op, std::vector<std::int64_t> ns) {
  Step step;
  step.op = op;
  step.measuredNs = PerRank(std::move(ns));
  return step;
}

/// Appends an exchange for a later epoch, after the wait for the one of an earlier epoch.
inline void takeAndSend(Plan& plan, Traffic traffic, int depth) {
  Step wait;
  wait.op = Op::wait;
  wait.exchange = static_cast<int>(plan.steps.size()) + 1;
  wait.depth = depth;
  plan.steps.push_back(wait);
  Step start;
  start.op = Op::exchange;
  start.traffic = plan.addTraffic(std::move(traffic));
  start.depth = depth;
  plan.steps.push_back(start);
}

/// Appends an exchange and its wait at once.
inline void exchangeNow(Plan& plan, Traffic traffic, int depth = 0) {
  Step start;
  start.op = Op::exchange;
  start.traffic = plan.addTraffic(std::move(traffic));
  start.depth = depth;
  plan.steps.push_back(start);
  Step wait;
  wait.op = Op::wait;
  wait.exchange = static_cast<int>(plan.steps.size()) - 1;
  wait.depth = depth;
  plan.steps.push_back(wait);
}

inline void sumGradients(Plan& plan, std::int64_t bytes) {
  Step step;
  step.op = Op::allReduce;
  step.bytes = PerRank(bytes);
  plan.steps.push_back(step);
}

/// Every rank sends `bytes` to each of the `peers` ranks after it: nobody's side has two senders at a time.
inline Traffic shifted(int ranks, int peers, std::int64_t bytes) {
  std::vector<Flow> flows;
  for (int i = 0; i < ranks; ++i)
    for (int k = 1; k <= peers; ++k) flows.push_back({i, (i + k) % ranks, 1, bytes});
  return trafficOf(ranks, std::move(flows));
}

/// The same in sums.
inline Traffic sums(std::int64_t messages, std::int64_t bytes) {
  Traffic traffic;
  traffic.outMessages = traffic.inMessages = PerRank(messages);
  traffic.outBytes = traffic.inBytes = PerRank(bytes);
  return traffic;
}

}  // namespace halo::cluster
