#include "simulator/calibration/least_squares.h"

#include <catch2/catch.hpp>

using namespace halo::sim;

TEST_CASE("what made the sums is found again", "[simulator]") {
  const std::vector<std::vector<double>> rows = {{1, 0, 2}, {0, 3, 1}, {1, 1, 1}, {2, 5, 1e3}};
  const std::vector<double> x = {2, 0, 0.5};
  std::vector<double> y, weights = {1, 2, 1, 1e-4};
  for (const auto& row : rows) y.push_back(row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
  const std::vector<double> found = nonNegativeLeastSquares(rows, y, weights);
  for (std::size_t j = 0; j < 3; ++j) CHECK(found[j] == Approx(x[j]).margin(1e-6));
}

TEST_CASE("nothing is negative, and the rest makes the best of it", "[simulator]") {
  // y = −x₀ would fit: 0 is as near as may be
  CHECK(nonNegativeLeastSquares({{1}, {2}}, std::vector<double>{-1, -2}, std::vector<double>{1, 1}) ==
        std::vector<double>{0});
  // x₀ + x₁ = 1, x₀ = 2: without the first's negative partner the least squares lie between
  const auto found =
      nonNegativeLeastSquares({{1, 1}, {1, 0}}, std::vector<double>{1, 2}, std::vector<double>{1, 1});
  CHECK(found[0] == Approx(1.5));
  CHECK(found[1] == Approx(0).margin(1e-9));
}

TEST_CASE("an unknown that nothing depends on is 0, and no equations give no unknowns", "[simulator]") {
  const auto found = nonNegativeLeastSquares({{1, 0}}, std::vector<double>{3}, std::vector<double>{1});
  CHECK(found[0] == Approx(3));
  CHECK(found[1] == 0);
  CHECK(nonNegativeLeastSquares({}, {}, {}).empty());
}

TEST_CASE("heavier equations are met more closely", "[simulator]") {
  const auto found =
      nonNegativeLeastSquares({{1}, {1}}, std::vector<double>{1, 3}, std::vector<double>{3, 1});
  CHECK(found[0] == Approx(1.5));
}
