// Engines, and the layouts of plans, beside each other: where one takes over from the other nothing may jump.
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "simulator/cluster/engines/broadcast_clocks.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/small_graphs.h"

namespace halo::cluster {
namespace {

const std::vector<std::int64_t> kWidths = {64, 32, 32, 16};

RunSettings runOf(const std::string& method) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = "graphsage";
  run.model.layers = 3;
  run.model.hidden = 32;
  return run;
}

PlanRequest requestOf(const Csr& graph, const RunSettings& run, int ranks, const std::string& partitioner) {
  return {graph, graph, run, kWidths, ranks, 1, [&graph, partitioner](int parts) {
            return partition(graph, partitioner, {parts, 0.03, 1, {}});
          }};
}

/// Messages that take about as long to start as their bytes, and broadcasts message by message.
Machine flatMachine(MessageOrder order, std::int64_t ranksPerNode = 1) {
  Machine machine = plainMachine();
  machine.ranksPerNode = ranksPerNode;
  if (ranksPerNode > 1) machine.within = {0.2, 0.5, 0, 0, 8, {"assumed", "by hand"}};
  machine.compute.entryElementNs = machine.compute.rowElementNs = 0.1;
  machine.compute.denseGflops = machine.compute.copyGbPerS = 50;
  machine.messageOrder = order;
  machine.collectives = {{Collective::broadcast, "flat", 0}};
  return machine;
}

TEST_CASE("bulk steps come near clocks, method by method", "[cluster][agreement]") {
  const auto* method =
      GENERATE("vanilla", "pipegcn", "mop", "supergcn", "cagnet", "sancus", "sar", "p2p", "bns");
  const auto order = GENERATE(MessageOrder::ascending, MessageOrder::nextFirst);
  const int ranks = GENERATE(2, 5, 16);
  static const Csr graph = randomUndirected(3000, 12'000, 6);
  const Plan plan = countedPlan(requestOf(graph, runOf(method), ranks, "metis"));
  const Machine machine = flatMachine(order);
  const double bulk = simulateBulk(plan, machine).epochNs, events = simulateEvents(plan, machine).epochNs;
  CAPTURE(method, ranks, order == MessageOrder::ascending, bulk / events);
  // above 1 as each step waits for its slowest rank, below as nobody waits for a busy receiver
  CHECK(bulk <= 1.15 * events);
  CHECK(bulk >= 0.75 * events);
}

/// Every rank's block to all others, as many as the rank's number says.
Traffic blocks(int ranks, bool pairwise) {
  std::vector<Flow> flows;
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j)
      if (i != j) flows.push_back({i, j, 1, 5000 + 1000 * (i * i % 7)});
  Traffic traffic = trafficOf(ranks, std::move(flows));
  if (!pairwise) {
    traffic.flows.clear();
    traffic.pairwise = false;
  }
  return traffic;
}

double broadcastNs(const Machine& machine, int ranks, bool pairwise, bool events) {
  Plan plan;
  plan.ranks = ranks;
  for (int layer = 0; layer < 2; ++layer) {
    Step step;
    step.op = Op::broadcast;
    step.traffic = plan.addTraffic(blocks(ranks, pairwise));
    plan.steps.push_back(step);
  }
  return (events ? simulateEvents : simulateBulk)(plan, machine, {}).epochNs;
}

TEST_CASE("a root of flat broadcasts begins when the message before it has come", "[cluster][agreement]") {
  const auto order = GENERATE(MessageOrder::ascending, MessageOrder::nextFirst);
  const int ranks = GENERATE(2, 3, 9, 64, 200);
  const std::int64_t ranksPerNode = GENERATE(1, 4);
  const Machine machine = flatMachine(order, ranksPerNode);
  const double pairs = broadcastNs(machine, ranks, true, false);
  const double sums = broadcastNs(machine, ranks, false, false);
  const double events = broadcastNs(machine, ranks, true, true);
  CAPTURE(order == MessageOrder::ascending, ranks, ranksPerNode, pairs / events, sums / events);
  // next-first, roots of many nodes send at a time and meet at a receiver's card, where bulk takes them in
  // root by root: a card of four ranks meets four times as many
  const bool meet = order == MessageOrder::nextFirst && ranksPerNode > 1;
  CHECK(pairs == Approx(events).epsilon(meet ? 0.075 : 0.05));
  CHECK(sums == Approx(events).epsilon(0.07));
}

TEST_CASE("a root of flat broadcasts costs the next one its place in the order", "[cluster][agreement]") {
  // blocks of 10 us, no starts, no wires: in ascending order root k's successor is its message k + 1, the
  // last root's last message P − 1; next-first it is the first, but all roots' messages meet at each receiver
  constexpr int kRanks = 8;
  Plan plan;
  plan.ranks = kRanks;
  Step step;
  step.op = Op::broadcast;
  std::vector<Flow> flows;
  for (int i = 0; i < kRanks; ++i)
    for (int j = 0; j < kRanks; ++j)
      if (i != j) flows.push_back({i, j, 1, 10'000});
  step.traffic = plan.addTraffic(trafficOf(kRanks, std::move(flows)));
  plan.steps.push_back(step);
  Machine machine = flatMachine(MessageOrder::ascending);
  machine.between = {0, 0, 0, 0, 1, {"assumed", "by hand"}};
  CHECK(simulateBulk(plan, machine).epochNs == Approx(10'000 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 7)));
  machine.messageOrder = MessageOrder::nextFirst;
  const double events = simulateEvents(plan, machine).epochNs;
  CHECK(simulateBulk(plan, machine).epochNs == Approx(events).epsilon(0.05));
  CHECK(events < 10'000 * 3 * kRanks);
}

TEST_CASE("ranks that broadcast by other algorithms meet root by root", "[cluster][agreement]") {
  Machine machine = flatMachine(MessageOrder::nextFirst);
  machine.collectives = {{Collective::broadcast, "binomial", 0}};
  CHECK(broadcastNs(machine, 6, true, false) == Approx(broadcastNs(machine, 6, true, true)));
  CHECK(broadcastNs(machine, 6, false, false) == Approx(broadcastNs(machine, 6, true, true)));
}

TEST_CASE("sar's epochs do not jump where rounds begin to share steps", "[cluster][agreement]") {
  static const Csr graph = randomUndirected(4000, 40'000, 9);
  const bool fast = GENERATE(false, true);  // else waits for messages' starts and wires are most of it
  Machine machine = flatMachine(MessageOrder::nextFirst);
  machine.compute.kernelStartUs = 0.5;
  if (fast) machine.between = machine.within = {0.01, 0.01, 0, 0, 1, {"assumed", "by hand"}};
  const auto epochTimes = [&](int ranks) {
    const Plan plan = countedPlan(requestOf(graph, runOf("sar"), ranks, "random"));
    return std::pair(simulateBulk(plan, machine).epochNs, simulateEvents(plan, machine).epochNs);
  };
  const auto before = epochTimes(127), last = epochTimes(128), first = epochTimes(129), far = epochTimes(256);
  CAPTURE(fast, before.first, last.first, first.first, far.first, before.second, last.second, first.second,
          far.second);
  for (const auto engine : {&std::pair<double, double>::first, &std::pair<double, double>::second}) {
    const double trend = before.*engine / (last.*engine);
    CHECK(last.*engine / (first.*engine) == Approx(trend).epsilon(0.06));
    // rounds are twice as many; what travels in one is a quarter
    CHECK(far.*engine / (last.*engine) > (fast ? 0.5 : 1.3));
    CHECK(far.*engine / (last.*engine) < (fast ? 1.5 : 2.1));
  }
}

TEST_CASE("rounds that share a step are all there, and ranks times steps does not grow",
          "[cluster][agreement]") {
  CHECK(roundSteps(2) == 1);
  CHECK(roundSteps(128) == 127);
  CHECK(roundSteps(129) == 126);
  CHECK(roundSteps(8192) == 16);
  const int ranks = GENERATE(2, 128, 129, 1000, 8192);
  std::vector<int> rounds(at(roundSteps(ranks)), 0);
  for (int round = 0; round + 1 < ranks; ++round) ++rounds[at(stepOfRound(round, ranks))];
  CHECK(std::ranges::min(rounds) >= 1);
  CHECK(std::ranges::max(rounds) <= std::ranges::min(rounds) + 1);
  const std::vector<PerRank> parts = inRoundSteps(PerRank(12'345), ranks);
  std::int64_t sum = 0;
  for (const PerRank& part : parts) sum += part[0];
  CHECK(parts.size() == rounds.size());
  CHECK(sum == 12'345);
}

TEST_CASE("flows hold senders where clocks do not, and both share a node's card", "[cluster][agreement]") {
  const auto ratio = [](std::vector<Flow> flows, std::int64_t ranksPerNode) {
    Plan plan;
    plan.ranks = 4;
    exchangeNow(plan, trafficOf(4, std::move(flows)));
    Machine machine = plainMachine();
    machine.ranksPerNode = ranksPerNode;
    machine.between = machine.within = {0, 0, 0, 0, 1, {"assumed", "by hand"}};
    return std::pair(simulateFlows(plan, machine).epochNs, simulateEvents(plan, machine).epochNs);
  };
  // nobody meets
  CHECK(ratio({{0, 1, 1, 10'000}, {2, 3, 1, 10'000}}, 1) == std::pair(10'000.0, 10'000.0));
  // 0 and 1 meet at 2: as flows both have half of it until 20 us, and what 0 has for 3 comes after; to clocks
  // 1's message waits at 2, while 0 goes on
  CHECK(ratio({{0, 2, 1, 10'000}, {0, 3, 1, 10'000}, {1, 2, 1, 10'000}}, 1) == std::pair(30'000.0, 20'000.0));
  // of one node, 1 has little to send: as flows 0 has all of the card after 2 us, to clocks 1 has it after 0;
  // the card has 10'000 bytes to carry either way
  CHECK(ratio({{0, 2, 1, 9'000}, {1, 3, 1, 1'000}}, 2) == std::pair(10'000.0, 10'000.0));
}

TEST_CASE("flows are above clocks where messages meet", "[cluster][agreement]") {
  const auto* method = GENERATE("vanilla", "pipegcn", "mop", "sar", "p2p");
  static const Csr graph = randomUndirected(3000, 12'000, 6);
  const Plan plan = countedPlan(requestOf(graph, runOf(method), 16, "metis"));
  const auto ratio = [&](const Machine& machine) {
    return simulateFlows(plan, machine).epochNs / simulateEvents(plan, machine).epochNs;
  };
  Machine narrow = flatMachine(MessageOrder::nextFirst);  // a link for four nodes, as for one
  narrow.topology.kind = TopologyKind::fatTree;
  narrow.topology.linkGbPerS = 1;
  narrow.topology.nodesPerSwitch = 4;
  narrow.topology.oversubscription = 4;
  const double alone = ratio(flatMachine(MessageOrder::nextFirst)),
               shared = ratio(flatMachine(MessageOrder::nextFirst, 4)), linked = ratio(narrow);
  CAPTURE(method, alone, shared, linked);
  // slices are alike, so mop's messages meet nobody when they begin with the next rank's
  if (std::string(method) == "mop") CHECK(alone == Approx(1).epsilon(0.01));
  CHECK(alone >= 0.99);
  CHECK(alone <= 1.7);
  // a flow that a busy receiver slows leaves the rest of its node's card to the node's other ranks, as clocks
  // do: what is lost where one rank has the card alone is mostly made use of
  CHECK(shared >= 0.99);
  CHECK(shared <= 1.25);
  CHECK(shared - 1 <= std::max(0.02, 0.7 * (alone - 1)));
  CHECK(linked > alone);
}

}  // namespace
}  // namespace halo::cluster
