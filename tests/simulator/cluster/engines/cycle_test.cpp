// What is shown of methods whose epochs differ: the mean over a period of what the predictor says, epoch by
// epoch, which is what a run's ledger has (tests/app/commands/simulate_cluster_test.cpp).
#include "simulator/cluster/engines/cycle.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "tests/simulator/cluster/plan_fixture.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

constexpr int kRanks = 4;

RunSettings with(const std::string& method, const std::string& key, Value value) {
  RunSettings run = runOf(method);
  run.parameters.insert_or_assign(key, std::move(value));
  return run;
}

RunSettings policy(const std::string& name, std::int64_t interval, double threshold = 0.2) {
  RunSettings run = with("sancus", "policy", Value(name));
  run.parameters.insert_or_assign("interval", Value(interval));
  run.parameters.insert_or_assign("threshold", Value(threshold));
  return run;
}

struct Volume {
  double bytes = 0, messages = 0;
};
/// Of epochs [from, from + count), mean.
Volume predictedMean(const Sample& sample, std::int64_t from, std::int64_t count) {
  Volume sum;
  for (std::int64_t epoch = from; epoch < from + count; ++epoch)
    for (const PredictedVolume& flow : sample.predicted(kRanks, epoch)) {
      sum.bytes += static_cast<double>(flow.bytes);
      sum.messages += static_cast<double>(flow.messages);
    }
  return {sum.bytes / static_cast<double>(count), sum.messages / static_cast<double>(count)};
}

/// On a machine whose messages decide.
double epochNs(const RunSettings& run, const Engine& engine) {
  return simulateCycle(countedCycle(Sample(run).request(kRanks, 1)), plainMachine(), engine).epochNs;
}

TEST_CASE("an epoch is the mean of the method's period, byte for byte", "[cluster][cycle]") {
  struct Case {
    RunSettings run;
    std::int64_t period;
    std::size_t turns;
  };
  const Case testCase =
      GENERATE(Case{policy("fixed", 1), 1, 1}, Case{policy("fixed", 2), 2, 2}, Case{policy("fixed", 4), 4, 2},
               Case{policy("age", 1), 1, 1}, Case{policy("age", 3), 3, 3}, Case{policy("age", 4), 4, 4},
               Case{policy("age", 6), 6, 5}, Case{policy("variation", 4, 0), 1, 1},
               Case{with("distgnn", "delay", Value(std::int64_t{0})), 1, 1},
               Case{with("distgnn", "delay", Value(std::int64_t{1})), 1, 1},
               Case{with("distgnn", "delay", Value(std::int64_t{3})), 3, 3}, Case{runOf("vanilla"), 1, 1});
  const Sample sample(testCase.run);
  CAPTURE(testCase.run.method, testCase.period);
  const PlanCycle cycle = countedCycle(sample.request(kRanks, 1));
  CHECK(cycle.epochs() == testCase.period);
  CHECK(cycle.turns.size() == testCase.turns);
  CHECK(cycle.bound.empty());
  const Volume mean = predictedMean(sample, 12, 12);
  CHECK(cycle.bytesSent() == Approx(mean.bytes).epsilon(1e-12));
  CHECK(cycle.messagesSent() == Approx(mean.messages).epsilon(1e-12));
  const ClusterResult result = simulateCycle(cycle, plainMachine(), simulateEvents);
  CHECK(static_cast<double>(result.bytes) == Approx(mean.bytes).margin(0.5));
  CHECK(result.shares.totalNs() == Approx(result.epochNs));
}

TEST_CASE("the longer a method's copies are used, the shorter its mean epoch", "[cluster][cycle]") {
  for (const Engine& engine : {Engine(simulateBulk), Engine(simulateEvents)}) {
    const double everyEpoch = epochNs(policy("fixed", 1), engine),
                 everySecond = epochNs(policy("fixed", 2), engine),
                 everyFourth = epochNs(policy("fixed", 4), engine);
    CHECK(everyEpoch > everySecond);
    CHECK(everySecond > everyFourth);
    // of four epochs one sends, of two one: half way twice
    CHECK(everyEpoch - everySecond == Approx(2 * (everySecond - everyFourth)));
    const double aged = epochNs(policy("age", 4), engine);
    CHECK(aged < everyEpoch);
  }
}

TEST_CASE("sensitivity of a period is the mean of its epochs'", "[cluster][cycle]") {
  const PlanCycle cycle = countedCycle(Sample(policy("fixed", 2)).request(kRanks, 1));
  const auto all = sensitivity(cycle, plainMachine(), simulateBulk, {}, 2);
  const auto first = sensitivity(cycle.turns[0].plan, plainMachine(), simulateBulk, {}, 2);
  const auto second = sensitivity(cycle.turns[1].plan, plainMachine(), simulateBulk, {}, 2);
  REQUIRE(all.size() == 3);
  CHECK(all[1].name == "bandwidth");
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].slowerNs == Approx((first[i].slowerNs + second[i].slowerNs) / 2));
    CHECK(all[i].fasterNs == Approx((first[i].fasterNs + second[i].fasterNs) / 2));
  }
}

TEST_CASE("adaqp's epochs have the widths that its first choice is known to make", "[cluster][cycle]") {
  RunSettings run = with("adaqp", "trade_off", Value(0.0));
  run.parameters.insert_or_assign("cycle", Value(std::int64_t{5}));
  for (const std::int64_t epochs : {5, 6}) {
    CAPTURE(epochs);
    run.training.epochs = epochs;
    const PlanCycle cycle = countedCycle(Sample(run).request(kRanks, 1));
    CHECK(cycle.bound.empty());
    // 8 bits in the first cycle, 2 after it; some bytes a row are the same
    const Volume expectedVolume = predictedMean(Sample(run), epochs > 5 ? 5 : 1, 1);
    CHECK(cycle.bytesSent() == Approx(expectedVolume.bytes).epsilon(1e-12));
    const double eight = predictedMean(Sample(run), 1, 1).bytes;
    CHECK((cycle.bytesSent() < eight) == (epochs > 5));
  }
}

TEST_CASE("what values decide is a bound, and says so", "[cluster][cycle]") {
  const auto boundOf = [](const RunSettings& run) {
    return countedCycle(Sample(run).request(kRanks, 1)).bound;
  };
  CHECK(boundOf(policy("variation", 4)) == "every block sent");
  CHECK(boundOf(with("adaqp", "bits", Value(std::string("adaptive")))) == "8 bits as in the first cycle");
  CHECK(boundOf(with("adaqp", "bits", Value(std::string("4")))).empty());
  CHECK(boundOf(with("adaqp", "trade_off", Value(1.0))).empty());
  const PlanCycle most = countedCycle(Sample(policy("variation", 4)).request(kRanks, 1));
  const PlanCycle all = countedCycle(Sample(policy("fixed", 1)).request(kRanks, 1));
  CHECK(most.bytesSent() == all.bytesSent());
}

}  // namespace
}  // namespace halo::cluster
