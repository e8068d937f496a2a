#include "views/figures/cross_over.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace halo;

namespace {

/// The definition itself: both read off straight lines on logarithmic axes in small steps, wherever the one
/// that is above changes.
std::vector<double> crossOversReference(const PlacedValues& a, const PlacedValues& b, double low,
                                        double high) {
  const auto at = [](const PlacedValues& line, double x) {
    std::size_t i = 1;
    while (i + 1 < line.x.size() && line.x[i] < x) ++i;
    const double share = std::log(x / line.x[i - 1]) / std::log(line.x[i] / line.x[i - 1]);
    return std::log(line.y[i - 1]) + share * std::log(line.y[i] / line.y[i - 1]);
  };
  std::vector<double> crossings;
  constexpr int kSteps = 100'000;
  for (int i = 0; i < kSteps; ++i) {
    const double current = low * std::pow(high / low, (i + 0.25) / kSteps),
                 next = low * std::pow(high / low, (i + 1.25) / kSteps);
    if ((at(a, current) > at(b, current)) != (at(a, next) > at(b, next)))
      crossings.push_back(std::sqrt(current * next));
  }
  return crossings;
}

}  // namespace

TEST_CASE("two powers of the workers cross where they are equal", "[compared]") {
  // 8 / p and 2 / sqrt(p): equal at p = 16
  const std::vector<double> x{1, 2, 4, 8, 32, 64};
  PlacedValues a{x, {}}, b{x, {}};
  for (const double p : x) {
    a.y.push_back(8 / p);
    b.y.push_back(2 / std::sqrt(p));
  }
  const auto crossings = crossOvers(a, b);
  REQUIRE(crossings.size() == 1);
  CHECK(crossings[0].x == Approx(16).epsilon(1e-12));
  CHECK(crossings[0].y == Approx(0.5).epsilon(1e-12));
  CHECK(crossOvers(b, a)[0].x == Approx(16).epsilon(1e-12));
}

TEST_CASE("cross-overs agree with lines read off in small steps", "[compared]") {
  const PlacedValues a{{1, 2, 4, 8, 16}, {10, 4, 3.5, 1, 2}}, b{{1, 2, 4, 8, 16}, {9, 6, 3, 2, 1.5}};
  const auto crossings = crossOvers(a, b);
  const auto expected = crossOversReference(a, b, 1, 16);
  REQUIRE(crossings.size() == 4);
  REQUIRE(expected.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(crossings[i].x == Approx(expected[i]).epsilon(1e-3));
}

TEST_CASE("only common places count", "[compared]") {
  // at 3, which b lacks, a would be above
  CHECK(crossOvers({{2, 3, 4}, {1, 9, 1}}, {{2, 4}, {2, 2}}).empty());
  CHECK(crossOvers({{1, 2}, {1, 2}}, {{4, 8}, {2, 1}}).empty());
  CHECK(crossOvers({{1, 2, 8}, {1, 1, 1}}, {{1, 4, 8}, {2, 9, 0.5}}).size() == 1);
  CHECK(crossOvers({}, {}).empty());
  CHECK(crossOvers({{1}, {1}}, {{1}, {2}}).empty());
}

TEST_CASE("lines that meet cross only where they change sides", "[compared]") {
  const std::vector<double> x{1, 2, 4, 8};
  const PlacedValues flat{x, {1, 1, 1, 1}};
  SECTION("touching is no crossing") { CHECK(crossOvers({x, {2, 1, 2, 2}}, flat).empty()); }
  SECTION("through a common point") {
    const auto crossings = crossOvers({x, {2, 1, 0.5, 0.5}}, flat);
    REQUIRE(crossings.size() == 1);
    CHECK(crossings[0].x == Approx(2));
    CHECK(crossings[0].y == Approx(1));
  }
  SECTION("together for a while: where they first meet") {
    const auto crossings = crossOvers({x, {2, 1, 1, 0.5}}, flat);
    REQUIRE(crossings.size() == 1);
    CHECK(crossings[0].x == Approx(2));
  }
  SECTION("equal at an end, or everywhere") {
    CHECK(crossOvers({x, {1, 2, 2, 2}}, flat).empty());
    CHECK(crossOvers({x, {2, 2, 2, 1}}, flat).empty());
    CHECK(crossOvers(flat, flat).empty());
  }
}
