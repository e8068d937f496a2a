#pragma once

#include <hwy/targets.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/philox.h"
#include "engine/kernels/threads/work.h"

namespace halo::kernel_test {

constexpr double kEpsilon = std::numeric_limits<Scalar>::epsilon();

/// Elements in [−1, 1), determined by the seed.
inline Matrix randomMatrix(Index rows, Index cols, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 1);
  Matrix X(rows, cols);
  for (Scalar& x : X.values()) x = static_cast<Scalar>(2 * random.uniform() - 1);
  return X;
}

/// About `degree` neighbours a row, a tenth of the rows empty, row 0 joined to a quarter of all: skewed on
/// purpose.
inline Csr randomGraph(Index rows, Index cols, Index degree, bool weighted, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 2);
  Csr A;
  A.cols = cols;
  for (Index i = 0; i < rows; ++i) {
    std::vector<Vertex> row;
    const Index draws = cols == 0 || random.below(10) == 0 ? 0 : i == 0 ? cols / 4 + 1 : degree;
    for (Index k = 0; k < draws; ++k)
      row.push_back(static_cast<Vertex>(random.below(static_cast<std::uint64_t>(cols))));
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    A.columns.insert(A.columns.end(), row.begin(), row.end());
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  if (weighted)
    for (std::size_t k = 0; k < A.columns.size(); ++k)
      A.values.push_back(static_cast<Scalar>(2 * random.uniform() - 1));
  return A;
}

inline double largestDifference(std::span<const Scalar> a, std::span<const Scalar> b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(static_cast<double>(a[k]) - b[k]);
    if (!(difference <= largest)) largest = difference;  // a NaN counts as different
  }
  return largest;
}
inline double largestDifference(const Matrix& A, const Matrix& B) {
  REQUIRE(A.rows() == B.rows());
  REQUIRE(A.cols() == B.cols());
  return largestDifference(A.values(), B.values());
}

inline bool sameBits(std::span<const Scalar> a, std::span<const Scalar> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
inline bool sameBits(const Matrix& A, const Matrix& B) { return sameBits(A.values(), B.values()); }

/// Runs with so many kernel threads, and puts the number back.
class Threads {
 public:
  explicit Threads(int threads) : before_(kernelThreads()) { setKernelThreads(threads); }
  ~Threads() { setKernelThreads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

/// Kernels run with the vectors of one target alone.
class OnTarget {
 public:
  explicit OnTarget(std::int64_t target) { choose(target); }
  ~OnTarget() { choose(0); }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;

 private:
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);  // 0: whatever there is
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// compute() → Matrix with 1, 2, 4 and 3 threads: all the same bits.
template <class Compute>
void requireSameBitsForAnyThreads(const Compute& compute) {
  Matrix first;
  {
    const Threads guard(1);
    first = compute();
  }
  for (const int threads : {2, 4, 3}) {
    CAPTURE(threads);
    const Threads guard(threads);
    REQUIRE(sameBits(first, compute()));
  }
}

}  // namespace halo::kernel_test
