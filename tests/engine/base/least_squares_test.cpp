#include "engine/base/least_squares.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

using Rows = std::vector<std::vector<double>>;
using Numbers = std::vector<double>;

Numbers nonNegative(const Rows& rows, const Numbers& y, const Numbers& weights) {
  return nonNegativeLeastSquares({rows, y, weights});
}

/// Times of sparse products as a kit has them: nonzeros, elements that enter sums, elements of sums.
const Rows kTerms = {{1200, 38400, 9600},  {5000, 80000, 80000}, {800, 51200, 3200},
                     {9000, 36000, 72000}, {300, 76800, 19200},  {4000, 16000, 16000}};
Numbers relative(const Numbers& ns) {
  Numbers weights;
  for (const double each : ns) weights.push_back(1 / (each * each));
  return weights;
}

}  // namespace

TEST_CASE("what made the sums is found again", "[simulator]") {
  const Rows rows = {{1, 0, 2}, {0, 3, 1}, {1, 1, 1}, {2, 5, 1e3}};
  const Numbers x = {2, 0, 0.5}, weights = {1, 2, 1, 1e-4};
  Numbers y;
  for (const auto& row : rows) y.push_back(row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
  const Numbers plain = leastSquares({rows, y, weights}), solution = nonNegative(rows, y, weights);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(plain[j] == Approx(x[j]).margin(1e-12));
    CHECK(solution[j] == Approx(x[j]).margin(1e-12));
  }
}

// What sweeps over the normal equations gave, until nothing moved by a millionth of a millionth.
TEST_CASE("constants are within 1e-9 of those fitted before there was a decomposition", "[simulator]") {
  const Numbers ns = {5100, 16000, 5200, 14500, 8800, 6100}, other = {5100, 11000, 5200, 2500, 8800, 1100};
  const Numbers all = {0.85988482297529356, 0.090406082038074348, 0.0570669103914992};
  const Numbers solution = nonNegative(kTerms, ns, relative(ns)),
                plain = leastSquares({kTerms, ns, relative(ns)}),
                second = nonNegative(kTerms, other, relative(ns));
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(solution[j] == Approx(all[j]).epsilon(1e-9));
    CHECK(plain[j] == Approx(all[j]).epsilon(1e-9));  // none would have been negative
  }
  CHECK(second[0] == 0);
  CHECK(second[1] == Approx(0.11365172416701136).epsilon(1e-9));
  CHECK(second[2] == 0);
}

TEST_CASE("nothing is negative, and the rest makes the best of it", "[simulator]") {
  // y = −x₀ would fit: 0 is as near as may be
  CHECK(nonNegative({{1}, {2}}, {-1, -2}, {1, 1}) == Numbers{0});
  // x₀ + x₁ = 1, x₀ = 2: without the first's negative partner the least squares lie between
  const Numbers solution = nonNegative({{1, 1}, {1, 0}}, {1, 2}, {1, 1});
  CHECK(solution[0] == Approx(1.5));
  CHECK(solution[1] == 0);
  // x₁ is let go first and has to come back to 0
  const Numbers back = nonNegative({{1, 1}, {0, 1}, {1, 2}}, {3, -1, 2}, {1, 1, 1});
  CHECK(back[0] == Approx(2.5));
  CHECK(back[1] == 0);
}

TEST_CASE("an unknown that nothing depends on is 0, and no equations give no unknowns", "[simulator]") {
  const Numbers solution = nonNegative({{1, 0}}, {3}, {1}),
                plain = leastSquares({Rows{{1, 0}}, Numbers{3}, Numbers{1}});
  CHECK(solution[0] == Approx(3));
  CHECK(solution[1] == 0);
  CHECK(plain[0] == Approx(3));
  CHECK(plain[1] == 0);
  CHECK(nonNegative({}, {}, {}).empty());
  CHECK(leastSquares({}).empty());
}

TEST_CASE("of two unknowns that say the same the first has it all", "[simulator]") {
  const Numbers solution = nonNegative({{1, 1, 0}, {2, 2, 1}, {3, 3, 5}}, {2, 5, 11}, {1, 1, 1});
  CHECK(solution[0] == Approx(2));
  CHECK(solution[1] == Approx(0).margin(1e-12));
  CHECK(solution[2] == Approx(1));
}

TEST_CASE("heavier equations are met more closely", "[simulator]") {
  CHECK(nonNegative({{1}, {1}}, {1, 3}, {3, 1})[0] == Approx(1.5));
  CHECK(leastSquares({Rows{{1}, {1}}, Numbers{1, 3}, Numbers{3, 1}})[0] == Approx(1.5));
}
