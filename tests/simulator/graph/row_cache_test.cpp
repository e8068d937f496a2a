#include "simulator/graph/row_cache.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "datasets/generate/generate_arcs.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;

namespace {

std::vector<std::int64_t> borders(const Csr& matrix, std::int64_t count) {
  std::vector<std::int64_t> ends;
  for (const std::int64_t row : evenRows(matrix, count)) ends.push_back(matrix.offsets[at(row)]);
  return ends;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("a least recently used cache of rows misses as its definition does", "[simulator]") {
  for (const Dataset& set : halo::test::hardGraphs())
    for (const std::int64_t rows : {1, 2, 3, 8})
      for (const std::int64_t capacity : {0, 1, 2, 5, 11, 1000})
        for (const std::int64_t stretches : {1, 3, 7}) {
          CAPTURE(set.name, rows, capacity, stretches);
          const RowCache cache{rows, capacity};
          const auto ends = borders(set.arcs, stretches);
          REQUIRE(ends.back() == set.arcs.nonzeros());
          CHECK(lruMisses(set.arcs, cache, ends) == lruMissesReference(set.arcs, cache, ends));
        }
  const Csr random = randomDirected(700, 9000, 5);
  for (const std::int64_t capacity : {1, 30, 200, 699}) {
    CAPTURE(capacity);
    const auto ends = borders(random, 10);
    CHECK(lruMisses(random, {1, capacity}, ends) == lruMissesReference(random, {1, capacity}, ends));
  }
}

TEST_CASE("a cache that holds everything misses first uses alone", "[simulator]") {
  const Csr random = randomDirected(700, 9000, 6);
  std::vector<bool> used(700);
  for (const Vertex v : random.columns) used[at(v)] = true;
  CHECK(sum(lruMisses(random, {1, 700}, borders(random, 4))) == std::ranges::count(used, true));
  CHECK(sum(lruMisses(random, {1, 0}, borders(random, 4))) == random.nonzeros());
}

TEST_CASE("a sample of the rows misses about as often as all", "[simulator]") {
  GraphShape shape;
  shape.generator = "community";
  shape.vertices = 50'000;
  shape.averageDegree = 12;
  shape.exponent = 2.2;
  shape.maxDegree = 2000;
  shape.homophily = 0.5;
  shape.classes = 20;
  shape.directed = true;
  const Csr graph = plantCommunities(shape, planGraph(shape, 1), 3, {}, 0).arcs;
  const auto nonzeros = static_cast<double>(graph.nonzeros());
  for (const std::int64_t capacity : {1000, 5000, 20'000})
    for (const std::int64_t rows : {1, 4}) {
      CAPTURE(capacity, rows);
      const auto ends = borders(graph, 16);
      const double exact = static_cast<double>(sum(lruMisses(graph, {rows, capacity}, ends))) / nonzeros;
      const double estimate =
          static_cast<double>(sum(sampledLruMisses(graph, {rows, capacity}, ends, 8))) / nonzeros;
      CHECK(estimate == Approx(exact).margin(0.03));
      CHECK(sampledLruMisses(graph, {rows, capacity}, ends, 1) == lruMisses(graph, {rows, capacity}, ends));
    }
}

TEST_CASE("expected misses are those of rows asked for at random", "[simulator]") {
  const std::int64_t rows = 20'000;
  PhiloxStream random(3, Purpose::shuffle, 7);
  Csr matrix;  // one row of uses: columns in any order
  matrix.cols = rows;
  matrix.columns.resize(400'000);
  for (Vertex& v : matrix.columns) v = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(rows)));
  matrix.offsets.push_back(std::ssize(matrix.columns));
  const std::vector<std::int64_t> ends = {std::ssize(matrix.columns)};
  for (const std::int64_t capacity : {0, 2000, 10'000, 20'000}) {
    CAPTURE(capacity);
    const auto counted = static_cast<double>(sum(lruMisses(matrix, {1, capacity}, ends)));
    const auto expected = static_cast<double>(
        expectedMisses(400'000, static_cast<double>(rows), static_cast<double>(capacity)));
    CHECK(expected == Approx(counted).epsilon(0.05));
  }
  CHECK(expectedMisses(0, 100, 10) == 0);
  CHECK(expectedMisses(100, 0, 10) == 0);
}

TEST_CASE("even stretches hold about as many nonzeros each, and every row once", "[simulator]") {
  const Csr random = randomDirected(5000, 60'000, 8);
  const auto rows = evenRows(random, 12);
  REQUIRE(rows.size() == 12);
  CHECK(rows.back() == 5000);
  CHECK(std::ranges::is_sorted(rows));
  std::int64_t before = 0;
  for (const std::int64_t end : borders(random, 12)) {
    CHECK(static_cast<double>(end - before) == Approx(5000).margin(100));
    before = end;
  }
  CHECK(evenRows(edgeless(3), 2).back() == 3);
}

TEST_CASE("least recently used rows of 20 million nonzeros", "[!benchmark]") {
  const Csr random = randomDirected(1'000'000, 20'000'000, 9);
  const auto ends = borders(random, 128);
  for (const std::int64_t capacity : {12'000, 400'000}) {
    BENCHMARK("exact, a cache of " + std::to_string(capacity) + " rows") {
      return lruMisses(random, {1, capacity}, ends).back();
    };
    BENCHMARK("one of 16 rows, a cache of " + std::to_string(capacity) + " rows") {
      return sampledLruMisses(random, {1, capacity}, ends, 16).back();
    };
  }
}
