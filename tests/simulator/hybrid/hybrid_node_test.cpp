#include "simulator/hybrid/hybrid_node.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/problem.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::hybridtest;

namespace {

HybridResult run(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                 Prefetch prefetch, bool manage = true, int iterations = 200) {
  const HybridMapping start = modelMapping({platform, work, sizes, 1024 * (platform.cards + 1)});
  return simulateHybrid({platform, work, sizes, start, prefetch, manage, iterations});
}

struct Case {
  const char* platform;
  HyScaleSet set;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* platform : {"hyscale-u250", "hyscale-a5000"})
    for (const HyScaleSet& set : hyScaleSets()) all.push_back({platform, set});
  return all;
}

}  // namespace

TEST_CASE("the manager never leaves an iteration longer than it found it", "[hybrid]") {
  constexpr double kDrawn = 1.02;  // mini-batches vary, and with them medians of windows
  for (const Case& testCase : cases())
    for (const Prefetch prefetch : {Prefetch::none, Prefetch::one, Prefetch::two}) {
      CAPTURE(testCase.platform, testCase.set.name, static_cast<int>(prefetch));
      const HybridPlatform platform = platformNamed(testCase.platform);
      const HybridResult as = run(platform, testCase.set.work, testCase.set.sizes(), prefetch, false);
      const HybridResult managed =
          run(platform, testCase.set.work, testCase.set.sizes(), prefetch, true, 400);
      CHECK(managed.steadySeconds <= kDrawn * as.steadySeconds);
    }
}

TEST_CASE("what is tried is recorded with what came of it", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const BatchSizes sizes = publishedSizes();
  const HybridResult result = run(platform, kProducts, sizes, Prefetch::one, true, 120);
  REQUIRE(result.decisions.size() == result.decidedAfter.size());
  CHECK(result.decidedAfter.front() == -1);
  CHECK(result.windowsToRest == 13);  // of the worked example
  CHECK(result.steadySeconds == Approx(0.00254022880072).epsilon(1e-9));
  // five iterations with the first mapping, once the stages are filled; a change then travels two iterations
  CHECK(result.decidedAfter[1] == 2 + 4);
  CHECK(result.decidedAfter[2] == 2 + 4 + 2 + 5);
  const HybridMapping* before = &result.decisions.front().mapping;
  for (const ManagerDecision& decision : result.decisions) {
    const bool same = decision.mapping == *before;
    CHECK(same ==
          (decision.change.action == MappingAction::start || decision.change.action == MappingAction::rest));
    if (decision.outcome == DecisionOutcome::kept) before = &decision.mapping;
    if (decision.outcome == DecisionOutcome::kept && decision.change.action != MappingAction::start)
      CHECK(*decision.afterSeconds <= 0.99 * decision.beforeSeconds);
  }
  CHECK(result.decisions.back().outcome == DecisionOutcome::rest);
}

TEST_CASE("with both stages prefetched an iteration takes its longest stage", "[hybrid]") {
  for (const Case& testCase : cases()) {
    CAPTURE(testCase.platform, testCase.set.name);
    const HybridResult result =
        run(platformNamed(testCase.platform), testCase.set.work, testCase.set.sizes(), Prefetch::two);
    for (const HybridIteration& iteration : result.iterations) {
      const HybridTimes& t = iteration.times;
      // propagation and synchronisation begin and end by trainer, so that their sum is an upper bound
      CHECK(iteration.seconds <= std::max({t.sample(), t.load, t.transfer, t.propagate()}) * (1 + 1e-9));
      CHECK(iteration.seconds >=
            std::max({t.sample(), t.load, t.transfer, t.trainCpu, t.trainCard}) * (1 - 1e-9));
    }
  }
}

TEST_CASE("without prefetching an iteration is its stages one after the other", "[hybrid]") {
  for (const bool manage : {false, true}) {
    const HybridResult result =
        run(platformNamed("hyscale-u250"), kProducts, products(), Prefetch::none, manage, 30);
    REQUIRE(result.iterations.size() == 30);
    for (const HybridIteration& iteration : result.iterations)
      CHECK(iteration.seconds == Approx(iteration.times.iteration(Prefetch::none)));
  }
}

TEST_CASE("no mini-batch is trained twice, left out, or trained before its turn", "[hybrid]") {
  const auto prefetch = GENERATE(Prefetch::none, Prefetch::one, Prefetch::two);
  const auto iterations = GENERATE(1, 2, 40);
  const HybridResult result =
      run(platformNamed("hyscale-u250"), kProducts, products(), prefetch, true, iterations);
  for (std::int64_t HybridIteration::*stage : {&HybridIteration::sampled, &HybridIteration::loaded,
                                               &HybridIteration::transferred, &HybridIteration::trained}) {
    std::int64_t next = 0;
    for (const HybridIteration& iteration : result.iterations)
      if (iteration.*stage >= 0) CHECK(iteration.*stage == next++);
    CHECK(next == iterations);
  }
  double sum = 0;
  for (const HybridIteration& iteration : result.iterations) {
    sum += iteration.seconds;
    CHECK(iteration.mapping.batch == 5120);
    CHECK(iteration.mapping.sampleThreads + iteration.mapping.loadThreads + iteration.mapping.trainThreads ==
          128);
  }
  CHECK(result.seconds == Approx(sum));
}

TEST_CASE("bytes are those of the mini-batches", "[hybrid]") {
  // always of the same size, so that a hand can count them
  const BatchSizes sizes(BatchSize{{100, 8, 1}, {130, 8}});
  HybridWork work = kProducts;
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const HybridMapping start{500, 100, 40, 40, 48, 0};
  for (const int factor : {1, 2, 3}) {
    work.hostTrafficFactor = factor;
    const HybridResult result = simulateHybrid({platform, work, sizes, start, Prefetch::none, false, 10});
    const double features = 500 * 100.0 * 100 * 4, toCards = 0.8 * features;
    const double model = 4 * 2 * modelBytes(work);  // up and down, of four cards
    const double gathered = 100 * 2 * (130.0 * 100 + 8 * 256) * 4, sampled = 500 * 138.0 * 16;
    CHECK(result.pcieBytes == Approx(10 * (toCards + model)));
    const double dma = factor == 3 ? toCards + model : 0;
    CHECK(result.hostBytes == Approx(10 * (features * std::min(factor, 2) + gathered + sampled + dma)));
  }
}

TEST_CASE("what cards sample, the processors do not", "[hybrid]") {
  const BatchSizes sizes(BatchSize{{100, 8, 1}, {130, 8}});
  const HybridPlatform platform = platformNamed("hyscale-u250", {{"card_sample_medges", 100.0}});
  for (const double share : {0.0, 0.25, 1.0}) {
    const HybridMapping start{500, 100, 40, 40, 48, share};
    const HybridResult result = simulateHybrid({platform, kProducts, sizes, start, Prefetch::none, false, 3});
    const double edges = 500 * 138.0;
    CHECK(result.steady.sampleCpu == Approx((1 - share) * edges / 400e6));
    CHECK(result.steady.sampleCard == Approx(share * edges / 400e6));
    CHECK(result.steadySeconds == Approx(result.steady.iteration(Prefetch::none)));
  }
}

TEST_CASE("the same request gives the same simulation", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const HybridResult first = run(platform, kProducts, products(), Prefetch::two, true, 60);
  const HybridResult second = run(platform, kProducts, products(), Prefetch::two, true, 60);
  REQUIRE(first.iterations.size() == second.iterations.size());
  for (std::size_t i = 0; i < first.iterations.size(); ++i)
    CHECK(first.iterations[i].seconds == second.iterations[i].seconds);
}

TEST_CASE("mini-batches of nothing take the time of the synchronisation", "[hybrid]") {
  const BatchSizes nothing(BatchSize{{0, 0, 0}, {0, 0}});
  const HybridResult result = run(platformNamed("hyscale-u250"), kProducts, nothing, Prefetch::two, true, 5);
  CHECK(std::isfinite(result.steadySeconds));
  CHECK(result.steadySeconds == Approx(2 * modelBytes(kProducts) / 16e9));
  CHECK(result.steadyMteps == 0);
}

TEST_CASE("simulations that cannot be are refused by name", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const auto refusal = [&](int iterations, int window, const HybridMapping& start) {
    try {
      simulateHybrid({platform, kProducts, products(), start, Prefetch::two, true, iterations, window});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Contains;
  CHECK_THAT(refusal(0, 0, {5120, 1024, 40, 40, 48, 0}),
             Contains("hybrid.iterations: 0 cannot be used; 1 or more") &&
                 Contains("hybrid.window: 0 cannot be used; 1 or more"));
  CHECK_THAT(refusal(5, 5, {5120, 5118, 1, 1, 1, 0.5}),
             Contains("hybrid.start.cpu_seeds: 5118 cannot be used; 0 to 5116") &&
                 Contains("hybrid.start.threads: 3 cannot be used; 128 in all") &&
                 Contains("cards of this platform do not sample"));
  CHECK(refusal(5, 5, {5120, 1024, 40, 40, 48, 0}).empty());
}
