// Collectives on cards that ranks share: each step of the closed forms beside its messages under clocks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "engine/base/index.h"
#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/machines/crossings.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

using Rounds = std::vector<std::vector<Flow>>;

Machine sharing(std::int64_t ranksPerNode, double startUs) {
  Machine machine = plainMachine();
  machine.ranksPerNode = ranksPerNode;
  machine.between = {startUs, 5, 0.25, 0.5, 1, {}};
  machine.within = {0.1, 0.5, 0.05, 0.1, 8, {}};
  return machine;
}

/// The messages of each step, as the algorithm has them; bytes as collectiveNs counts them. Powers of two.
Rounds roundsOf(Collective operation, const std::string& algorithm, int ranks, std::int64_t bytes, int root) {
  Rounds rounds;
  const auto add = [&](std::int64_t each, auto target) {
    std::vector<Flow> flows;
    for (int i = 0; i < ranks; ++i)
      if (const int to = target(i); to >= 0) flows.push_back({i, to, 1, each});
    std::ranges::sort(flows, {}, [](const Flow& f) { return std::pair(f.source, f.target); });
    rounds.push_back(std::move(flows));
  };
  const auto shifted = [&](int d) { return [=](int i) { return (i + d) % ranks; }; };
  const auto ring = [&](int times, std::int64_t each) {
    for (int s = 0; s < times; ++s) add(each, shifted(1));
  };
  if (operation == Collective::allReduce && algorithm == "ring") ring(2 * (ranks - 1), bytes / ranks);
  if (operation == Collective::allGather && algorithm == "ring") ring(ranks - 1, bytes);
  for (int d = 1; d < ranks; d *= 2) {
    const auto exchanged = [=](int i) { return i ^ d; };
    if (algorithm == "recursive-doubling") add(bytes, exchanged);
    if (algorithm == "rabenseifner") {  // halves scattered, and gathered again
      add(bytes / (2 * d), exchanged);
      add(bytes / (2 * d), exchanged);
    }
    if (operation == Collective::allGather && algorithm == "bruck") add(d * bytes, shifted(ranks - d));
    if (operation == Collective::allToAll && algorithm == "bruck")
      add(ranks / 2 * bytes / (ranks - 1), shifted(d));
    const auto handed = [=](int i) {
      const int behind = (i - root + ranks) % ranks;
      return behind % (2 * d) == 0 ? (i + d) % ranks : -1;
    };
    if (algorithm == "binomial") add(bytes, handed);
    if (algorithm == "scatter-allgather") add(bytes / ranks * d, handed);
  }
  if (algorithm == "scatter-allgather") ring(ranks - 1, bytes / ranks);
  return rounds;
}

double clocksNs(const Rounds& rounds, int ranks, const Machine& machine) {
  Plan plan;
  plan.ranks = ranks;
  for (const std::vector<Flow>& flows : rounds) exchangeNow(plan, trafficOf(ranks, flows));
  return simulateEvents(plan, machine).epochNs;
}

TEST_CASE("steps of collectives take what their messages take of shared cards", "[cluster][cards]") {
  const auto [operation, algorithm] = GENERATE(table<Collective, std::string>({
      {Collective::allReduce, "ring"},
      {Collective::allReduce, "rabenseifner"},
      {Collective::allReduce, "recursive-doubling"},
      {Collective::broadcast, "binomial"},
      {Collective::broadcast, "scatter-allgather"},
      {Collective::allToAll, "bruck"},
      {Collective::allGather, "ring"},
      {Collective::allGather, "bruck"},
  }));
  const int ranks = GENERATE(4, 16, 32);
  const std::int64_t ranksPerNode = GENERATE(1, 2, 3, 4, 8, 64);
  const std::int64_t bytes = 32 * GENERATE(31, 15 * 31 * 7);  // in 31 blocks, and in 15, 3, and halves of 32
  const int root = operation == Collective::broadcast ? GENERATE(0, 1, 2, 3) : 0;
  const Machine machine = sharing(ranksPerNode, 2);
  const Rounds rounds = roundsOf(operation, algorithm, ranks, bytes, root);
  double lockstep = 0;  // a step begins when the last message of the one before has come
  for (const std::vector<Flow>& flows : rounds) lockstep += clocksNs({flows}, ranks, machine);
  const double ns = collectiveNs(operation, algorithm, ranks, static_cast<double>(bytes), machine, root);
  const double free = clocksNs(rounds, ranks, machine);
  CAPTURE(algorithm, ranks, ranksPerNode, bytes, root, lockstep / ns, free / ns);
  // equal but for whole bytes; where a node's ranks talk to two others at a time, a card may idle first and
  // be met by both then
  const bool uneven = ranksPerNode == 3;
  CHECK(lockstep >= 0.999 * ns);
  CHECK(lockstep <= (uneven ? 1.1 : 1.001) * ns);
  if (uneven) return;  // a message of the next step may go before one that others wait for
  // ranks that go on by themselves may be in two steps at a time; a card has its bytes all the same, in trees
  // not the same one in each step
  CHECK(free <= 1.001 * lockstep);
  if (operation == Collective::broadcast) return;
  Machine bytesAlone = machine;
  bytesAlone.within.gbPerS = 1e12;
  for (MessageCosts* costs : {&bytesAlone.between, &bytesAlone.within})
    costs->startUs = costs->wireUs = costs->sendOverheadUs = costs->receiveOverheadUs = 0;
  CHECK(free >= 0.999 * collectiveNs(operation, algorithm, ranks, static_cast<double>(bytes), bytesAlone));
}

TEST_CASE("messages that ranks of a node send off together take what clocks say", "[cluster][cards]") {
  const int ranks = GENERATE(4, 6, 12, 32);
  const std::int64_t ranksPerNode = GENERATE(1, 2, 3, 4);
  const double startUs = GENERATE(0.0, 1.0, 20.0);
  if (ranks % ranksPerNode != 0) return;
  const Machine machine = sharing(ranksPerNode, startUs);
  const std::int64_t block = 1'000;
  const double bytes = static_cast<double>(block * (ranks - 1));
  CAPTURE(ranks, ranksPerNode, startUs);
  const int perNode = static_cast<int>(ranksPerNode);
  std::vector<Flow> inside, between;
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j) {
      if (i == j) continue;
      if (i / perNode == j / perNode) inside.push_back({i, j, 1, block * ranks / perNode});
      if (i % perNode == j % perNode) between.push_back({i, j, 1, block * perNode});
    }
  Machine bare = machine;  // the processor's part of one message may hide another's: not here
  for (MessageCosts* costs : {&bare.between, &bare.within})
    costs->sendOverheadUs = costs->receiveOverheadUs = 0;
  const double pairwise = clocksNs({shifted(ranks, ranks - 1, block).flows}, ranks, bare);
  CHECK(collectiveNs(Collective::allToAll, "pairwise", ranks, bytes, bare) ==
        Approx(pairwise).margin(1'000));  // a message
  if (ranksPerNode == 1 || ranksPerNode == ranks) return;
  const double levels = clocksNs({inside}, ranks, bare) + clocksNs({between}, ranks, bare);
  CHECK(collectiveNs(Collective::allToAll, "two-level", ranks, bytes, bare) == Approx(levels));
}

TEST_CASE("Rabenseifner's sums cross a node's border once, whatever its ranks", "[cluster][cards]") {
  // 4 nodes of k ranks: all of a vector but a quarter leaves each node, twice; the rest is messages
  Machine machine = sharing(1, 0);
  machine.between = {0, 0, 0, 0, 1, {}};
  machine.within = {0, 0, 0, 0, 1e12, {}};
  machine.collectives = {{Collective::allReduce, "rabenseifner", 0}};
  for (const std::int64_t k : {1, 2, 4, 16}) {
    machine.ranksPerNode = k;
    const int ranks = static_cast<int>(4 * k);
    CAPTURE(k);
    CHECK(collectiveNs(Collective::allReduce, ranks, 64'000, machine) == Approx(2 * 48'000));
    CHECK(allReduceWireNs(ranks, 64'000, machine) == Approx(2 * 48'000));
  }
}

/// Crossings by looking at every message.
template <class Target>
Crossings lookedAt(const NodeRanks& among, Target target) {
  std::vector<std::int64_t> out(at(among.ranks), 0), in = out;
  bool within = false;
  for (std::int64_t i = 0; i < among.ranks; ++i) {
    const std::int64_t to = target(i);
    if (to < 0 || to >= among.ranks) continue;
    const std::int64_t sourceNode = i / among.perNode, targetNode = to / among.perNode;
    within = within || sourceNode == targetNode;
    if (sourceNode == targetNode) continue;
    ++out[at(sourceNode)];
    ++in[at(targetNode)];
  }
  return {std::max(std::ranges::max(out), std::ranges::max(in)), within};
}

TEST_CASE("crossings are as many as messages that cross", "[cluster][cards]") {
  const std::int64_t ranks = GENERATE(2, 3, 5, 8, 12, 16, 33), perNode = GENERATE(1, 2, 3, 4, 5, 8, 40);
  const NodeRanks among{ranks, perNode};
  for (std::int64_t d = 1; d < ranks; d *= 2) {
    CAPTURE(ranks, perNode, d);
    const auto same = [](const Crossings& actual, const Crossings& expected) {
      CHECK(actual.beyond == expected.beyond);
      CHECK(actual.within == expected.within);
    };
    same(shiftedBy(among, d), lookedAt(among, [&](std::int64_t i) { return (i + d) % ranks; }));
    same(exchangedAt(among, d), lookedAt(among, [&](std::int64_t i) { return i ^ d; }));
    for (std::int64_t root = 0; root < ranks; ++root) {
      const Crossings all = lookedAt(among, [&](std::int64_t i) {
        const std::int64_t behind = (i - root + ranks) % ranks;
        return behind % (2 * d) == 0 && behind + d < ranks ? (i + d) % ranks : -1;
      });
      CAPTURE(root);
      CHECK(handedOn(among, d, root).beyond == std::min<std::int64_t>(all.beyond, 1));
    }
  }
}

}  // namespace
}  // namespace halo::cluster
