#include "datasets/graph/csr.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/philox.h"

using namespace halo;

namespace {

std::vector<Arc> randomArcs(Index vertices, Index count, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 0);
  std::vector<Arc> arcs;
  for (Index i = 0; i < count; ++i)
    arcs.push_back({static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices))),
                    static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices)))});
  return arcs;
}

/// The definition of buildCsr: a set of columns for every row.
std::map<Vertex, std::set<Vertex>> rowsOf(const std::vector<Arc>& arcs, bool keepSelfLoops) {
  std::map<Vertex, std::set<Vertex>> rows;
  for (const Arc arc : arcs)
    if (keepSelfLoops || arc.source != arc.target) rows[arc.target].insert(arc.source);
  return rows;
}

std::map<Vertex, std::set<Vertex>> rowsOf(const Csr& A) {
  std::map<Vertex, std::set<Vertex>> rows;
  for (Index r = 0; r < A.rows(); ++r)
    for (const Vertex c : A.row(r)) rows[static_cast<Vertex>(r)].insert(c);
  return rows;
}

bool wellFormed(const Csr& A) {
  for (Index r = 0; r < A.rows(); ++r) {
    const auto row = A.row(r);
    if (std::adjacent_find(row.begin(), row.end(), std::greater_equal<Vertex>()) != row.end()) return false;
    if (!row.empty() && (row.front() < 0 || row.back() >= A.cols)) return false;
  }
  return A.offsets.front() == 0 && A.nonzeros() == static_cast<Index>(A.columns.size());
}

}  // namespace

TEST_CASE("a graph built from arcs has the rows of its definition", "[csr]") {
  const Index vertices = GENERATE(1, 7, 300);
  const Index count = GENERATE(0, 1, 900, 5000);
  const bool keep = GENERATE(true, false);
  CAPTURE(vertices, count, keep);
  auto arcs = randomArcs(vertices, count, 1);
  const Csr A = buildCsr(vertices, arcs, keep);
  REQUIRE(A.rows() == vertices);
  CHECK(A.cols == vertices);
  CHECK(wellFormed(A));
  CHECK(rowsOf(A) == rowsOf(arcs, keep));
  if (!keep) CHECK(selfLoops(A) == 0);

  std::reverse(arcs.begin(), arcs.end());
  const Csr again = buildCsr(vertices, arcs, keep);
  CHECK(again.columns == A.columns);
  CHECK(again.offsets == A.offsets);
}

TEST_CASE("a graph without vertices has no rows", "[csr]") {
  const Csr A = buildCsr(0, {}, true);
  CHECK(A.rows() == 0);
  CHECK(A.nonzeros() == 0);
  CHECK(transpose(A).rows() == 0);
  CHECK(symmetrised(A).rows() == 0);
  CHECK(isSymmetric(A));
}

TEST_CASE("self loops are counted", "[csr]") {
  const std::vector<Arc> arcs = {{0, 0}, {0, 0}, {1, 0}, {2, 2}};
  CHECK(selfLoops(buildCsr(3, arcs, true)) == 2);
}

TEST_CASE("transposing carries values along and twice gives the matrix back", "[csr]") {
  Csr A = buildCsr(50, randomArcs(50, 400, 2), true);
  A.values.resize(A.columns.size());
  for (std::size_t e = 0; e < A.values.size(); ++e) A.values[e] = static_cast<Scalar>(e);
  const Csr T = transpose(A);
  CHECK(wellFormed(T));
  std::map<std::pair<Vertex, Vertex>, Scalar> expected, actual;
  for (Index r = 0; r < 50; ++r) {
    for (std::size_t i = 0; i < A.row(r).size(); ++i)
      expected[{A.row(r)[i], static_cast<Vertex>(r)}] = A.values[at(A.offsets[at(r)]) + i];
    for (std::size_t i = 0; i < T.row(r).size(); ++i)
      actual[{static_cast<Vertex>(r), T.row(r)[i]}] = T.values[at(T.offsets[at(r)]) + i];
  }
  CHECK(actual == expected);
  const Csr back = transpose(T);
  CHECK(back.columns == A.columns);
  CHECK(back.values == A.values);
  CHECK(back.offsets == A.offsets);
}

TEST_CASE("a rectangular matrix is transposed to the other shape", "[csr]") {
  Csr A;
  A.cols = 3;
  A.offsets = {0, 2, 2};
  A.columns = {0, 2};
  const Csr T = transpose(A);
  CHECK(T.rows() == 3);
  CHECK(T.cols == 2);
  CHECK(T.columns == Buffer<Vertex>{0, 0});
  CHECK(T.offsets == Buffer<Index>{0, 1, 1, 2});
  CHECK_FALSE(isSymmetric(A));
}

TEST_CASE("adding inverse arcs gives the smallest symmetric pattern above", "[csr]") {
  const Index vertices = GENERATE(1, 60, 9000);
  auto arcs = randomArcs(vertices, vertices * 3, 3);
  const Csr A = buildCsr(vertices, arcs, true);
  const Csr S = symmetrised(A);
  const std::size_t count = arcs.size();
  for (std::size_t i = 0; i < count; ++i) arcs.push_back({arcs[i].target, arcs[i].source});
  CHECK(wellFormed(S));
  CHECK(isSymmetric(S));
  CHECK(rowsOf(S) == rowsOf(arcs, true));
  if (vertices > 1) CHECK_FALSE(isSymmetric(A));
  CHECK(symmetrised(S).columns == S.columns);
}

TEST_CASE("a permuted matrix holds the entries of the order it was given", "[csr]") {
  Csr A = buildCsr(40, randomArcs(40, 300, 4), true);
  A.values.resize(A.columns.size());
  for (std::size_t e = 0; e < A.values.size(); ++e) A.values[e] = static_cast<Scalar>(e);
  std::vector<Vertex> order(40);
  for (Vertex i = 0; i < 40; ++i) order[at(i)] = (i * 7 + 3) % 40;
  const Csr B = permuted(A, order);
  CHECK(wellFormed(B));
  REQUIRE(B.nonzeros() == A.nonzeros());
  const auto valueAt = [](const Csr& M, Vertex row, Vertex column) {
    const auto columns = M.row(row);
    const auto position = std::lower_bound(columns.begin(), columns.end(), column);
    if (position == columns.end() || *position != column) return Scalar{-1};
    return M.values[at(M.offsets[at(row)] + (position - columns.begin()))];
  };
  for (Vertex i = 0; i < 40; ++i)
    for (Vertex j = 0; j < 40; ++j) REQUIRE(valueAt(B, i, j) == valueAt(A, order[at(i)], order[at(j)]));
}
