#include "simulator/cluster/engines/rank_clocks.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"
#include "simulator/cluster/engines/projection.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

TEST_CASE("lanes are one epoch, whatever travels for others", "[cluster][events]") {
  const int depth = GENERATE(0, 1, 3);
  Plan plan;
  plan.ranks = 3;
  plan.steps.push_back(work(Op::sparse, {30'000, 20'000, 10'000}));
  if (depth == 0)
    exchangeNow(plan, shifted(3, 2, 9000));
  else
    takeAndSend(plan, shifted(3, 2, 9000), depth);
  plan.steps.push_back(work(Op::dense, {5000, 5000, 5000}));
  sumGradients(plan, 3000);
  SimulateOptions options;
  options.lanes = 2;
  const ClusterResult result = simulateEvents(plan, plainMachine(), options);
  REQUIRE(result.lanes.size() == 2);  // of three ranks
  std::int64_t last = 0;
  for (const auto& spans : result.lanes) {
    std::int64_t before = 0, received = 0;
    for (const Span& span : spans) {
      CHECK(span.beginNs >= 0);
      CHECK(span.durationNs > 0);
      last = std::max(last, span.endNs());
      if (span.lane == Lane::link) {
        received += span.durationNs;
        continue;
      }
      CHECK(span.beginNs >= before);  // one thing at a time
      before = span.endNs();
    }
    CHECK(received > 0);
    CHECK(spans.front().name == Name::aggregate);
  }
  // with depth ranks go in bursts: an epoch by itself is not the mean
  if (depth == 0) CHECK(static_cast<double>(last) == Approx(result.epochNs).margin(2));
}

TEST_CASE("nothing is kept unless asked for, and bulk keeps one lane", "[cluster][events]") {
  Plan plan;
  plan.ranks = 3;
  plan.steps.push_back(work(Op::sparse, {30'000, 20'000, 10'000}));
  exchangeNow(plan, shifted(3, 2, 9000));
  CHECK(simulateEvents(plan, plainMachine()).lanes.empty());
  CHECK(simulateBulk(plan, plainMachine()).lanes.empty());
  SimulateOptions options;
  options.lanes = 64;
  CHECK(simulateEvents(plan, plainMachine(), options).lanes.size() == 3);
  const ClusterResult bulk = simulateBulk(plan, plainMachine(), options);
  REQUIRE(bulk.lanes.size() == 1);
  CHECK(static_cast<double>(bulk.lanes[0].back().endNs()) == Approx(bulk.epochNs).margin(2));
}

TEST_CASE("engines say how far they are, and end when they are told to", "[cluster][events]") {
  const Engine engines[] = {simulateBulk, simulateEvents, simulateFlows};
  const Engine& engine = engines[GENERATE(0, 1, 2)];
  Plan plan;
  plan.ranks = 8;
  for (int i = 0; i < 200; ++i) {
    plan.steps.push_back(work(Op::sparse, std::vector<std::int64_t>(8, 1000)));
    exchangeNow(plan, shifted(8, 7, 500));
  }
  std::vector<double> shares;
  SimulateOptions options;
  options.progress = [&](const std::string&, double share) { shares.push_back(share); };
  engine(plan, plainMachine(), options);
  REQUIRE(shares.size() > 100);
  CHECK(std::ranges::is_sorted(shares));
  CHECK(shares.front() == 0);
  CHECK(shares.back() <= 1);
  CHECK(shares.back() > 0.9);
  struct Stopped {};
  std::size_t calls = 0;
  options.progress = [&](const std::string&, double) {
    if (++calls == 50) throw Stopped();
  };
  CHECK_THROWS_AS(engine(plan, plainMachine(), options), Stopped);
  CHECK(calls == 50);
}

}  // namespace
}  // namespace halo::cluster
