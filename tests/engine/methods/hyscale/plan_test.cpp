// Plans of iterations: when each task of the design's worked example begins and ends.
#include "engine/methods/hyscale/plan.h"

#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;
using namespace halo::hyscale;

namespace {

constexpr double kMs = 1e-3;
const HybridMapping kMapping{5120, 2428, 42, 42, 44, 0};

IterationPlan planned(Prefetch prefetch) {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const BatchWork mean = batchWork(platform, kProducts, kMapping,
                                   [](double seeds, int) { return publishedSizes().mean(seeds); });
  IterationPlan plan(platform.cards);
  plan.make(platform, kProducts, kMapping, prefetch, {&mean, &mean, &mean, &mean});
  return plan;
}

PlannedTask taskOf(const IterationPlan& plan, Stage stage, int trainer = 0) {
  return plan.taskOf({stage, 0, trainer});
}

}  // namespace

TEST_CASE("tasks of an iteration begin and end as the worked example has them", "[hyscale]") {
  for (const auto& [prefetch, load, cpu, total] : {std::tuple{Prefetch::none, 0.6100, 1.7880, 5.8379},
                                                   {Prefetch::one, 1.0165, 2.2222, 2.7004},
                                                   {Prefetch::two, 1.0165, 2.2222, 2.2410}}) {
    const IterationPlan plan = planned(prefetch);
    CHECK(taskOf(plan, Stage::sample).seconds() == Approx(1.7372 * kMs).epsilon(1e-4));
    CHECK(taskOf(plan, Stage::load).seconds() == Approx(load * kMs).epsilon(1e-4));
    CHECK(taskOf(plan, Stage::train, 0).seconds() == Approx(cpu * kMs).epsilon(1e-4));
    CHECK(taskOf(plan, Stage::synchronise).seconds() == Approx(0.0188 * kMs).epsilon(1e-2));
    for (int trainer = 1; trainer <= 4; ++trainer) {
      CHECK(taskOf(plan, Stage::transfer, trainer).seconds() == Approx(1.6839 * kMs).epsilon(1e-4));
      CHECK(taskOf(plan, Stage::train, trainer).seconds() == Approx(0.8771 * kMs).epsilon(1e-4));
    }
    CHECK(plan.seconds() == Approx(total * kMs).epsilon(1e-4));
    CHECK(taskOf(plan, Stage::synchronise).end <= plan.seconds());
  }
}

TEST_CASE("stages that follow each other in an iteration do so in its plan", "[hyscale]") {
  const IterationPlan none = planned(Prefetch::none), oneStage = planned(Prefetch::one),
                      twoStage = planned(Prefetch::two);
  CHECK(taskOf(none, Stage::load).begin == taskOf(none, Stage::sample).end);
  CHECK(taskOf(none, Stage::transfer, 2).begin == taskOf(none, Stage::load).end);
  CHECK(taskOf(none, Stage::train, 0).begin == taskOf(none, Stage::transfer, 1).end);
  CHECK(taskOf(oneStage, Stage::load).begin == 0);
  CHECK(taskOf(oneStage, Stage::transfer, 3).begin == taskOf(oneStage, Stage::load).end);
  CHECK(taskOf(twoStage, Stage::transfer, 3).begin == 0);
  for (const IterationPlan* plan : {&none, &oneStage, &twoStage})
    CHECK(taskOf(*plan, Stage::synchronise).begin == taskOf(*plan, Stage::train, 0).end);
}

TEST_CASE("what has nothing to do is planned to take no time", "[hyscale]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  IterationPlan plan(platform.cards);
  plan.make(platform, kProducts, kMapping, Prefetch::two, {});
  CHECK(plan.seconds() == 0);
  for (const Stage stage : {Stage::sample, Stage::load, Stage::transfer, Stage::train, Stage::synchronise})
    CHECK(plan.taskOf({stage, 0, 1}).end == 0);
}
