#include "engine/kernels/dense/activation.h"

#include "engine/base/index.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

constexpr Index kElements = 16384;  // 64 KiB of floats: a block stays in the second-level cache

bool sameShape(const Matrix& X, const Matrix& Y) { return X.rows() == Y.rows() && X.cols() == Y.cols(); }

// body(k) for every element, vectorised.
template <class Body>
void forElements(Index count, const Body& body) {
  forBlocks(count, kElements, [&](Index begin, Index end) {
#pragma omp simd
    for (Index k = begin; k < end; ++k) body(k);
  });
}

}  // namespace

void addBias(Matrix& X, std::span<const Scalar> bias) {
  HALO_CHECK(static_cast<Index>(bias.size()) == X.cols());
  forBlocks(X.rows(), rowBlock(X.cols()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Scalar* x = X.row(i).data();
#pragma omp simd
      for (std::size_t j = 0; j < bias.size(); ++j) x[j] += bias[j];
    }
  });
}

void columnSums(const Matrix& X, std::span<Scalar> sums) {
  HALO_CHECK(static_cast<Index>(sums.size()) == X.cols());
  const std::size_t f = sums.size();
  const auto addRows = [&](Index begin, Index end, double* sum) {
    for (Index i = begin; i < end; ++i) {
      const Scalar* x = X.row(i).data();
#pragma omp simd
      for (std::size_t j = 0; j < f; ++j) sum[j] += x[j];
    }
  };
  sumBlockRows(X.rows(), 1024, f, addRows, sums);
}

void relu(const Matrix& X, Matrix& Y) {
  if (&X != &Y) Y.resize(X.rows(), X.cols());
  const Scalar* x = X.data();
  Scalar* y = Y.data();
  // a NaN stays a NaN: it must reach the loss, where the run is stopped
  forElements(X.size(), [=](Index k) { y[k] = x[k] <= 0 ? Scalar{0} : x[k]; });
}

void reluBackward(const Matrix& Y, Matrix& dY) {
  HALO_CHECK(sameShape(Y, dY));
  const Scalar* y = Y.data();
  Scalar* d = dY.data();
  forElements(Y.size(), [=](Index k) { d[k] = y[k] > 0 ? d[k] : Scalar{0}; });
}

void positiveBits(const Matrix& X, Buffer<std::uint8_t>& bits) { positiveBits(X, {0, X.rows()}, bits); }

void positiveBits(const Matrix& X, SomeRows rows, Buffer<std::uint8_t>& bits) {
  HALO_CHECK(rows.begin >= 0 && rows.begin + rows.count <= X.rows());
  const Index cols = X.cols(), stride = (cols + 7) / 8;
  bits.resize(at(stride * X.rows()));
  forBlocks(rows.count, rowBlock(cols), [&](Index begin, Index end) {
    for (Index i = rows.begin + begin; i < rows.begin + end; ++i) {
      const Scalar* x = X.data() + i * cols;
      std::uint8_t* row = bits.data() + i * stride;
      for (Index j = 0; j < cols; j += 8) {
        unsigned byte = 0;
        for (Index b = 0; b < std::min<Index>(8, cols - j); ++b) byte |= (x[j + b] > 0 ? 1U : 0U) << b;
        row[j / 8] = static_cast<std::uint8_t>(byte);
      }
    }
  });
}

void add(const Matrix& X, Matrix& Y) {
  HALO_CHECK(sameShape(X, Y));
  const Scalar* x = X.data();
  Scalar* y = Y.data();
  forElements(X.size(), [=](Index k) { y[k] += x[k]; });
}

void scaleAdd(Scalar a, FirstRows X, Matrix& Y) {
  HALO_CHECK(X.rows() <= Y.rows() && X.cols() == Y.cols());
  const Scalar* x = X.data();
  Scalar* y = Y.data();
  forElements(X.size(), [=](Index k) { y[k] += a * x[k]; });
}

}  // namespace halo
