#include "simulator/cluster/engines/costs.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

// plainMachine: 7 us a message (2 start, 5 wire), 1 ns a byte
double ns(Collective operation, const char* algorithm, int ranks, double bytes) {
  return collectiveNs(operation, algorithm, ranks, bytes, plainMachine());
}

TEST_CASE("collectives take their closed forms", "[cluster]") {
  CHECK(ns(Collective::allReduce, "ring", 4, 1000) == Approx(6 * 7000 + 1500));
  CHECK(ns(Collective::allReduce, "rabenseifner", 8, 1000) == Approx(6 * 7000 + 1750));
  CHECK(ns(Collective::allReduce, "recursive-doubling", 8, 1000) == Approx(3 * 8000));
  CHECK(ns(Collective::broadcast, "binomial", 8, 1000) == Approx(3 * 8000));
  CHECK(ns(Collective::broadcast, "scatter-allgather", 8, 1000) == Approx(10 * 7000 + 1750));
  CHECK(ns(Collective::broadcast, "flat", 8, 1000) == Approx(7 * 3000 + 5000));
  CHECK(ns(Collective::allToAll, "pairwise", 8, 7000) == Approx(7 * 2000 + 5000 + 7000));
  CHECK(ns(Collective::allToAll, "bruck", 8, 7000) == Approx(3 * (7000 + 4000)));  // four blocks of 1000 each
  CHECK(ns(Collective::allGather, "ring", 8, 1000) == Approx(7 * 7000 + 7000));
  CHECK(ns(Collective::allGather, "bruck", 8, 1000) == Approx(3 * 7000 + 7000));
}

TEST_CASE("rounds of a collective are whole for any number of ranks", "[cluster]") {
  CHECK(ns(Collective::allReduce, "recursive-doubling", 5, 1000) == Approx(3 * 8000));
  CHECK(ns(Collective::broadcast, "binomial", 9, 1000) == Approx(4 * 8000));
}

TEST_CASE("one rank, or no bytes, take no time", "[cluster]") {
  const auto operation =
      GENERATE(Collective::allReduce, Collective::broadcast, Collective::allToAll, Collective::allGather);
  for (const std::string& algorithm : algorithmsOf(operation)) {
    CAPTURE(algorithm);
    CHECK(ns(operation, algorithm.c_str(), 1, 1000) == 0);
    CHECK(ns(operation, algorithm.c_str(), 8, 0) == 0);
  }
}

TEST_CASE("an all-to-all in two levels starts fewer messages between nodes", "[cluster]") {
  Machine machine = plainMachine();
  machine.ranksPerNode = 4;
  machine.within = {1, 0.5, 0, 0, 10, {}};
  // 32 ranks on 8 nodes, four at each card. They start beside each other: a rank has its next message at the
  // card when its start is over, or when the card has had one of each
  const double pairwise = collectiveNs(Collective::allToAll, "pairwise", 32, 3200, machine);
  const double levels = collectiveNs(Collective::allToAll, "two-level", 32, 3200, machine);
  const double block = 3200.0 / 31;
  // 28 go beyond the node; the last four come to one rank together, which takes a start for each
  CHECK(pairwise == Approx(2000 + 4 * block + 27 * (2000 + block) + 5000 + 3 * 2000 + block));
  // of 31 blocks 24 go through the node's others (3 of them, 8 nodes each), 28 beyond it (7 nodes, 4 ranks)
  CHECK(levels ==
        Approx((3 * 1000 + 500 + 24 * block / 10) + (2000 + 4 * 4 * block + 6 * (2000 + 4 * block) + 5000)));
  CHECK(levels < pairwise);
}

TEST_CASE("no all-to-all moves fewer blocks than its ranks have for each other", "[cluster]") {
  // Bruck's round k passes on the blocks of those whose distance has bit k set
  for (const int ranks : {2, 4, 8, 64}) {
    int passed = 0;
    for (unsigned distance = 1; distance < static_cast<unsigned>(ranks); ++distance)
      passed += std::popcount(distance);
    const double rounds = std::log2(ranks);
    CAPTURE(ranks);
    CHECK(ns(Collective::allToAll, "bruck", ranks, 1000.0 * (ranks - 1)) ==
          Approx(rounds * 7000 + 1000.0 * passed));
    CHECK(passed >= ranks - 1);
  }
  // where nothing is saved, two levels take as long for their bytes as one
  Machine machine = plainMachine();
  machine.ranksPerNode = 2;
  machine.between = {0, 0, 0, 0, 1, {}};
  machine.within = {0, 0, 0, 0, 1e12, {}};
  for (const int ranks : {4, 8})
    CHECK(collectiveNs(Collective::allToAll, "two-level", ranks, 1000.0 * (ranks - 1), machine) ==
          Approx(2 * 1000.0 * (ranks - 2)));
}

TEST_CASE("an algorithm is chosen by size, in the order of the table", "[cluster]") {
  Machine machine = plainMachine();
  CHECK(machine.algorithm(Collective::allReduce, 1e9) == "ring");  // nothing said: the first known
  machine.collectives = {{Collective::allReduce, "recursive-doubling", 16},
                         {Collective::allReduce, "rabenseifner", 0}};
  CHECK(machine.algorithm(Collective::allReduce, 16e3) == "recursive-doubling");
  CHECK(machine.algorithm(Collective::allReduce, 16.1e3) == "rabenseifner");
}

TEST_CASE("an emulated link's sum is the one that the worker waits for", "[cluster]") {
  const Machine machine = machineOf({"10gbe", 9.4, 20.0, 0});
  for (const int ranks : {2, 3, 8}) {
    const double bytes = 123456;
    // engine/comm/link/link.h: 2(P−1) steps of latency and a P-th of the bytes
    const double expected = 2 * (ranks - 1) * (20e3 + bytes / ranks * 8 / 9.4);
    CHECK(collectiveNs(Collective::allReduce, ranks, bytes, machine) == Approx(expected));
  }
}

TEST_CASE("staged machines copy out and in", "[cluster]") {
  Machine machine = plainMachine();
  machine.staging = {2, 4, {}};
  Plan plan;
  const ExchangeCosts costs = exchangeCosts(shifted(2, 1, 4000), 2, machine);
  CHECK(costs.ranks[0].copyOutNs == Approx(2000));
  CHECK(costs.ranks[0].copyInNs == Approx(1000));
  CHECK(costs.ranks[0].totalNs() == Approx(2000 + 2000 + 4000 + 1000));
  CHECK(collectiveNs(Collective::allReduce, "ring", 2, 4000, machine) == Approx(2 * 7000 + 4000 + 3000));
}

TEST_CASE("work is start, entries, rows and rates", "[cluster]") {
  Machine machine = plainMachine();
  machine.compute = {3, 1.5, 0.5, 2, 4, 8, 1, 0, {}};
  Step step;
  step.op = Op::sparse;
  step.entries = PerRank(50);
  step.entryElements = PerRank(1000);
  step.rowElements = PerRank(100);
  CHECK(computeNs(step, 0, 0, 0, machine, {}) == Approx(3000 + 75 + 500 + 200));
  step.op = Op::dense;
  step.flop = PerRank(8000);
  CHECK(computeNs(step, 0, 0, 0, machine, {}) == Approx(3000 + 2000));
  step.op = Op::pack;
  CHECK(computeNs(step, 0, 0, 0, machine, {}) == 0);  // no bytes: no kernel
  step.bytes = PerRank(800);
  CHECK(computeNs(step, 0, 0, 0, machine, {}) == Approx(3000 + 100));
  step.measuredNs = PerRank(77);
  CHECK(computeNs(step, 0, 0, 0, machine, {}) == 77);
  SimulateOptions twice;
  twice.rankSpeed = {2};
  CHECK(computeNs(step, 0, 0, 0, machine, twice) == 38.5);
}

TEST_CASE("noise is drawn by seed, rank, epoch and step alone, and only slows", "[cluster]") {
  Machine machine = plainMachine();
  machine.compute.noiseSigma = 0.3;
  Step step;
  step.measuredNs = PerRank(1000);
  int above = 0;
  for (int rank = 0; rank < 2000; ++rank) {
    const double ns = computeNs(step, 1, rank, 2, machine, {});
    CHECK(ns >= 1000);
    CHECK(ns == computeNs(step, 1, rank, 2, machine, {}));
    above += ns > 1000 * std::exp(0.3 * 0.67449) ? 1 : 0;  // the median of |z|
  }
  CHECK(std::abs(above - 1000) < 135);  // 6 standard deviations of 2000 fair coins
  CHECK(computeNs(step, 1, 0, 2, machine, {}) != computeNs(step, 1, 0, 3, machine, {}));
  SimulateOptions other;
  other.seed = 2;
  CHECK(computeNs(step, 1, 0, 2, machine, {}) != computeNs(step, 1, 0, 2, machine, other));
}

}  // namespace
}  // namespace halo::cluster
