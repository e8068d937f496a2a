// Non-negative least squares of what rows and edges take.
#include "engine/methods/choices/cost_fit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "engine/base/least_squares.h"
#include "engine/base/philox.h"

using namespace halo;

namespace {

struct Rank {
  double rows = 0, edges = 0, time = 0;
};

CostSums sumsOf(const std::vector<Rank>& ranks) {
  CostSums sums;
  for (const Rank& rank : ranks) {
    sums.rr += rank.rows * rank.rows;
    sums.re += rank.rows * rank.edges;
    sums.ee += rank.edges * rank.edges;
    sums.rt += rank.rows * rank.time;
    sums.et += rank.edges * rank.time;
  }
  return sums;
}

double squares(const std::vector<Rank>& ranks, double row, double edge) {
  double sum = 0;
  for (const Rank& rank : ranks) sum += std::pow(rank.time - row * rank.rows - edge * rank.edges, 2);
  return sum;
}

}  // namespace

TEST_CASE("a row and an edge are fitted exactly where times are made of them", "[roc]") {
  std::vector<Rank> ranks;
  for (const auto& [rows, edges] : {std::pair(10.0, 50.0), std::pair(20.0, 30.0), std::pair(5.0, 90.0)})
    ranks.push_back({rows, edges, 3 * rows + 7 * edges});
  const auto cost = fitCosts(sumsOf(ranks));
  REQUIRE(cost);
  CHECK(cost->row == Approx(3));
  CHECK(cost->edge == Approx(7));
}

TEST_CASE("no cost is fitted below 0, and none that is 0 or more fits better", "[roc]") {
  PhiloxStream random(5, Purpose::shuffle, 0);
  int zeroCosts = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Rank> ranks;
    for (int rank = 0; rank < 4; ++rank)
      ranks.push_back({1 + random.uniform(), 1 + 4 * random.uniform(), 0.5 + random.uniform()});
    const auto cost = fitCosts(sumsOf(ranks));
    REQUIRE(cost);
    CAPTURE(round, cost->row, cost->edge);
    CHECK(cost->row >= 0);
    CHECK(cost->edge >= 0);
    zeroCosts += cost->row == 0 || cost->edge == 0 ? 1 : 0;
    const double residual = squares(ranks, cost->row, cost->edge);
    double least = residual;
    for (int i = 0; i <= 150; ++i)
      for (int j = 0; j <= 100; ++j) least = std::min(least, squares(ranks, 0.01 * i, 0.01 * j));
    CHECK(least >= residual - 1e-12);
  }
  CHECK(zeroCosts > 20);  // the plain solution would have been negative
  CHECK(zeroCosts < 180);
}

TEST_CASE("ranks that are alike, and times that are 0, fit no cost", "[roc]") {
  CHECK(!fitCosts(sumsOf({{10, 50, 1}, {20, 100, 3}})));
  CHECK(!fitCosts(sumsOf({{10, 50, 1}})));
  CHECK(!fitCosts(sumsOf({{10, 50, 0}, {20, 30, 0}})));
}

TEST_CASE("costs are those of the general solver", "[roc]") {
  const auto compared = [](double second, double third, int atZero) {
    const std::vector<Rank> ranks = {
        {1000, 9000, 61000}, {1400, 7000, second}, {700, 12000, third}, {900, 8000, 56000}};
    std::vector<std::vector<double>> rows;
    std::vector<double> times;
    for (const Rank& rank : ranks) {
      rows.push_back({rank.rows, rank.edges});
      times.push_back(rank.time);
    }
    const std::vector<double> alike(ranks.size(), 1), general = nonNegativeLeastSquares({rows, times, alike});
    const auto cost = fitCosts(sumsOf(ranks));
    REQUIRE(cost);
    CHECK(cost->row == Approx(general[0]).epsilon(1e-9).margin(1e-12));
    CHECK(cost->edge == Approx(general[1]).epsilon(1e-9).margin(1e-12));
    CHECK((general[0] == 0) + (general[1] == 0) == atZero);
  };
  compared(52500, 80300, 0);
  compared(32500, 99300, 1);
  compared(82500, 40300, 1);
}
