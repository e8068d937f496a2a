#include "simulator/cluster/engines/shared_cores.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

TEST_CASE("cores are whole while there are enough, and shared alike beyond", "[cluster][cores]") {
  SharedCores cores(2);
  CHECK(std::isinf(cores.nextEndNs()));
  cores.begin(0, 0, 100);
  cores.begin(1, 10, 200);
  CHECK(cores.nextEndNs() == Approx(100));  // a core each
  cores.begin(2, 40, 30);                   // three on two: two thirds of a core each
  // rank 0 has 60 left, rank 1 170, rank 2 30
  CHECK(cores.nextEndNs() == Approx(40 + 30 * 1.5));
  CHECK(cores.takeFinished(85) == std::vector<int>{2});
  CHECK(cores.nextEndNs() == Approx(85 + 30));  // rank 0 has 30 left, on a core of its own again
  CHECK(cores.takeFinished(115) == std::vector<int>{0});
  CHECK(cores.takeFinished(115 + 110) == std::vector<int>{1});
  CHECK(std::isinf(cores.nextEndNs()));
}

TEST_CASE("those that end together are taken together", "[cluster][cores]") {
  SharedCores cores(1);
  for (const int rank : {3, 1, 2}) cores.begin(rank, 5, 100);
  CHECK(cores.nextEndNs() == Approx(305));
  CHECK(cores.takeFinished(305) == std::vector<int>{1, 2, 3});
}

/// One host of two cores; ranks with links of their own.
Machine host() {
  Machine machine = machineOf({"x", 8, 0, 0}, /*cores=*/2);
  machine.compute = plainMachine().compute;
  return machine;
}

TEST_CASE("more ranks than cores take their work over the cores", "[cluster][cores]") {
  Plan plan;
  plan.ranks = 8;
  plan.steps.push_back(work(Op::sparse, std::vector<std::int64_t>(8, 10'000)));
  CHECK(simulateBulk(plan, host()).epochNs == Approx(40'000));
  CHECK(simulateEvents(plan, host()).epochNs == Approx(40'000));
  CHECK(simulateEvents(plan, host()).shares.sparseNs == Approx(40'000));
  plan.steps.front() = work(Op::sparse, {10'000, 0, 0, 0, 0, 0, 0, 10'000});
  CHECK(simulateBulk(plan, host()).epochNs == Approx(10'000));
  CHECK(simulateEvents(plan, host()).epochNs == Approx(10'000));
}

TEST_CASE("who waits leaves its core to others", "[cluster][cores]") {
  // ranks 0 and 1 exchange 100 us of bytes while 2 and 3 compute
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {1000, 1000, 0, 0}));
  exchangeNow(plan, trafficOf(4, {{0, 1, 1, 100'000}, {1, 0, 1, 100'000}}));
  plan.steps.push_back(work(Op::sparse, {0, 0, 80'000, 80'000}));
  // four at first, two cores: 2 us; then 2 and 3 have them alone
  CHECK(simulateEvents(plan, host()).epochNs == Approx(102'000));
}

TEST_CASE("clocks with shared cores are no faster than bulk steps' bound", "[cluster][cores]") {
  Plan plan;
  plan.ranks = 6;
  plan.steps.push_back(work(Op::sparse, {9000, 4000, 7000, 1000, 6000, 3000}));
  exchangeNow(plan, shifted(6, 5, 2000));
  plan.steps.push_back(work(Op::dense, {2000, 8000, 1000, 9000, 4000, 6000}));
  sumGradients(plan, 6000);
  const double total = (30'000 + 30'000) / 2.0;
  CHECK(simulateEvents(plan, host()).epochNs >= total);
  CHECK(simulateBulk(plan, host()).epochNs >= total);
}

TEST_CASE("flows do not run where cores are shared", "[cluster][cores]") {
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {1, 1, 1, 1}));
  CHECK_THROWS_WITH(simulateFlows(plan, host()), Catch::Contains("workers share cores; use engine events"));
}

TEST_CASE("processors copy messages while they wait", "[cluster][events]") {
  const auto plan = [](std::int64_t workNs) {  // 100 us on the way, 200 KB in and out
    Plan overlapPlan;
    overlapPlan.ranks = 2;
    exchangeNow(overlapPlan, shifted(2, 1, 100'000));
    overlapPlan.steps.insert(overlapPlan.steps.begin() + 1, work(Op::sparse, {workNs, workNs}));
    return overlapPlan;
  };
  Machine machine = plainMachine();
  machine.between = {0, 0, 0, 0, 1, {"assumed", "by hand"}};
  CHECK(simulateEvents(plan(150'000), machine).epochNs == Approx(150'000));
  machine.messageCopyGbPerS = 2.5;                                           // 80 us
  CHECK(simulateEvents(plan(0), machine).epochNs == Approx(100'000));        // behind what travels
  CHECK(simulateEvents(plan(150'000), machine).epochNs == Approx(230'000));  // nothing travels any more
  CHECK(simulateBulk(plan(0), machine).epochNs == Approx(100'000));
  // on one core the two ranks copy one after the other
  Machine shared = machineOf({"x", 8, 0, 0}, /*cores=*/1);
  shared.compute = machine.compute;
  shared.messageCopyGbPerS = 2.5;
  CHECK(simulateEvents(plan(0), shared).epochNs == Approx(160'000));
  CHECK(simulateBulk(plan(0), shared).epochNs == Approx(160'000));
}

TEST_CASE("messages leave in the machine's order", "[cluster][events]") {
  // all send to all: next-first nobody waits; ascending all begin with rank 0, and rank 7 gets all at the end
  Plan plan;
  plan.ranks = 8;
  exchangeNow(plan, shifted(8, 7, 10'000));
  Machine machine = plainMachine();
  machine.between = {0, 0, 0, 0, 1, {"assumed", "by hand"}};
  CHECK(simulateEvents(plan, machine).epochNs == Approx(70'000));
  machine.messageOrder = MessageOrder::ascending;
  // the seven for rank 7 come in at 60 us, one from each, and are taken in one after the other
  CHECK(simulateEvents(plan, machine).epochNs == Approx(60'000 + 70'000));
}

TEST_CASE("flat broadcasts are the messages they consist of", "[cluster][events]") {
  Plan plan;
  plan.ranks = 3;
  for (int root = 0; root < 3; ++root) {
    std::vector<Flow> flows;
    for (int to = 0; to < 3; ++to)
      if (to != root) flows.push_back({root, to, 1, 10'000});
    Step step;
    step.op = Op::broadcast;
    step.traffic = plan.addTraffic(trafficOf(3, std::move(flows)));
    plan.steps.push_back(step);
  }
  Machine machine = plainMachine();
  machine.between = {0, 0, 0, 0, 1, {"assumed", "by hand"}};
  machine.messageOrder = MessageOrder::ascending;
  machine.collectives = {{Collective::broadcast, "flat", 0}};
  // 0 sends to 1 until 10, to 2 until 20; 1 begins at 10: to 0 until 20, to 2 until 30, where rank 2's side
  // is free at 20; 2 begins at 30: to 0 until 40, to 1 until 50
  CHECK(simulateEvents(plan, machine).epochNs == Approx(50'000));
  CHECK(simulateBulk(plan, machine).epochNs == Approx(50'000));
  CHECK(simulateFlows(plan, machine).epochNs <= 60'000 * (1 + 1e-9));
}

}  // namespace
}  // namespace halo::cluster
