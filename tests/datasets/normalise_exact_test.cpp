// Rows divided by their sums, and the rows whose sum is nothing but rounding.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "datasets/assemble.h"
#include "engine/base/philox.h"

using namespace halo;

namespace {

Matrix rowsOf(const std::vector<std::vector<double>>& rows) {
  Matrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      matrix(static_cast<Index>(r), static_cast<Index>(c)) = static_cast<Scalar>(rows[r][c]);
  return matrix;
}

}  // namespace

TEST_CASE("a row is divided by its sum, and a row of zeros stays without a word", "[normalise]") {
  Matrix rows = rowsOf({{2, 2, 4}, {0, 0, 0}, {1, -3, 6}});
  CHECK(normalizeRows(rows).empty());
  CHECK(rows(0, 0) == 0.25);
  CHECK(rows(0, 2) == 0.5);
  CHECK(rows(1, 1) == 0);
  CHECK(rows(2, 1) == Scalar(-0.75));
}

TEST_CASE("a row whose sum is 0 within rounding is left alone with a remark", "[normalise]") {
  const std::vector<std::vector<double>> cancelled = {
      {0.1, 0.2, -0.3},     // as text holds it
      {0.1F, 0.2F, -0.3F},  // as float32 holds it, in a double build too
      {1, -1, 0},           // exactly 0
      {1e8, 1, -1e8},       // less than float tells apart at 1e8
      {-1e30, 1e30, 1e20}, {1e-20, -1e-20, 0}, {0.7, -0.6, -0.1},
  };
  for (const auto& row : cancelled) {
    CAPTURE(row);
    Matrix rows = rowsOf({{2, 2, 0}, row, {4, 0, 0}, row});
    const Matrix before = rows;
    const auto remarks = normalizeRows(rows);
    CHECK(remarks == std::vector<std::string>{
                         "2 rows not normalised: the sum is 0 within rounding (the first is row 1)"});
    for (Index c = 0; c < 3; ++c) CHECK(rows(1, c) == before(1, c));
    CHECK(rows(2, 0) == 1);
  }
}

TEST_CASE("a small sum that is no rounding divides its row", "[normalise]") {
  Matrix rows = rowsOf({{1, -0.999, 0}, {1e-30, 2e-30, 1e-30}, {1000, -999, 0}});
  CHECK(normalizeRows(rows).empty());
  CHECK(rows(0, 0) == Approx(1000).epsilon(1e-3));
  CHECK(rows(1, 1) == Approx(0.5));
  CHECK(rows(2, 0) == 1000);
}

TEST_CASE("a sum below 0 turns the signs of its row, which is remarked", "[normalise]") {
  Matrix rows = rowsOf({{1, 1, 2}, {-1, -1, -2}});
  CHECK(normalizeRows(rows) ==
        std::vector<std::string>{
            "1 row with changed signs: the sum by which a row is divided is below 0 (the first is row 1)"});
  CHECK(rows(1, 2) == 0.5);
}

TEST_CASE("of many rows the first that is left alone is named, for any number of threads", "[normalise]") {
  constexpr Index kRows = 10'000;
  Matrix rows(kRows, 3);
  rows.fill(1);
  for (const Index r : {7777, 4321, 9999}) {
    rows(r, 0) = Scalar(0.1);
    rows(r, 1) = Scalar(0.2);
    rows(r, 2) = Scalar(-0.3);
  }
  CHECK(normalizeRows(rows) ==
        std::vector<std::string>{
            "3 rows not normalised: the sum is 0 within rounding (the first is row 4321)"});
}

TEST_CASE("rows that cancel to rounding are left alone at any width and size", "[normalise]") {
  const auto seed = GENERATE(range(0, 50));
  PhiloxStream random(static_cast<std::uint64_t>(seed), Purpose::shuffle, 4);
  const std::size_t width = 2 + random.below(300);
  const double size = std::pow(10, 20 * random.uniform() - 10);
  std::vector<double> row(width);
  double sum = 0;
  for (std::size_t c = 0; c + 1 < width; ++c) {
    row[c] = size * (random.uniform() - 0.5);
    sum += row[c];
  }
  row.back() = -sum;
  Matrix rows = rowsOf({row});
  CHECK(normalizeRows(rows).size() == 1);
}
