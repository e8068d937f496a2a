#include <cmath>

#include "engine/base/index.h"
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr Index kNormRows =
    512;  // rows whose dScale and dShift are summed before they are added to the total

}  // namespace

void layerNorm(const Matrix& X, std::span<const Scalar> scale, std::span<const Scalar> shift, Matrix& Y,
               Matrix& saved) {
  const Index f = X.cols();
  HALO_CHECK(static_cast<Index>(scale.size()) == f && static_cast<Index>(shift.size()) == f);
  if (&X != &Y) Y.resize(X.rows(), f);
  saved.resize(X.rows(), 2);
  forBlocks(X.rows(), rowBlock(f), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Scalar* x = X.row(i).data();
      Scalar* y = Y.row(i).data();
      double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
      for (Index j = 0; j < f; ++j) sum += x[j];
      const double mean = sum / static_cast<double>(f);
#pragma omp simd reduction(+ : squares)
      for (Index j = 0; j < f; ++j) squares += (x[j] - mean) * (x[j] - mean);
      const auto m = static_cast<Scalar>(mean);
      const auto inverse = static_cast<Scalar>(1.0 / std::sqrt(squares / static_cast<double>(f) + kEpsilon));
      saved(i, 0) = m;
      saved(i, 1) = inverse;
#pragma omp simd
      for (Index j = 0; j < f; ++j) y[j] = scale[at(j)] * ((x[j] - m) * inverse) + shift[at(j)];
    }
  });
}

void layerNormBackward(const Matrix& X, const Matrix& saved, std::span<const Scalar> scale, const Matrix& dY,
                       Matrix& dX, std::span<Scalar> dScale, std::span<Scalar> dShift) {
  const Index f = X.cols();
  const auto width = at(f);
  HALO_CHECK(dY.rows() == X.rows() && dY.cols() == f && saved.rows() == X.rows() && saved.cols() == 2);
  HALO_CHECK(scale.size() == width && dScale.size() == width && dShift.size() == width);
  if (&dX != &dY) dX.resize(X.rows(), f);
  const std::span<double> parts = blockRoom(X.rows(), kNormRows, 2 * width);
  forBlocks(X.rows(), kNormRows, [&](Index begin, Index end) {
    double* scalePart = parts.data() + at(begin / kNormRows) * 2 * width;
    double* shiftPart = scalePart + width;
    for (Index i = begin; i < end; ++i) {
      const Scalar* x = X.row(i).data();
      const Scalar* g = dY.row(i).data();
      Scalar* d = dX.row(i).data();
      const Scalar mean = saved(i, 0), inverse = saved(i, 1);
      double sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
      for (std::size_t j = 0; j < width; ++j) {
        const Scalar hat = (x[j] - mean) * inverse, scaled = g[j] * scale[j];
        scalePart[j] += g[j] * hat;
        shiftPart[j] += g[j];
        sum += scaled;
        dot += scaled * hat;
      }
      const auto meanG = static_cast<Scalar>(sum / static_cast<double>(f));
      const auto meanDot = static_cast<Scalar>(dot / static_cast<double>(f));
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j)
        d[j] = inverse * (g[j] * scale[j] - meanG - (x[j] - mean) * inverse * meanDot);
    }
  });
  for (std::size_t j = 0; j < width; ++j) {
    double scaleSum = 0, shiftSum = 0;
    for (std::size_t k = j; k < parts.size(); k += 2 * width) {
      scaleSum += parts[k];
      shiftSum += parts[k + width];
    }
    dScale[j] = static_cast<Scalar>(scaleSum);
    dShift[j] = static_cast<Scalar>(shiftSum);
  }
}

}  // namespace halo
