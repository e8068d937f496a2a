#include "simulator/cluster/engines/bulk.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "simulator/cluster/machines/machine_figures.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/places.h"

namespace halo::cluster {
namespace {

Machine fugaku() { return readMachine(std::string(kSourceDir) + "/resources/clusters/a64fx-tofu.toml"); }

TEST_CASE("SuperGCN's Table 4 is met within 7 %", "[cluster]") {
  // mag240M on 2048 ranks, one layer: GB of all ranks together, published milliseconds, and what 1.9 us a
  // message and 0.85 GB/s a rank make of it (resources/design/simulator.md, Clusters)
  struct Row {
    const char* what;
    double gb, publishedLowMs, publishedHighMs, formulaMs;
  };
  const Row row = GENERATE(
      Row{"parameters of int2", 1.6530, 4.82566, 4.82566, 4.84}, Row{"int2", 80.4770, 47.0393, 47.0393, 50.1},
      Row{"hybrid", 1269.5784, 730.792, 730.792, 733}, Row{"pre or post", 1934.8559, 1094.35, 1131.62, 1115});
  CAPTURE(row.what);
  constexpr int kRanks = 2048;
  Plan plan;
  plan.ranks = kRanks;
  exchangeNow(plan, sums(kRanks - 1, std::llround(row.gb * 1e9 / kRanks)));
  const ClusterResult result = simulateBulk(plan, fugaku());
  const double ms = result.epochNs / 1e6;
  CAPTURE(ms);
  CHECK(std::abs(ms - row.formulaMs) <= 0.005 * row.formulaMs);
  CHECK(ms >= 0.93 * row.publishedLowMs);
  CHECK(ms <= 1.07 * row.publishedHighMs);
  CHECK(result.fidelity == "analytic");
}

TEST_CASE("an all-to-all of papers100M waits for its messages' starts from some 5900 ranks on", "[cluster]") {
  // P* = sqrt(n d S / (alpha beta)); far past the 128 columns of mop
  const Machine machine = fugaku();
  const double moved = 111e6 * 128 * 4;
  const double rankGbPerS = machine.between.gbPerS / static_cast<double>(machine.ranksPerNode);
  const double crossing = std::sqrt(moved / (machine.between.startUs * 1e3 * rankGbPerS));
  CHECK(crossing == Approx(5900).epsilon(0.01));
  const auto ns = [&](int ranks, double bytes) {
    Plan plan;
    plan.ranks = ranks;
    exchangeNow(plan, sums(ranks - 1, std::llround(bytes * (ranks - 1) / ranks / ranks)));
    return simulateBulk(plan, machine).epochNs;
  };
  for (const double share : {0.5, 1.0, 2.0}) {
    const int ranks = static_cast<int>(share * crossing);
    const double starts = ns(ranks, 0), bytes = ns(ranks, moved) - starts;
    CAPTURE(ranks, starts, bytes);
    CHECK(bytes / starts == Approx(1 / (share * share)).epsilon(0.01));
  }
}

TEST_CASE("an exchange takes what its busiest rank takes, and the wire once", "[cluster]") {
  Machine machine = plainMachine();
  machine.between.sendOverheadUs = 0.5;
  machine.between.receiveOverheadUs = 0.25;
  Plan plan;
  plan.ranks = 3;
  exchangeNow(plan, trafficOf(3, {{0, 1, 1, 1000}, {0, 2, 1, 3000}, {1, 2, 1, 500}}));
  // rank 0: 2 sends;  rank 2: 2 receipts of 3500 bytes: 2 · (0.25 + 2) us + 3.5 us
  //   0: 2 · 0.5 + 2 · 2 + 4 = 9 us;  1: 0.5 + 0.25 + 2 + 1 = 3.75;  2: 0.5 + 4 + 3.5 = 8
  CHECK(simulateBulk(plan, machine).epochNs == Approx(9000 + 5000));
}

TEST_CASE("a node's ranks share its card, and its memory goes beside that", "[cluster]") {
  Machine machine = plainMachine();
  machine.ranksPerNode = 2;
  machine.between = {0, 0, 0, 0, 1, {}};
  machine.within = {0, 0, 0, 0, 4, {}};
  const auto ns = [&](std::vector<Flow> flows) {
    Plan plan;
    plan.ranks = 4;
    exchangeNow(plan, trafficOf(4, std::move(flows)));
    return simulateBulk(plan, machine).epochNs;
  };
  CHECK(ns({{0, 2, 1, 1000}}) == Approx(1000));                   // alone
  CHECK(ns({{0, 2, 1, 1000}, {1, 3, 1, 1000}}) == Approx(2000));  // two share
  CHECK(ns({{0, 1, 1, 1000}}) == Approx(250));                    // within the node
  // 3000 of 0 and 1000 of 1 leave by one card: 4000, not twice the larger
  CHECK(ns({{0, 2, 1, 3000}, {1, 3, 1, 1000}}) == Approx(4000));
  // memory is no part of the card, and a message within the node keeps none beyond it from leaving
  CHECK(ns({{0, 1, 1, 1000}, {0, 2, 1, 1000}}) == Approx(1000));
}

TEST_CASE("where pairs are not kept, peers are taken to be everywhere", "[cluster]") {
  Machine machine = plainMachine();
  machine.ranksPerNode = 4;
  machine.within = {1, 1, 0, 0, 10, {}};
  constexpr int kRanks = 64, kBytes = 63000;
  Plan pairs, summed;
  pairs.ranks = summed.ranks = kRanks;
  exchangeNow(pairs, shifted(kRanks, kRanks - 1, kBytes / (kRanks - 1)));
  exchangeNow(summed, sums(kRanks - 1, kBytes));
  CHECK(simulateBulk(summed, machine).epochNs == Approx(simulateBulk(pairs, machine).epochNs));
}

TEST_CASE("work between start and wait hides the exchange", "[cluster]") {
  Machine machine = plainMachine();
  const auto plan = [&](std::int64_t betweenNs) {
    Plan overlapPlan;
    overlapPlan.ranks = 2;
    exchangeNow(overlapPlan, shifted(2, 1, 3000));  // 5 + 2 + 3 = 10 us
    overlapPlan.steps.insert(overlapPlan.steps.begin() + 1, work(Op::sparse, {betweenNs, betweenNs}));
    return overlapPlan;
  };
  CHECK(simulateBulk(plan(4000), machine).epochNs == Approx(10000));
  CHECK(simulateBulk(plan(15000), machine).epochNs == Approx(15000));
  machine.progress = Progress::none;
  CHECK(simulateBulk(plan(4000), machine).epochNs == Approx(14000));
}

TEST_CASE("shares of time add up to the epoch, and slower ranks leave the others idle", "[cluster]") {
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {1000, 2000, 3000, 6000}));
  exchangeNow(plan, shifted(4, 2, 700));
  plan.steps.push_back(work(Op::dense, {500, 500, 500, 500}));
  sumGradients(plan, 4096);
  const ClusterResult result = simulateBulk(plan, plainMachine());
  CHECK(result.shares.totalNs() == Approx(result.epochNs));
  CHECK(result.shares.sparseNs == Approx(3000));
  CHECK(result.shares.idleNs == Approx(3000));
  CHECK(result.shares.denseNs == Approx(500));
  CHECK(result.shares.waitNs == Approx(5000 + 2 * 2000 + 1400));
  CHECK(result.shares.reduceNs == Approx(6 * 7000 + 1.5 * 4096));
}

TEST_CASE("the machine's memory is held against what the method keeps", "[cluster]") {
  Plan plan;
  plan.ranks = 2;
  plan.memoryBytes = PerRank(std::vector<std::int64_t>{900'000'000, 1'100'000'000});
  Machine machine = plainMachine();
  CHECK_FALSE(simulateBulk(plan, machine).overMemory);  // not said
  machine.memoryGbPerRank = 1;
  CHECK(simulateBulk(plan, machine).overMemory);
  machine.memoryGbPerRank = 2;
  CHECK_FALSE(simulateBulk(plan, machine).overMemory);
}

TEST_CASE("more ranks than the machine has are refused by name", "[cluster]") {
  Machine machine = plainMachine();
  machine.nodes = 3;
  machine.ranksPerNode = 2;
  Plan plan;
  plan.ranks = 7;
  CHECK_THROWS_WITH(simulateBulk(plan, machine),
                    "workers: 7 workers do not fit plain, which has 3 nodes of 2; at most 6");
  plan.ranks = 6;
  CHECK(simulateBulk(plan, machine).epochNs == 0);
}

TEST_CASE("results of extrapolated plans say so", "[cluster]") {
  Plan plan;
  plan.origin = GENERATE(PlanOrigin::counted, PlanOrigin::expected, PlanOrigin::fitted, PlanOrigin::recorded);
  const bool extrapolated = plan.origin == PlanOrigin::expected || plan.origin == PlanOrigin::fitted;
  CHECK((simulateBulk(plan, plainMachine()).kind == PointClass::extrapolated) == extrapolated);
}

}  // namespace
}  // namespace halo::cluster
