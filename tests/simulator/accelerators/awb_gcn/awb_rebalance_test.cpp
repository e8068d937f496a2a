#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "datasets/generate/generate_arcs.h"
#include "engine/base/index.h"
#include "simulator/accelerators/awb_gcn/awb_rebalance.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::sim::awb;

namespace {

std::vector<std::int64_t> randomLoads(std::int64_t count, std::uint64_t most, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 21);
  std::vector<std::int64_t> loads;
  for (std::int64_t i = 0; i < count; ++i)  // a third of them none, some far above the others
    loads.push_back(random.below(3) == 0 ? 0
                                         : static_cast<std::int64_t>(random.below(most) * random.below(most) /
                                                                     (1 + random.below(most))));
  return loads;
}

/// Of every row, how much work there is in all its pieces, which must be its parts, each once.
std::map<std::int64_t, std::int64_t> workOfRows(const Assignment& assignment) {
  std::map<std::int64_t, std::int64_t> work;
  std::map<std::int64_t, std::vector<std::int64_t>> parts;
  std::map<std::int64_t, std::int64_t> partCounts;
  for (const auto& pieces : assignment.ofPe)
    for (const Piece& piece : pieces) {
      work[piece.row] += piece.load;
      parts[piece.row].push_back(piece.part);
      partCounts[piece.row] = piece.parts;
    }
  for (auto& [row, rowParts] : parts) {
    std::ranges::sort(rowParts);
    std::vector<std::int64_t> all(at(partCounts[row]));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    CHECK(rowParts == all);
  }
  return work;
}

/// Nonzeros of the rows of a graph with a power law of degrees.
std::vector<std::int64_t> skewedRows(Index vertices, double degree, double exponent, Index maxDegree) {
  GraphShape shape;
  shape.generator = "community";
  shape.vertices = vertices;
  shape.averageDegree = degree;
  shape.exponent = exponent;
  shape.maxDegree = maxDegree;
  shape.homophily = 0.01;
  shape.classes = 2;
  shape.directed = true;
  const Csr arcs = plantCommunities(shape, planGraph(shape, 1), 3, {}, 0).arcs;
  std::vector<std::int64_t> loads;
  for (Index r = 0; r < arcs.rows(); ++r) loads.push_back(arcs.degree(r));
  return loads;
}

double utilisation(const std::vector<std::int64_t>& rows, const Assignment& now,
                   const BalanceFigures& figures) {
  const auto work = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
  return static_cast<double>(work) /
         static_cast<double>(figures.pes * smoothedMost(now.loads(), figures.hops));
}

}  // namespace

TEST_CASE("local smoothing reaches what Hall's theorem allows, and no less", "[simulator]") {
  const auto hops = GENERATE(0, 1, 2, 5);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto loads = randomLoads(1 + static_cast<std::int64_t>(seed) % 17, 40, seed);
    CAPTURE(hops, seed);
    CHECK(smoothedMost(loads, hops) == smoothedMostReference(loads, hops));
  }
  CHECK(smoothedMost({}, 1) == 0);
  const std::vector<std::int64_t> spike = {0, 0, 90, 0, 0, 0};
  CHECK(smoothedMost(spike, 0) == 90);
  CHECK(smoothedMost(spike, 1) == 30);
  CHECK(smoothedMost(spike, 2) == 18);
}

TEST_CASE("rebalancing keeps every row's work in every round", "[simulator]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::int64_t pes = 1 + static_cast<std::int64_t>(seed * 7) % 40;
    const auto rows = randomLoads(300, 60, seed);
    std::map<std::int64_t, std::int64_t> expectedWork;
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r] > 0) expectedWork[static_cast<std::int64_t>(r)] = rows[r];
    const BalanceFigures figures{pes, 1, pes / 2, 3, seed % 2 == 0 ? 1.0 : 0.5, 8};
    CAPTURE(seed, pes);
    std::int64_t rounds = 0;
    const Assignment best = balanceRounds(rows, figures, [&](std::int64_t round, const Assignment& now) {
      CHECK(round == rounds++);
      CHECK(std::ssize(now.ofPe) == pes);
      CHECK(workOfRows(now) == expectedWork);
    });
    CHECK(rounds <= 9);
    CHECK((pes == 1 || rounds > 1));
    CHECK(workOfRows(best) == expectedWork);
    CHECK(smoothedMost(best.loads(), 1) <= smoothedMost(dealt(rows, pes).loads(), 1));
  }
}

TEST_CASE("a row with all the work is split, and only where splitting is allowed", "[simulator]") {
  std::vector<std::int64_t> rows(64, 1);
  rows[5] = 6400;
  const auto most = [&](std::int64_t splits) {
    const BalanceFigures figures{64, 0, 32, splits, 1, 10};
    return smoothedMost(balanceRounds(rows, figures, [](auto, const auto&) {}).loads(), 0);
  };
  CHECK(most(0) == 6400);  // rows are moved, not cut
  CHECK(most(1) <= 102);   // (6400 + 63) / 64 is 101
  const BalanceFigures none{64, 0, 32, 1, 1, 10};
  CHECK(balanceRounds({}, none, [](auto, const auto&) {}).loads() == std::vector<std::int64_t>(64, 0));
}

TEST_CASE("skewed graphs reach nine tenths within ten rounds, several times what they began with",
          "[simulator]") {
  struct Case {
    Index vertices;
    double degree, exponent;
    Index maxDegree;
    std::int64_t pes;
    double gain;  // over rows as dealt, without smoothing
  };
  const auto testCase =
      GENERATE(Case{60'000, 15, 2.1, 6000, 1024, 6.5}, Case{60'000, 30, 2.3, 12'000, 4096, 15.0},
               Case{20'000, 60, 2.1, 8000, 4096, 15.0});
  const auto rows = skewedRows(testCase.vertices, testCase.degree, testCase.exponent, testCase.maxDegree);
  const BalanceFigures figures{testCase.pes, 2, testCase.pes / 64, testCase.pes / 64, 1, 10};
  const BalanceFigures fixed{testCase.pes, 0, 0, 0, 1, 0};
  std::vector<double> reached;
  const Assignment best = balanceRounds(rows, figures, [&](std::int64_t, const Assignment& now) {
    reached.push_back(utilisation(rows, now, figures));
  });
  const double before = utilisation(rows, dealt(rows, testCase.pes), fixed);
  const double after = utilisation(rows, best, figures);
  CAPTURE(testCase.vertices, testCase.pes, before, reached, after);
  REQUIRE(reached.size() <= 11);
  CHECK(after > 0.9);
  CHECK(std::ranges::max(reached) == after);
  CHECK(reached[0] < 0.6);
  CHECK(reached[1] < 0.9);  // not at once
  CHECK(after / before > testCase.gain);
}

TEST_CASE("expected loads are the degrees of their law", "[simulator]") {
  const Graph law{1'000'000, 20'000'000, 1, nullptr, 2.3, 50'000};
  const auto loads = expectedLoads(law, law.vertices, law.nonzeros, 1 << 16);
  CHECK(std::ssize(loads) == 1 << 16);
  CHECK(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}) == law.nonzeros);
  CHECK(std::ranges::min(loads) >= 0);
  // the largest of a million, near the law's end
  CHECK(static_cast<double>(std::ranges::max(loads)) == Approx(50'000).epsilon(0.25));
  const Graph random{10'000, 1'000'000, 1, nullptr};
  const auto even = expectedLoads(random, random.vertices, random.nonzeros, 1 << 16);
  CHECK(std::ssize(even) == 10'000);
  CHECK(std::accumulate(even.begin(), even.end(), std::int64_t{0}) == random.nonzeros);
  double squares = 0;
  for (const std::int64_t load : even) squares += static_cast<double>((load - 100) * (load - 100));
  CHECK(squares / 10'000 == Approx(100).epsilon(0.1));  // a Poisson number's variance is its mean
  CHECK(expectedLoads(random, 0, 0, 16).empty());
  CHECK(expectedLoads(random, 5, 1, 16).size() == 5);
}
