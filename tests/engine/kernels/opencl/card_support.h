#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "engine/base/problem.h"
#include "engine/kernels/opencl/card_products.h"
#include "tests/engine/kernels/kernel_support.h"

namespace halo::kernel_test {

/// The first OpenCL device of this machine, made once, or why there is none.
struct Card {
  std::unique_ptr<OpenClDevice> device;
  std::string none;
};
inline Card& card() {
  static Card card = [] {
    Card result;
    try {
      const OpenClLibrary library;
      result.device = std::make_unique<OpenClDevice>(library, library.choose(""));
    } catch (const EnvironmentError& error) {
      result.none = error.what();
    }
    return result;
  }();
  return card;
}

/// Leaves the test case with a word where there is no device; else names it `device`.
#define HALO_NEEDS_CARD(device)                          \
  if (halo::kernel_test::card().device == nullptr) {     \
    WARN("SKIPPED: " << halo::kernel_test::card().none); \
    return;                                              \
  }                                                      \
  halo::OpenClDevice& device = *halo::kernel_test::card().device

constexpr double kCardTolerance = sizeof(Scalar) == sizeof(double) ? 1e-12 : 1e-5;

/// Largest difference over the largest element of the host's.
inline double relativeDifference(const Matrix& host, const Matrix& card) {
  double largest = 0;
  for (const Scalar x : host.values()) largest = std::max(largest, std::abs(static_cast<double>(x)));
  const double difference = largestDifference(host, card);
  return difference == 0 ? 0 : difference / largest;
}

inline CardMatrix onCard(OpenClDevice& device, const Matrix& X) {
  CardMatrix Y;
  device.up(X, Y);
  return Y;
}
inline CardCsr onCard(OpenClDevice& device, const Csr& A) {
  CardCsr B;
  device.up(A, B);
  return B;
}
inline Matrix fromCard(OpenClDevice& device, const CardMatrix& X) {
  Matrix Y;
  device.down(X, Y);
  return Y;
}

/// A block of a batch as samplers with replacement draw it: columns repeat and stand in no order, some rows
/// are empty, one is a hub.
inline Csr drawnBlock(Index rows, Index cols, Index hub, bool weighted, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 3);
  Csr A;
  A.cols = cols;
  for (Index i = 0; i < rows; ++i) {
    const Index draws = cols == 0 ? 0 : i == rows / 2 ? hub : static_cast<Index>(random.below(20));
    for (Index k = 0; k < draws; ++k)
      A.columns.push_back(static_cast<Vertex>(random.below(static_cast<std::uint64_t>(cols))));
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  if (weighted)
    for (std::size_t k = 0; k < A.columns.size(); ++k)
      A.values.push_back(static_cast<Scalar>(2 * random.uniform() - 1));
  return A;
}

}  // namespace halo::kernel_test
