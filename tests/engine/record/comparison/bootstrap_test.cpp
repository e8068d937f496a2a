#include "engine/record/comparison/bootstrap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/philox.h"

using namespace halo;

namespace {

/// A series whose neighbours resemble each other: x(i) = ½ x(i − 1) + noise.
std::vector<double> series(std::uint64_t seed, std::size_t length, double mean) {
  PhiloxStream random(seed, Purpose::shuffle, 0);
  std::vector<double> values;
  double state = 0;
  for (std::size_t i = 0; i < length; ++i) {
    double noise = -6;  // of twelve uniform numbers: nearly normal, variance 1
    for (int k = 0; k < 12; ++k) noise += random.uniform();
    state = 0.5 * state + noise;
    values.push_back(mean + state);
  }
  return values;
}

}  // namespace

TEST_CASE("the mean of repeats is the mean of the runs' means, whatever their lengths", "[comparison]") {
  CHECK(meanOf({{1, 2, 3}, {10}}) == 6);
  CHECK(meanOf({{1, 2, 3}, {}}) == 2);
  CHECK(std::isnan(meanOf({})));
  CHECK(std::isnan(meanOf({{}})));
}

TEST_CASE("an interval of values that do not differ is their difference", "[comparison]") {
  const auto interval = differenceInterval({{5, 5, 5, 5}}, {{7, 7, 7}});
  REQUIRE(interval);
  CHECK(interval->low == 2);
  CHECK(interval->high == 2);
  CHECK_FALSE(interval->isWithinNoise());
}

TEST_CASE("fewer than three epochs of fewer than three runs have no interval", "[comparison]") {
  CHECK_FALSE(differenceInterval({{5}}, {{7, 8, 9}}));
  CHECK_FALSE(differenceInterval({{5, 6, 7}}, {{7}, {8}}));
  CHECK_FALSE(differenceInterval({{5, 6}}, {{7, 8, 9}}));
  CHECK_FALSE(meanInterval({{125.9, 119.2}}));
  CHECK_FALSE(meanInterval({{5, 6}, {7, 8, 9, 10}}));
  CHECK_FALSE(meanInterval({}));
  CHECK(differenceInterval({{5}, {6}, {7}}, {{7, 8, 9}}));
}

TEST_CASE("from three epochs on, different values have an interval of some width", "[comparison]") {
  for (std::size_t epochs = 3; epochs <= 100; ++epochs) {
    const auto interval = meanInterval({series(epochs, epochs, 10)});
    CAPTURE(epochs);
    REQUIRE(interval);
    CHECK(interval->low < interval->high);
  }
}

TEST_CASE("three runs are resampled as a whole", "[comparison]") {
  // within the runs nothing varies: what varies are the runs
  const auto interval = meanInterval({{1, 1, 1, 1}, {2, 2, 2, 2}, {6, 6, 6, 6}});
  REQUIRE(interval);
  CHECK(interval->low == 1);
  CHECK(interval->high == 6);
  // and two runs are resampled by their epochs
  const auto ofEpochs = meanInterval({{1, 1, 1, 1}, {2, 2, 2, 2}});
  REQUIRE(ofEpochs);
  CHECK(ofEpochs->low == 1.5);
  CHECK(ofEpochs->high == 1.5);
}

TEST_CASE("the same values have the same interval at every call", "[comparison]") {
  const Repeats a = {series(1, 50, 10)}, b = {series(2, 60, 11)};
  const auto first = differenceInterval(a, b), second = differenceInterval(a, b);
  REQUIRE((first && second));
  CHECK(first->low == second->low);
  CHECK(first->high == second->high);
}

// By definition 95 of 100; blocks of 64^(1/3) epochs do not hold all of the dependence, so it is a little
// less.
TEST_CASE("intervals hold the difference about as often as they say", "[comparison]") {
  int hits = 0;
  constexpr int kRounds = 300;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const auto interval =
        differenceInterval({series(2 * round + 1, 64, 10)}, {series(2 * round + 2, 64, 10.5)});
    REQUIRE(interval);
    hits += interval->low <= 0.5 && interval->high >= 0.5 ? 1 : 0;
  }
  CAPTURE(hits);
  CHECK(hits > kRounds * 85 / 100);
  CHECK(hits < kRounds * 99 / 100);
}
