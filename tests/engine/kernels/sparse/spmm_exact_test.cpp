#include "engine/base/index.h"
#include "engine/kernels/sparse/spmm.h"

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

// sum of at most `terms` products, all at most 1: error grows with the number of terms
double tolerance(Index terms) { return 4.0 * static_cast<double>(terms + 2) * kEpsilon; }

Index longestRow(const Csr& A) {
  Index longest = 0;
  for (Index i = 0; i < A.rows(); ++i) longest = std::max(longest, A.degree(i));
  return longest;
}

std::vector<std::uint8_t> randomMask(Index rows, Index cols) {
  PhiloxStream random(5, Purpose::generate, 3);
  std::vector<std::uint8_t> mask(at(rows * ((cols + 7) / 8)));
  for (auto& byte : mask) byte = static_cast<std::uint8_t>(random.below(256));
  return mask;
}

}  // namespace

TEST_CASE("spmm agrees with its definition", "[spmm]") {
  const Index rows = GENERATE(0, 1, 7, 300);
  const Index cols = GENERATE(1, 40, 517);
  const Index degree = GENERATE(0, 1, 5, 40);
  const Index features = GENERATE(0, 1, 3, 8, 16, 41, 64, 100, 128, 200, 256, 257, 602);
  const bool weighted = (rows + features) % 2 == 0;
  CAPTURE(rows, cols, degree, features, weighted);
  const Csr A = randomGraph(rows, cols, degree, weighted, 1);
  const Matrix X = randomMatrix(cols, features, 2);
  Matrix Y, expected;
  spmm(A, X, Y);
  spmmReference(A, X, expected);
  REQUIRE(largestDifference(Y, expected) <= tolerance(longestRow(A)));

  spmm(A, X, Y, Write::add);
  spmmReference(A, X, expected, Write::add);
  REQUIRE(largestDifference(Y, expected) <= 2 * tolerance(longestRow(A)));
}

TEST_CASE("spmm overwrites whatever stood in the output", "[spmm]") {
  const Csr A = randomGraph(90, 90, 4, true, 1);
  const Matrix X = randomMatrix(90, 33, 2);
  Matrix Y(90, 33), expected;
  Y.fill(std::numeric_limits<Scalar>::quiet_NaN());
  spmm(A, X, Y);
  spmmReference(A, X, expected);
  REQUIRE(largestDifference(Y, expected) <= tolerance(longestRow(A)));
}

TEST_CASE("spmm gives the same bits for any number of threads", "[spmm][threads]") {
  const Index features = GENERATE(1, 16, 41, 64, 256, 602);
  const bool weighted = GENERATE(false, true);
  CAPTURE(features, weighted);
  const Csr A = randomGraph(3000, 2500, 30, weighted, 3);
  const Matrix X = randomMatrix(2500, features, 4);
  requireSameBitsForAnyThreads([&] {
    Matrix Y;
    spmm(A, X, Y);
    spmm(A, X, Y, Write::add);
    return Y;
  });
}

TEST_CASE("spmm counts two operations for every nonzero and feature", "[spmm]") {
  const Csr A = randomGraph(100, 100, 7, true, 1);
  const Matrix X = randomMatrix(100, 12, 2);
  Matrix Y;
  const auto before = work().sparse;
  spmm(A, X, Y);
  REQUIRE(work().sparse - before == 2 * A.nonzeros() * 12);
}

TEST_CASE("spmm counts modelled bytes: the matrix, rows written, rows read once or for every arc", "[spmm]") {
  const bool weighted = GENERATE(false, true);
  const Csr A = randomGraph(100, 80, 7, weighted, 1);
  const Matrix X = randomMatrix(80, 12, 2);
  const auto real = static_cast<Index>(sizeof(Scalar)), row = 12 * real;
  const Index matrix = 101 * 8 + A.nonzeros() * (4 + (weighted ? real : 0));
  Matrix Y;
  for (const auto& [write, written] : {std::pair(Write::overwrite, 100), std::pair(Write::add, 200)}) {
    const Work before = work();
    spmm(A, X, Y, write);
    CHECK(work().sparseLeastBytes - before.sparseLeastBytes == matrix + (written + 80) * row);
    CHECK(work().sparseMostBytes - before.sparseMostBytes == matrix + (written + A.nonzeros()) * row);
  }
}

TEST_CASE("masked spmm keeps exactly the masked elements", "[spmm]") {
  const Index rows = GENERATE(0, 1, 250);
  const Index features = GENERATE(1, 8, 13, 64, 100, 602);
  CAPTURE(rows, features);
  const Csr A = randomGraph(rows, 200, 9, features % 2 == 0, 1);
  const Matrix X = randomMatrix(200, features, 2);
  const auto mask = randomMask(rows, features);
  Matrix Z, expected;
  spmmMasked(A, X, mask, Z);
  spmmMaskedReference(A, X, mask, expected);
  REQUIRE(largestDifference(Z, expected) <= tolerance(longestRow(A)));
  requireSameBitsForAnyThreads([&] {
    Matrix out;
    spmmMasked(A, X, mask, out);
    return out;
  });
}

TEST_CASE("a masked-out element is zero even where the product is not a number", "[spmm]") {
  const Csr A = randomGraph(20, 20, 5, false, 1);
  Matrix X = randomMatrix(20, 9, 2);
  X.fill(std::numeric_limits<Scalar>::quiet_NaN());
  const std::vector<std::uint8_t> none(at(20 * 2), 0);
  Matrix Z;
  spmmMasked(A, X, none, Z);
  for (const Scalar z : Z.values()) REQUIRE(z == 0);
}

TEST_CASE("indexAdd agrees with its definition", "[spmm]") {
  const Index rows = GENERATE(0, 1, 9, 2000);
  const Index targets = GENERATE(1, 17, 800);
  const Index features = GENERATE(1, 5, 16, 130);
  CAPTURE(rows, targets, features);
  const Matrix X = randomMatrix(rows, features, 1);
  PhiloxStream random(7, Purpose::generate, 4);
  std::vector<Vertex> target(at(rows));
  for (Vertex& t : target) t = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(targets)));
  const Matrix start = randomMatrix(targets, features, 2);
  Matrix Y = start, expected = start;
  indexAdd(X, target, Y);
  indexAddReference(X, target, expected);
  REQUIRE(largestDifference(Y, expected) <= tolerance(rows));
  requireSameBitsForAnyThreads([&] {
    Matrix out = start;
    indexAdd(X, target, out);
    return out;
  });
}

}  // namespace halo
