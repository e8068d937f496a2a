// Cards that several ranks of a node share: the simulator beside the emulated ones
// (engine/comm/link/host_card.h).
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/comm/link/host_card.h"
#include "engine/comm/link/link.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

constexpr double kSame = 1e-9;
constexpr double kRests = 1e-6;  // a flow is through when a thousandth of a byte is left (flows.cpp)
constexpr LinkModel kModel{0.1, 50, 0, 2};  // 80 ns a byte
constexpr double kByteNs = 80, kWireNs = 50'000;

/// As network-truth-two-a-host.toml has it.
Machine sharedCards(std::int64_t ranksPerNode = 2) {
  Machine machine = plainMachine();
  machine.ranksPerNode = ranksPerNode;
  machine.messageOrder = MessageOrder::ascending;
  machine.between = {0, kWireNs / 1e3, 0, 0, 1 / kByteNs, {"assumed", "by hand"}};
  machine.within = {0, 0, 0, 0, 8, {"assumed", "by hand"}};
  machine.collectives = {{Collective::broadcast, "flat", 0}};
  return machine;
}

Plan exchanged(int ranks, std::vector<Flow> flows) {
  Plan plan;
  plan.ranks = ranks;
  exchangeNow(plan, trafficOf(ranks, std::move(flows)));
  return plan;
}

Plan summed(int ranks, std::int64_t bytes) {
  Plan plan;
  plan.ranks = ranks;
  sumGradients(plan, bytes);
  return plan;
}

/// Every pair with the chance 1/2, up to 20 kB.
std::vector<Flow> randomPairs(int ranks, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 3);
  std::vector<Flow> flows;
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j)
      if (i != j && random.below(2) == 0)
        flows.push_back({i, j, 1, 1 + static_cast<std::int64_t>(random.below(20'000))});
  return flows;
}

/// Bytes of the card that has most to send, or to get.
double busiestCard(const Plan& plan, const Machine& machine) {
  std::vector<double> out(at(plan.ranks)), in = out;
  double sums = 0;
  for (const Step& step : plan.steps) {
    if (step.op == Op::allReduce)
      sums += 2.0 * (plan.ranks - 1) / plan.ranks * static_cast<double>(step.bytes[0]);
    if (step.op != Op::exchange) continue;
    for (const Flow& f : plan.traffics[at(step.traffic)].flows) {
      const auto from = machine.nodeOf(f.source), to = machine.nodeOf(f.target);
      if (from == to) continue;
      out[at(from)] += static_cast<double>(f.bytes);
      in[at(to)] += static_cast<double>(f.bytes);
    }
  }
  return std::max(std::ranges::max(out), std::ranges::max(in)) + sums;
}

TEST_CASE("what crosses a node's border shares its card, and nothing else does", "[cluster][cards]") {
  // node 0 sends 2000 + 7000 + 500 + 3500 = 13'000 bytes, node 1 9'000; rank 1 has a quarter of node 0's
  const std::vector<Flow> beyond = {{0, 2, 1, 2'000}, {0, 3, 1, 7'000}, {1, 2, 1, 500},   {1, 3, 1, 3'500},
                                    {2, 0, 1, 1'000}, {2, 1, 1, 1'000}, {3, 0, 1, 6'000}, {3, 1, 1, 1'000}};
  const Machine machine = sharedCards();
  const double expected = kWireNs + 13'000 * kByteNs;
  const Plan plan = exchanged(4, beyond);
  CHECK(simulateBulk(plan, machine).epochNs == Approx(expected).epsilon(kSame));
  CHECK(simulateEvents(plan, machine).epochNs == Approx(expected).epsilon(kSame));
  CHECK(simulateFlows(plan, machine).epochNs == Approx(expected).epsilon(kRests));
  // 50'000 bytes through memory at 8 GB/s take 6 us beside that
  std::vector<Flow> all = beyond;
  for (const Flow& f : {Flow{0, 1, 1, 50'000}, Flow{1, 0, 1, 50'000}, Flow{3, 2, 1, 50'000}})
    all.push_back(f);
  const Plan both = exchanged(4, all);
  CHECK(simulateBulk(both, machine).epochNs == Approx(expected).epsilon(kSame));
  CHECK(simulateEvents(both, machine).epochNs == Approx(expected).epsilon(kSame));
}

TEST_CASE("bytes of two ranks a host take twice as long by its card as by one each", "[cluster][cards]") {
  const std::vector<Flow> crossing = {{0, 2, 1, 5'000}, {1, 3, 1, 5'000}, {2, 0, 1, 5'000}, {3, 1, 1, 5'000}};
  const auto emulated =
      [&](std::int64_t ranksPerHost) {  // as engine/comm has them, ranks 0 and 1 of one host
        const halo::Link link(LinkModel{0.1, 50, 0, ranksPerHost});
        std::vector<std::unique_ptr<HostCard>> cards;
        for (int i = 0; i < 4; ++i) cards.push_back(std::make_unique<HostCard>());
        const auto card = [&](int rank) -> HostCard& { return *cards[at(rank / ranksPerHost)]; };
        std::vector<std::pair<int, std::int64_t>> places;
        for (const Flow& f : crossing) {
          const std::int64_t takes = link.transferNs(f.bytes), departs = card(f.source).send(0, takes);
          places.emplace_back(f.target, card(f.target).enter(departs, link.latencyNs(), takes, f.source));
        }
        std::int64_t last = 0;
        for (const auto& [target, place] : places) last = std::max(last, card(target).take(place));
        return static_cast<double>(last);
      };
  const double once = 5'000 * kByteNs;
  CHECK(emulated(1) == kWireNs + once);
  CHECK(emulated(2) == kWireNs + 2 * once);
  // one rank a host has the card of its host for itself: as per = "rank"
  halo::Link own(LinkModel{0.1, 50, 0, 0});
  CHECK(static_cast<double>(own.receive(own.send(0, 5'000), 5'000)) == emulated(1));
  for (const std::int64_t ranksPerNode : {1, 2}) {
    const Machine machine = sharedCards(ranksPerNode);
    LinkSettings link{"x", 0.1, 50, 0};
    link.ranksPerHost = ranksPerNode;
    const double expected = emulated(ranksPerNode);
    CAPTURE(ranksPerNode);
    for (auto* simulate : {&simulateBulk, &simulateEvents, &simulateFlows}) {
      CHECK(simulate(exchanged(4, crossing), machine, {}).epochNs == Approx(expected).epsilon(kRests));
      CHECK(simulate(exchanged(4, crossing), machineOf(link), {}).epochNs ==
            Approx(expected).epsilon(kRests));
    }
  }
}

TEST_CASE("a sum passes each card as often as one rank's part of a ring", "[cluster][cards]") {
  const int ranks = GENERATE(3, 4, 6);
  const std::int64_t bytes = 1'200 * ranks;
  const Machine machine = sharedCards();
  const double expected = 2 * (ranks - 1) * (kWireNs + 1'200 * kByteNs);
  REQUIRE(expected == static_cast<double>(halo::Link(kModel).allReduceNs(bytes, ranks)));
  const Plan plan = summed(ranks, bytes);
  CHECK(simulateBulk(plan, machine).epochNs == Approx(expected).epsilon(kSame));
  CHECK(simulateEvents(plan, machine).epochNs == Approx(expected).epsilon(kSame));
  CHECK(simulateFlows(plan, machine).epochNs == Approx(expected).epsilon(kRests));
  Plan gathered;
  gathered.ranks = ranks;
  Step step;
  step.op = Op::allGather;
  step.bytes = PerRank(1'200);
  gathered.steps.push_back(step);
  const double gather = static_cast<double>(halo::Link(kModel).allGatherNs(1'200, ranks));
  CHECK(simulateBulk(gathered, machine).epochNs == Approx(gather).epsilon(kSame));
  CHECK(simulateEvents(gathered, machine).epochNs == Approx(gather).epsilon(kSame));
}

TEST_CASE("clocks serve shared cards as the emulated link does", "[cluster][cards]") {
  const int ranks = GENERATE(3, 4, 7, 12);
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 9)));
  const Machine machine = sharedCards(kModel.ranksPerHost);
  const std::vector<Flow> flows = randomPairs(ranks, seed);
  const halo::Link link(kModel);
  std::vector<std::unique_ptr<HostCard>> cards;
  for (int rank = 0; rank < ranks; rank += 2) cards.push_back(std::make_unique<HostCard>());
  const auto card = [&](int rank) -> HostCard& { return *cards[at(rank / 2)]; };
  std::vector<std::pair<int, std::int64_t>> places;
  for (const Flow& f : flows) {
    if (f.source / 2 == f.target / 2) continue;
    const std::int64_t takes = link.transferNs(f.bytes), departs = card(f.source).send(0, takes);
    places.emplace_back(f.target, card(f.target).enter(departs, link.latencyNs(), takes, f.source));
  }
  if (places.empty()) return;
  std::int64_t last = 0;
  for (const auto& [target, place] : places) last = std::max(last, card(target).take(place));
  CAPTURE(ranks, seed, flows.size());
  const Plan plan = exchanged(ranks, flows);
  CHECK(simulateEvents(plan, machine).epochNs == Approx(static_cast<double>(last)).epsilon(kSame));
}

TEST_CASE("a rank that has a node's card for itself has it as one of its own", "[cluster][cards]") {
  const int ranks = GENERATE(2, 5, 9);
  const auto seed = static_cast<std::uint64_t>(GENERATE(1, 2, 3));
  const double startUs = GENERATE(0.0, 2.0);
  Machine own = plainMachine();
  own.between.startUs = startUs;
  Machine shared = own;
  shared.ranksPerNode = 2;
  std::vector<Flow> flows = randomPairs(ranks, seed);
  const Plan alone = exchanged(ranks, flows);
  for (Flow& f : flows) f = {2 * f.source, 2 * f.target, f.messages, f.bytes};  // the odd ranks say nothing
  const Plan beside = exchanged(2 * ranks, flows);
  for (auto* simulate : {&simulateBulk, &simulateEvents, &simulateFlows}) {
    const double expected = simulate(alone, own, {}).epochNs;
    CAPTURE(ranks, seed, startUs);
    CHECK(simulate(beside, shared, {}).epochNs == Approx(expected).epsilon(kRests));
  }
}

TEST_CASE("starts of a node's ranks go beside each other, and do not hold its card", "[cluster][cards]") {
  // 9 us a start, 1 us of bytes: of two ranks' three messages each, a start and a byte after the other
  Machine machine = plainMachine();
  machine.ranksPerNode = 2;
  machine.between = {9, 0, 0, 0, 1, {"assumed", "by hand"}};
  std::vector<Flow> flows;
  for (int source : {0, 1})
    for (int target : {2, 4, 6}) flows.push_back({source, target + source, 1, 1'000});
  // rank 1's bytes follow rank 0's at the card by 1 us, and so do its next starts
  CHECK(simulateEvents(exchanged(8, flows), machine).epochNs == Approx(3 * 10'000 + 1'000));
}

TEST_CASE("no epoch is shorter than the bytes of the busiest card over its bandwidth", "[cluster][cards]") {
  const int ranks = GENERATE(4, 6, 11);
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 6)));
  const std::int64_t ranksPerNode = GENERATE(1, 2, 4);
  const int depth = GENERATE(0, 1);
  const Machine machine = sharedCards(ranksPerNode);
  Plan plan;
  plan.ranks = ranks;
  if (machine.nodeOf(ranks - 1) == 0) return;
  for (std::uint64_t layer = 0; layer < 3; ++layer) {
    Traffic traffic = trafficOf(ranks, randomPairs(ranks, 10 * seed + layer));
    depth > 0 ? takeAndSend(plan, std::move(traffic), depth) : exchangeNow(plan, std::move(traffic));
  }
  sumGradients(plan, 4'096);
  const double least = busiestCard(plan, machine) * kByteNs;
  CAPTURE(ranks, seed, ranksPerNode, depth);
  CHECK(simulateBulk(plan, machine).epochNs >= least * (1 - kSame));
  // of 20 epochs in a row, the messages of `depth` may have been carried before them
  SimulateOptions options;
  options.epochs = 40;
  CHECK(simulateEvents(plan, machine, options).epochNs >= least * (1 - depth / 20.0 - kSame));
}

}  // namespace
}  // namespace halo::cluster
