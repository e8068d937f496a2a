#include "simulator/graph/pair_reduction.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>

#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;

namespace {

/// What stands in a row when pairs are taken apart again.
std::multiset<Vertex> unfolded(const PairReduction& reduction, Index columns, Index row) {
  std::multiset<Vertex> all;
  const std::function<void(Vertex)> add = [&](Vertex v) {
    if (v < columns) {
      all.insert(v);
      return;
    }
    const auto& [first, second] = reduction.pairs[at(v - columns)];
    add(first);
    add(second);
  };
  for (const Vertex v : reduction.matrix.row(row)) add(v);
  return all;
}

void checkSame(const Csr& matrix, const PairReduction& reduction) {
  REQUIRE(reduction.matrix.rows() == matrix.rows());
  CHECK(reduction.matrix.cols == matrix.cols + std::ssize(reduction.pairs));
  for (Index r = 0; r < matrix.rows(); ++r) {
    CHECK(std::ranges::is_sorted(reduction.matrix.row(r)));
    const auto row = matrix.row(r);
    CHECK(unfolded(reduction, matrix.cols, r) == std::multiset<Vertex>(row.begin(), row.end()));
  }
}

/// The definition of a round: every pair of columns, every row.
std::vector<std::pair<Vertex, Vertex>> firstPairs(const Csr& matrix, std::int64_t least) {
  std::map<std::pair<Vertex, Vertex>, std::int64_t> rows;
  for (Index r = 0; r < matrix.rows(); ++r)
    for (const Vertex u : matrix.row(r))
      for (const Vertex v : matrix.row(r))
        if (u < v) ++rows[{u, v}];
  std::vector<std::pair<Vertex, Vertex>> pairs;
  std::set<Vertex> pairVertices;
  for (;;) {
    const std::pair<const std::pair<Vertex, Vertex>, std::int64_t>* best = nullptr;
    for (const auto& entry : rows)
      if (entry.second >= least && !pairVertices.contains(entry.first.first) &&
          !pairVertices.contains(entry.first.second) && (best == nullptr || entry.second > best->second))
        best = &entry;
    if (best == nullptr) return pairs;
    pairs.push_back(best->first);
    pairVertices.insert({best->first.first, best->first.second});
  }
}

}  // namespace

TEST_CASE("pairs of neighbours by hand", "[simulator]") {
  // 0, 1 and 2 stand together in four rows, each with 3 in three
  const Csr matrix = buildCsr(8,
                              std::vector<Arc>{{0, 4},
                                               {1, 4},
                                               {0, 5},
                                               {1, 5},
                                               {2, 5},
                                               {3, 5},
                                               {0, 6},
                                               {1, 6},
                                               {2, 6},
                                               {3, 6},
                                               {0, 7},
                                               {1, 7},
                                               {2, 7},
                                               {3, 7},
                                               {2, 4}},
                              true);
  const PairReduction reduction = reducePairs(matrix, 1);
  CHECK(reduction.pairs == std::vector<std::pair<Vertex, Vertex>>{{0, 1}, {2, 3}});
  CHECK(std::vector<Vertex>(reduction.matrix.row(4).begin(), reduction.matrix.row(4).end()) ==
        std::vector<Vertex>{2, 8});
  CHECK(std::vector<Vertex>(reduction.matrix.row(5).begin(), reduction.matrix.row(5).end()) ==
        std::vector<Vertex>{8, 9});
  CHECK(rowAdditions(matrix, 0, 8) == 2 + 3 + 3 + 3);
  CHECK(reduction.additions() == 2 + 1 + 1 + 1 + 1);
  // the second round pairs the pairs, which stand together in three rows
  const PairReduction again = reducePairs(matrix, 2);
  REQUIRE(again.pairs.size() == 3);
  CHECK(again.pairs[2] == std::pair<Vertex, Vertex>{8, 9});
  CHECK(again.additions() == 3 + 1);
  checkSame(matrix, again);
}

TEST_CASE("pairs are those that the definition matches, and every row sums the same", "[simulator]") {
  for (const Dataset& set : halo::test::hardGraphs())
    for (const std::int64_t least : {2, 3}) {
      CAPTURE(set.name, least);
      CHECK(reducePairs(set.arcs, 1, least).pairs == firstPairs(set.arcs, least));
      for (const int rounds : {0, 1, 3, 50}) checkSame(set.arcs, reducePairs(set.arcs, rounds, least));
    }
  const Csr dense = randomDirected(60, 1500, 4);
  CHECK(reducePairs(dense, 1).pairs == firstPairs(dense, 3));
  checkSame(dense, reducePairs(dense, 10));
}

TEST_CASE("no round adds work, and dense graphs save some", "[simulator]") {
  const Csr dense = randomDirected(200, 20'000, 5);
  std::int64_t before = rowAdditions(dense, 0, dense.rows());
  CHECK(reducePairs(dense, 0).additions() == before);
  for (const int rounds : {1, 2, 3, 4}) {
    CAPTURE(rounds);
    const std::int64_t now = reducePairs(dense, rounds).additions();
    CHECK(now < before);
    before = now;
  }
  CHECK(before * 10 < rowAdditions(dense, 0, dense.rows()) * 8);
}
