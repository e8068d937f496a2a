#include "simulator/cluster/engines/flows.h"

#include <catch2/catch.hpp>

#include "engine/base/philox.h"
#include "engine/base/problem.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/machines/topology.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

using Ways = std::vector<std::vector<Link>>;

std::function<double(Link)> capacityOf(const std::vector<double>& capacity) {
  return [&capacity](Link link) { return capacity.at(static_cast<std::size_t>(link)); };
}

TEST_CASE("rates are max-min fair where the textbook works them out", "[cluster][flows]") {
  // one long flow over links 0, 1, 2 of 1, 2 and 4; one short one on each
  const Ways ways = {{0, 1, 2}, {0}, {1}, {2}};
  const std::vector<double> capacity = {1, 2, 4}, limit(4, 100);
  const auto rates = maxMinRates(ways, capacityOf(capacity), limit);
  CHECK(rates[0] == Approx(0.5));
  CHECK(rates[1] == Approx(0.5));
  CHECK(rates[2] == Approx(1.5));
  CHECK(rates[3] == Approx(3.5));
  const auto limited = maxMinRates(ways, capacityOf(capacity), std::vector<double>{0.25, 100, 1, 100});
  CHECK(limited[0] == Approx(0.25));
  CHECK(limited[1] == Approx(0.75));
  CHECK(limited[2] == Approx(1));
  CHECK(limited[3] == Approx(3.75));
  CHECK(maxMinRates(Ways{{}}, capacityOf(capacity), std::vector<double>{7}) == std::vector<double>{7});
  CHECK(maxMinRates(Ways{}, capacityOf(capacity), {}).empty());
}

TEST_CASE("no link is overfull, and every flow has one that holds it", "[cluster][flows]") {
  const auto seed = GENERATE(range(1, 30));
  PhiloxStream random(static_cast<std::uint64_t>(seed), Purpose::shuffle, 5);
  std::vector<double> capacity;
  for (int l = 0; l < 12; ++l) capacity.push_back(0.5 + random.uniform() * 4);
  Ways ways;
  for (int f = 0; f < 25; ++f) {
    std::vector<Link> way;
    for (Link l = 0; l < 12; ++l)
      if (random.below(4) == 0) way.push_back(l);
    ways.push_back(way);
  }
  const std::vector<double> limit(25, 2);
  const auto rates = maxMinRates(ways, capacityOf(capacity), limit);
  std::vector<double> load(12, 0), fastest(12, 0);
  for (std::size_t f = 0; f < ways.size(); ++f)
    for (const Link l : ways[f]) {
      load[static_cast<std::size_t>(l)] += rates[f];
      fastest[static_cast<std::size_t>(l)] = std::max(fastest[static_cast<std::size_t>(l)], rates[f]);
    }
  for (std::size_t l = 0; l < 12; ++l) CHECK(load[l] <= capacity[l] * (1 + 1e-9));
  for (std::size_t f = 0; f < ways.size(); ++f) {
    bool held = rates[f] >= limit[f] * (1 - 1e-9);
    for (const Link l : ways[f]) {
      const auto at = static_cast<std::size_t>(l);
      held = held || (load[at] >= capacity[at] * (1 - 1e-9) && rates[f] >= fastest[at] * (1 - 1e-9));
    }
    CHECK(held);
  }
}

Machine joinedBy(TopologyKind kind) {
  Machine machine = plainMachine();
  machine.topology.kind = kind;
  machine.topology.linkGbPerS = 1;
  machine.topology.nodesPerSwitch = 4;
  machine.topology.levels = 3;
  machine.topology.routersPerGroup = 4;
  if (kind == TopologyKind::torus) machine.topology.dims = {4, 4, 2};
  return machine;
}

TEST_CASE("ways between nodes are as long as the topology has them", "[cluster][flows]") {
  const auto hops = [](TopologyKind kind, std::int64_t from, std::int64_t to) {
    return Network(joinedBy(kind), 32).way(from, to).size();
  };
  CHECK(hops(TopologyKind::crossbar, 3, 3) == 0);
  CHECK(hops(TopologyKind::crossbar, 3, 9) == 2);
  CHECK(hops(TopologyKind::fatTree, 0, 3) == 2);             // one leaf
  CHECK(hops(TopologyKind::fatTree, 0, 4) == 4);             // leaves of one switch
  CHECK(hops(TopologyKind::fatTree, 0, 16) == 6);            // over the top
  CHECK(hops(TopologyKind::torus, 0, 1) == 3);               // a neighbour
  CHECK(hops(TopologyKind::torus, 0, 6) == 3);               // (0,0,0) to (0,3,0): round the other way
  CHECK(hops(TopologyKind::torus, 0, 21) == 2 + 2 + 2 + 1);  // (2,2,1)
  CHECK(hops(TopologyKind::dragonfly, 0, 1) == 2);           // one router
  CHECK(hops(TopologyKind::dragonfly, 0, 5) == 3);           // one group
  CHECK(hops(TopologyKind::dragonfly, 0, 31) <= 5);
  CHECK(hops(TopologyKind::dragonfly, 0, 31) >= 3);
}

TEST_CASE("ways of a topology use links that it has, whatever the ends", "[cluster][flows]") {
  const auto kind = GENERATE(TopologyKind::fatTree, TopologyKind::torus, TopologyKind::dragonfly);
  const std::int64_t nodes = GENERATE(1, 5, 17, 32);
  const Network network(joinedBy(kind), nodes);
  CHECK(static_cast<double>(network.links()) <= linkCount(joinedBy(kind).topology, nodes));
  for (std::int64_t from = 0; from < nodes; ++from)
    for (std::int64_t to = 0; to < nodes; ++to)
      for (const Link link : network.way(from, to)) {
        REQUIRE(link >= 0);
        REQUIRE(link < network.links());
        REQUIRE(network.gbPerS(link) > 0);
      }
}

TEST_CASE("a machine of a million groups, or of a large torus, keeps nothing for links that nobody uses",
          "[cluster][flows]") {
  Machine machine = joinedBy(TopologyKind::dragonfly);
  machine.topology.nodesPerSwitch = machine.topology.routersPerGroup = 1;
  machine.topology.globalLinks = 3;
  const std::int64_t nodes = 1'000'000;
  const Network groups(machine, nodes);
  CHECK(groups.links() == 2 * nodes + nodes + nodes * nodes);
  const auto way = groups.way(17, 999'999), back = groups.way(999'999, 17);
  REQUIRE(way.size() == 3);
  CHECK(way[1] != back[1]);
  CHECK(groups.gbPerS(way[0]) == machine.between.gbPerS);
  CHECK(groups.gbPerS(way[1]) == 3);

  machine = joinedBy(TopologyKind::torus);
  machine.topology.dims = {10'000, 10'000, 10'000};
  const Network torus(machine, 300);
  CHECK(torus.links() == 2 * 300 + 6 * std::int64_t{1'000'000'000'000});
  CHECK(torus.way(0, 299).size() == 2 + 299);
  CHECK(torus.gbPerS(torus.links() - 1) == 1);
}

TEST_CASE("links of a fat tree carry what their level does", "[cluster][flows]") {
  Machine machine = joinedBy(TopologyKind::fatTree);
  machine.topology.oversubscription = 2;
  const Network network(machine, 32);
  const auto way = network.way(0, 16);  // node, leaf, middle, middle, leaf, node
  REQUIRE(way.size() == 6);
  std::vector<double> carried;
  for (const Link link : way) carried.push_back(network.gbPerS(link));
  const double node = machine.between.gbPerS;
  CHECK(carried == std::vector<double>{node, 2, 4, 4, 2, node});
}

TEST_CASE("flows that meet nobody take what clocks say", "[cluster][flows]") {
  const auto kind = GENERATE(TopologyKind::crossbar, TopologyKind::fatTree);
  const int ranks = GENERATE(2, 7, 16);
  Machine machine = joinedBy(kind);
  machine.between.sendOverheadUs = 0.25;
  machine.staging = {3, 5, {}};
  Plan plan;
  plan.ranks = ranks;
  plan.steps.push_back(work(Op::sparse, std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 5000)));
  exchangeNow(plan, shifted(ranks, 1, 40'000));
  plan.steps.push_back(work(Op::dense, std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 1000)));
  exchangeNow(plan, shifted(ranks, ranks - 1, 900));
  sumGradients(plan, 1000);
  const double clocks = simulateEvents(plan, machine).epochNs;
  CHECK(simulateFlows(plan, machine).epochNs == Approx(clocks).epsilon(1e-6));
  CHECK(simulateFlows(plan, machine).engine == "flows");
}

TEST_CASE("links that are shared slow those that share them, and only those", "[cluster][flows]") {
  Machine machine = joinedBy(TopologyKind::fatTree);
  machine.between.startUs = machine.between.wireUs = 0;
  const auto across = [&](int pairs) {  // from leaf 0 to leaf 1
    Plan plan;
    plan.ranks = 8;
    std::vector<Flow> flows;
    for (int i = 0; i < pairs; ++i) flows.push_back({i, 4 + i, 1, 8000});
    exchangeNow(plan, trafficOf(8, std::move(flows)));
    return plan;
  };
  CHECK(simulateFlows(across(4), machine).epochNs == Approx(8000));
  machine.topology.oversubscription = 4;  // one uplink's worth for four nodes
  CHECK(simulateFlows(across(1), machine).epochNs == Approx(8000));
  CHECK(simulateFlows(across(2), machine).epochNs == Approx(16'000));
  CHECK(simulateFlows(across(4), machine).epochNs == Approx(32'000));
  CHECK(simulateEvents(across(4), machine).epochNs == Approx(8000));  // clocks know no links
}

TEST_CASE("two senders share a receiver as they would wait for it", "[cluster][flows]") {
  Plan plan;
  plan.ranks = 3;
  exchangeNow(plan, trafficOf(3, {{0, 2, 1, 10'000}, {1, 2, 1, 10'000}}));
  // 2 us start, 20 us of bytes at half the rate each, 5 us wire
  CHECK(simulateFlows(plan, plainMachine()).epochNs == Approx(27'000));
}

TEST_CASE("a late start is a multiple of that gained by whom it hinders", "[cluster][flows]") {
  // rank 0 has the way to rank 4 alone until ranks 1 to 3 start, and a quarter of it from then on
  const auto endNs = [](std::int64_t lateNs) {
    Plan plan;
    plan.ranks = 6;
    plan.steps.push_back(work(Op::sparse, {0, lateNs, lateNs, lateNs, 0, 0}));
    exchangeNow(
        plan,
        trafficOf(
            6, {{0, 4, 1, 10'000}, {0, 5, 1, 500}, {1, 4, 1, 90'000}, {2, 4, 1, 90'000}, {3, 4, 1, 90'000}}));
    SimulateOptions options;
    options.lanes = 6;
    return static_cast<double>(simulateFlows(plan, plainMachine(), options).lanes[5].back().endNs());
  };
  // 2 us start of all; then late + 4 (10 us − late); rank 0's next message: 2 us start, 0.5 us, 5 us wire
  CHECK(endNs(4000) == 2000 + 4000 + 4 * 6000 + 7500);
  CHECK(endNs(5000) == 2000 + 5000 + 4 * 5000 + 7500);
}

TEST_CASE("stale messages flow beside later epochs", "[cluster][flows]") {
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {100'000, 100'000, 100'000, 100'000}));
  takeAndSend(plan, shifted(4, 1, 50'000), 1);
  CHECK(simulateFlows(plan, plainMachine()).epochNs == Approx(100'000));
}

TEST_CASE("flows wait while a sum has the link, as messages of clocks do", "[cluster][flows]") {
  const std::int64_t stale = GENERATE(5'000, 50'000), summed = GENERATE(1'000, 40'000);
  CAPTURE(stale, summed);
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {10'000, 10'000, 10'000, 10'000}));
  takeAndSend(plan, shifted(4, 1, stale), 1);
  sumGradients(plan, summed);
  Machine machine = plainMachine();
  machine.within = machine.between;
  const double sumWireNs = allReduceWireNs(4, static_cast<double>(summed), machine);
  const double sumNs = collectiveNs(Collective::allReduce, 4, static_cast<double>(summed), machine);
  // work and sum, or what a rank's side carries in an epoch: a start, its stale rows and the sum's
  const double stands = std::max(10'000 + sumNs, 2'000 + static_cast<double>(stale) + sumWireNs);
  CHECK(sumWireNs == 1.5 * static_cast<double>(summed));
  CHECK(simulateFlows(plan, machine).epochNs >= stands * 0.999);
  CHECK(simulateFlows(plan, machine).epochNs == Approx(simulateEvents(plan, machine).epochNs).epsilon(0.05));
}

TEST_CASE("messages within a node hold up none beyond it", "[cluster][flows]") {
  Machine machine = plainMachine();
  machine.ranksPerNode = 2;
  machine.between = machine.within = {0, 0, 0, 0, 1, {}};
  Plan plan;
  plan.ranks = 4;
  exchangeNow(plan, trafficOf(4, {{0, 1, 1, 10'000}, {0, 2, 1, 10'000}, {3, 2, 1, 9'000}}));
  // memory and card carry theirs beside each other
  CHECK(simulateFlows(plan, machine).epochNs == Approx(10'000));
  CHECK(simulateEvents(plan, machine).epochNs == Approx(10'000));
}

TEST_CASE("late messages fill the network before its epochs are measured, be they bytes or starts",
          "[cluster][flows]") {
  // 50 us of work, and 60 of bytes and starts: 5 epochs late, the network is full after 30 epochs
  const int startUs = GENERATE(0, 59);
  Plan plan;
  plan.ranks = 2;
  plan.steps.push_back(work(Op::sparse, {50'000, 50'000}));
  takeAndSend(plan, shifted(2, 1, 60'000 - 1000 * startUs), 5);
  Machine machine = plainMachine();
  machine.between = {0, 0, 0, 0, 1, {}};
  machine.between.startUs = startUs;
  for (auto* simulate : {&simulateEvents, &simulateFlows})
    CHECK(simulate(plan, machine, {}).epochNs == Approx(60'000).epsilon(1e-3));
}

TEST_CASE("what is left of a message late in a long epoch ends, too", "[cluster][flows]") {
  Plan plan;
  plan.ranks = 4;
  const std::int64_t late = 1'000'000'000'000'000;  // ns, of which a double tells eighths apart
  plan.steps.push_back(work(Op::sparse, {late, late + 1, late + 2, late + 3}));
  exchangeNow(plan, shifted(4, 1, 50'001));
  CHECK(simulateFlows(plan, plainMachine()).epochNs == Approx(1e15).epsilon(1e-6));
}

TEST_CASE("what engine C2 cannot do is refused by name", "[cluster][flows]") {
  Plan plan;
  plan.ranks = 513;
  exchangeNow(plan, shifted(513, 1, 10));
  CHECK_THROWS_WITH(simulateFlows(plan, plainMachine()),
                    Catch::Contains("513 workers are too many; at most 512"));
  Plan two;
  two.ranks = 2;
  Machine machine = plainMachine();
  machine.progress = Progress::none;
  CHECK_THROWS_WITH(simulateFlows(two, machine), Catch::Contains("advances transfers by polls or waits"));
  machine = plainMachine();
  machine.compute.overlapSlowdown = 1.2;
  CHECK_THROWS_WITH(simulateFlows(two, machine), Catch::Contains("slows work beside transfers"));
}

TEST_CASE("clocks and flows agree on irregular plans within their order of service", "[cluster][flows]") {
  const auto seed = GENERATE(1U, 2U, 3U);
  PhiloxStream random(seed, Purpose::shuffle, 6);
  Plan plan;
  plan.ranks = 10;
  for (int layer = 0; layer < 2; ++layer) {
    std::vector<Flow> flows;
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 10; ++j)
        if (i != j && random.below(2) == 0)
          flows.push_back({i, j, 1, 1000 + static_cast<std::int64_t>(random.below(50'000))});
    exchangeNow(plan, trafficOf(10, std::move(flows)));
  }
  const double flows = simulateFlows(plan, plainMachine()).epochNs;
  const double clocks = simulateEvents(plan, plainMachine()).epochNs;
  const double bulk = simulateBulk(plan, plainMachine()).epochNs;
  CAPTURE(flows, clocks, bulk);
  CHECK(flows >= 0.75 * bulk);
  CHECK(flows <= 2 * clocks);
  CHECK(clocks <= 2 * flows);
}

}  // namespace
}  // namespace halo::cluster
