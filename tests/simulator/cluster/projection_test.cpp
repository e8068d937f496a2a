#include "simulator/cluster/projection.h"

#include <catch2/catch.hpp>

#include "simulator/cluster/bulk.h"
#include "simulator/cluster/events.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

ClusterResult at(int ranks, double ns) {
  ClusterResult result;
  result.ranks = ranks;
  result.epochNs = ns;
  return result;
}

TEST_CASE("speedup and efficiency are beside the smallest number of ranks", "[cluster][projection]") {
  const auto points = scalePoints({at(8, 30), at(2, 100), at(4, 50)});
  REQUIRE(points.size() == 3);
  CHECK(points[0].result.ranks == 2);
  CHECK(points[0].speedup == 1);
  CHECK(points[0].efficiency == 1);
  CHECK(points[1].speedup == 2);
  CHECK(points[1].efficiency == 1);
  CHECK(points[2].speedup == Approx(100.0 / 30));
  CHECK(points[2].efficiency == Approx(100.0 / 30 / 4));
}

TEST_CASE("methods cross where their times are equal", "[cluster][projection]") {
  // 1000 / P and 100 P^0: equal at 10
  const auto first = scalePoints({at(2, 500), at(4, 250), at(8, 125), at(16, 62.5), at(32, 31.25)});
  const auto second = scalePoints({at(2, 100), at(4, 100), at(8, 100), at(16, 100), at(64, 100)});
  const auto found = crossOvers(first, second);
  REQUIRE(found.size() == 1);
  CHECK(found[0].before == 8);
  CHECK(found[0].after == 16);
  CHECK(found[0].ranks == Approx(10));
  CHECK(found[0].firstIsFasterAfter);
  CHECK_FALSE(crossOvers(second, first)[0].firstIsFasterAfter);
  CHECK(crossOvers(first, first).empty());
}

TEST_CASE("what binds an epoch is what it is sensitive to", "[cluster][projection]") {
  const auto engine = GENERATE(Engine(simulateBulk), Engine(simulateEvents));
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {1000, 1000, 1000, 1000}));
  exchangeNow(plan, shifted(4, 3, 30'000));  // 5 + 3 · (2 + 30) us
  const auto found = sensitivity(plan, plainMachine(), engine);
  REQUIRE(found.size() == 3);
  CHECK(found[0].what == "start");
  CHECK(found[0].fasterNs == Approx(1000 + 90'000 + 5'500));
  CHECK(found[0].slowerNs == Approx(1000 + 90'000 + 22'000));
  CHECK(found[1].what == "bandwidth");
  CHECK(found[1].fasterNs == Approx(1000 + 45'000 + 11'000));
  CHECK(found[1].slowerNs == Approx(1000 + 180'000 + 11'000));
  CHECK(found[2].what == "compute");
  CHECK(found[2].fasterNs == Approx(500 + 101'000));
  CHECK(found[2].slowerNs == Approx(2000 + 101'000));
}

}  // namespace
}  // namespace halo::cluster
