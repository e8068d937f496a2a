#include "datasets/generate/rmat.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("R-MAT graphs are symmetric, without loops, and the same for a seed", "[datasets]") {
  const auto scale = GENERATE(1, 6, 11);
  const Csr A = rmat(scale, 8, 4);
  CHECK(A.rows() == Index{1} << scale);
  CHECK(A.cols == A.rows());
  CHECK(isSymmetric(A));
  CHECK(selfLoops(A) == 0);
  CHECK(A.nonzeros() <= 16 * A.rows());
  CHECK(rmat(scale, 8, 4).columns == A.columns);
  if (scale > 1) CHECK(rmat(scale, 8, 5).columns != A.columns);
  CHECK(rmat(scale, 0, 4).nonzeros() == 0);
}

TEST_CASE("R-MAT graphs have hubs and vertices without neighbours, wherever their numbers lie",
          "[datasets]") {
  const Csr A = rmat(12, 8, 1);
  Index widest = 0, at = 0, empty = 0;
  for (Index r = 0; r < A.rows(); ++r) {
    empty += A.degree(r) == 0 ? 1 : 0;
    if (A.degree(r) > widest) {
      widest = A.degree(r);
      at = r;
    }
  }
  CHECK(widest > 30 * A.nonzeros() / A.rows());
  CHECK(empty > A.rows() / 20);
  CHECK(at != 0);  // renumbered: the corner of the recursion is anywhere
}

TEST_CASE("the upper left quadrant of R-MAT holds the share it should before renumbering", "[datasets]") {
  // degrees tell it whatever the numbers are: half of the vertices, those of the upper half, have
  // 0.57 + 0.19 of the arcs' ends; duplicates are few where there are many vertices
  const Csr A = rmat(14, 2, 9);
  std::vector<Index> degrees;
  for (Index r = 0; r < A.rows(); ++r) degrees.push_back(A.degree(r));
  std::ranges::sort(degrees);
  Index upper = 0;
  for (std::size_t i = degrees.size() / 2; i < degrees.size(); ++i) upper += degrees[i];
  // those with most neighbours are at least the upper half's 0.76
  CHECK(static_cast<double>(upper) / static_cast<double>(A.nonzeros()) > 0.76);
}
