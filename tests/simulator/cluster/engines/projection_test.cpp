#include "simulator/cluster/engines/projection.h"

#include <catch2/catch.hpp>

#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

TEST_CASE("what binds an epoch is what it is sensitive to", "[cluster][projection]") {
  const auto engine = GENERATE(Engine(simulateBulk), Engine(simulateEvents));
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {1000, 1000, 1000, 1000}));
  exchangeNow(plan, shifted(4, 3, 30'000));  // 5 + 3 · (2 + 30) us
  const auto sensitivities = sensitivity(plan, plainMachine(), engine);
  REQUIRE(sensitivities.size() == 3);
  CHECK(sensitivities[0].name == "start");
  CHECK(sensitivities[0].fasterNs == Approx(1000 + 90'000 + 5'500));
  CHECK(sensitivities[0].slowerNs == Approx(1000 + 90'000 + 22'000));
  CHECK(sensitivities[1].name == "bandwidth");
  CHECK(sensitivities[1].fasterNs == Approx(1000 + 45'000 + 11'000));
  CHECK(sensitivities[1].slowerNs == Approx(1000 + 180'000 + 11'000));
  CHECK(sensitivities[2].name == "compute");
  CHECK(sensitivities[2].fasterNs == Approx(500 + 101'000));
  CHECK(sensitivities[2].slowerNs == Approx(2000 + 101'000));
}

}  // namespace
}  // namespace halo::cluster
