#include "engine/kernels/dense.h"

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

struct Sizes {
  Index n, d, h;
};

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
