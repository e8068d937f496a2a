#include "engine/kernels/dense/dense.h"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include "engine/kernels/dense/product_tiles.h"
#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

struct Sizes {
  Index n, d, h;
};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor inEigen(const Matrix& A) {
  RowMajor wide(A.rows(), A.cols());
  for (Index i = 0; i < A.size(); ++i) wide.data()[i] = static_cast<double>(A.data()[i]);
  return wide;
}

double largestDifference(const Matrix& C, const RowMajor& expected) {
  REQUIRE(C.rows() == expected.rows());
  REQUIRE(C.cols() == expected.cols());
  return C.empty() ? 0 : (inEigen(C) - expected).cwiseAbs().maxCoeff();
}

// products at most 1 in absolute value, summed in some order
double tolerance(Index terms) { return 4.0 * static_cast<double>(terms + 2) * kEpsilon; }

}  // namespace

TEST_CASE("dense products agree with their definition", "[dense]") {
  const auto [n, d, h] = GENERATE(Sizes{0, 3, 4}, Sizes{5, 0, 3}, Sizes{5, 3, 0}, Sizes{1, 1, 1},
                                  Sizes{7, 5, 3}, Sizes{300, 16, 16}, Sizes{513, 64, 41}, Sizes{1500, 33, 7},
                                  Sizes{700, 129, 1}, Sizes{2049, 1, 65}, Sizes{900, 100, 48});
  CAPTURE(n, d, h);
  const Matrix A = randomMatrix(n, d, 1), W = randomMatrix(d, h, 2), G = randomMatrix(n, h, 3);
  for (const Write write : {Write::overwrite, Write::add}) {
    Matrix C = randomMatrix(n, h, 4), expected = C;
    multiply(A, W, C, write);
    multiplyReference(A, false, W, false, expected, write);
    CHECK(largestDifference(C, expected) <= tolerance(d));

    C = randomMatrix(d, h, 5);
    expected = C;
    multiplyTransposedA(A, G, C, write);
    multiplyReference(A, true, G, false, expected, write);
    CHECK(largestDifference(C, expected) <= tolerance(n));

    C = randomMatrix(n, d, 6);
    expected = C;
    multiplyTransposedB(G, W, C, write);
    multiplyReference(G, false, W, true, expected, write);
    CHECK(largestDifference(C, expected) <= tolerance(h));
  }
}

void checkProducts(Sizes sizes) {
  const auto [n, d, h] = sizes;
  CAPTURE(n, d, h);
  const Matrix A = randomMatrix(n, d, 1), W = randomMatrix(d, h, 2), G = randomMatrix(n, h, 3);
  const RowMajor a = inEigen(A), w = inEigen(W), g = inEigen(G);
  Matrix C, T = randomMatrix(d, h, 4), N;
  multiply(A, W, C);
  REQUIRE(largestDifference(C, a * w) <= tolerance(d));
  const RowMajor t = inEigen(T);
  multiplyTransposedA(A, G, T, Write::add);
  REQUIRE(largestDifference(T, t + a.transpose() * g) <= tolerance(n));
  multiplyTransposedB(G, W, N);
  REQUIRE(largestDifference(N, g * w.transpose()) <= tolerance(h));
}

TEST_CASE(
    "dense products of every instruction set here, by every height of a strip and end of a panel, are "
    "Eigen's",
    "[dense][targets]") {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget only(target);
    CAPTURE(hwy::TargetName(target));
    for (Index rows = 1; rows <= 30; ++rows) checkProducts({rows, 30 - rows + 1, rows + 1});
    for (Index columns = 1; columns <= 70; ++columns) checkProducts({17, 9, columns});
    checkProducts({600, 523, 100});  // three blocks of columns of A, blocks of rows
    checkProducts({700, 1024, 96});  // rows that meet in the sets of a cache
    checkProducts({1100, 70, 512});
  }
}

TEST_CASE("a product writes within its columns", "[dense][tiles]") {
  const Index m = 29, n = GENERATE(1, 7, 16, 33, 45), k = GENERATE(1, 40, kDepth), stride = 64;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget only(target);
    CAPTURE(m, n, k, hwy::TargetName(target));
    const Matrix A = randomMatrix(m, k, 1), B = randomMatrix(k, n, 2);
    Matrix packed(1, packedSize(k, n)), room(1, leftRoom()), C(m, stride);
    C.fill(7);
    packRight({B.data(), n, 1}, k, n, packed.data());
    multiplyTiles({m, n, k, {A.data(), k, 1}, packed.data(), false, C.data(), stride, room.data()});
    for (Index i = 0; i < m; ++i)
      for (Index j = n; j < stride; ++j) REQUIRE(C(i, j) == Scalar{7});
  }
}

TEST_CASE("dense products give the same bits for any number of threads", "[dense][threads]") {
  const auto [n, d, h] =
      GENERATE(Sizes{3000, 64, 64}, Sizes{2500, 130, 41}, Sizes{5000, 20, 16}, Sizes{90, 300, 256});
  CAPTURE(n, d, h);
  const Matrix A = randomMatrix(n, d, 1), W = randomMatrix(d, h, 2), G = randomMatrix(n, h, 3);
  requireSameBitsForAnyThreads([&] {
    Matrix C;
    multiply(A, W, C);
    return C;
  });
  requireSameBitsForAnyThreads([&] {
    Matrix C;
    multiplyTransposedA(A, G, C);
    return C;
  });
  requireSameBitsForAnyThreads([&] {
    Matrix C;
    multiplyTransposedB(G, W, C);
    return C;
  });
}

TEST_CASE("a dense product counts two operations for every multiplication", "[dense]") {
  const Matrix A = randomMatrix(30, 20, 1), W = randomMatrix(20, 10, 2);
  Matrix C;
  const auto before = work().dense;
  multiply(A, W, C);
  REQUIRE(work().dense - before == 2 * 30 * 20 * 10);
}

TEST_CASE("a NaN reaches the product", "[dense]") {
  Matrix A = randomMatrix(40, 8, 1);
  const Matrix W = randomMatrix(8, 8, 2);
  A(17, 3) = std::numeric_limits<Scalar>::quiet_NaN();
  Matrix C;
  multiply(A, W, C);
  CHECK(std::isnan(C(17, 0)));
  CHECK_FALSE(std::isnan(C(16, 0)));
}

}  // namespace halo
