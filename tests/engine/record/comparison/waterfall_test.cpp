#include "engine/record/comparison/waterfall.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "engine/base/philox.h"

using namespace halo;

namespace {

/// A run whose parts add up to wall time × ranks in every epoch, as those that are read do.
RunParts randomRun(PhiloxStream& random, std::int64_t ranks, std::size_t epochs) {
  RunParts run{ranks, {}, true};
  for (std::size_t e = 0; e < epochs; ++e) {
    EpochParts epoch{static_cast<std::int64_t>(1'000 + random.below(1'000'000)), {}};
    std::int64_t left = epoch.wallNs * ranks;
    for (std::size_t p = 0; p + 1 < kTimeParts; ++p) {
      epoch.ns[p] = static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(left / 4 + 1)));
      left -= epoch.ns[p];
    }
    epoch.ns.back() = left;
    run.epochs.push_back(epoch);
  }
  return run;
}

}  // namespace

TEST_CASE("the steps of a waterfall add up to the difference of the mean epochs, to the nanosecond",
          "[comparison]") {
  PhiloxStream random(3, Purpose::shuffle, 0);
  for (int round = 0; round < 500; ++round) {
    std::vector<RunParts> a, b;
    for (std::uint32_t i = 0; i <= random.below(4); ++i)
      a.push_back(randomRun(random, 4, 1 + random.below(9)));
    for (std::uint32_t i = 0; i <= random.below(4); ++i)
      b.push_back(randomRun(random, 16, 1 + random.below(9)));
    const MeanEpoch from = meanEpoch(a), to = meanEpoch(b);
    CHECK(std::accumulate(from.parts.begin(), from.parts.end(), 0.0) == Approx(from.ns).epsilon(1e-12));
    const std::vector<WaterfallStep> steps = waterfall(from, to);
    std::int64_t sum = 0;
    for (const WaterfallStep& step : steps) {
      const auto part = static_cast<std::size_t>(step.part);
      sum += step.ns;
      CHECK(std::abs(static_cast<double>(step.ns) - (to.parts[part] - from.parts[part])) <= 1);
    }
    CHECK(sum == std::llround(to.ns - from.ns));
  }
}

TEST_CASE("the mean epoch of several runs is the mean of their means", "[comparison]") {
  RunParts first{2, {{100, {}}, {200, {}}}, true}, other{1, {{600, {}}}, true};
  first.epochs[0].ns[0] = 200;
  first.epochs[1].ns[0] = 400;
  other.epochs[0].ns[0] = 600;
  const MeanEpoch mean = meanEpoch({first, other});
  CHECK(mean.ns == 375);
  CHECK(mean.parts[0] == 375);
}

TEST_CASE("a part that neither has is no step", "[comparison]") {
  MeanEpoch a, b;
  a.ns = a.parts[static_cast<std::size_t>(TimePart::compute)] = 10;
  b.ns = b.parts[static_cast<std::size_t>(TimePart::idle)] = 4;
  const auto steps = waterfall(a, b);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].part == TimePart::compute);
  CHECK(steps[0].ns == -10);
  CHECK(steps[1].part == TimePart::idle);
  CHECK(steps[1].ns == 4);
}
