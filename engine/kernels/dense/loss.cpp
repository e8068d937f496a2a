#include "engine/kernels/dense/loss.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

constexpr Index kLossRows = 256;

void checkRows(const Matrix& U, std::size_t labels, std::size_t chosen, const RowWeights& weights = {1}) {
  HALO_CHECK(static_cast<Index>(labels) == U.rows() && static_cast<Index>(chosen) == U.rows());
  HALO_CHECK(weights.factors.empty() || std::ssize(weights.factors) == U.rows());
}

// −log softmax(u)[label]; d = (softmax − onehot) · weight. `exponents` is room for u.size() numbers.
double softmaxRow(std::span<const Scalar> u, std::size_t label, double weight, std::span<Scalar> d,
                  std::span<double> exponents) {
  const double largest = *std::max_element(u.begin(), u.end());
  double sum = 0;
  for (std::size_t c = 0; c < u.size(); ++c) {
    exponents[c] = std::exp(u[c] - largest);
    sum += exponents[c];
  }
  for (std::size_t c = 0; c < u.size(); ++c)
    d[c] = static_cast<Scalar>((exponents[c] / sum - (c == label ? 1.0 : 0.0)) * weight);
  return std::log(sum) + largest - u[label];
}

// Mean over the classes of max(u, 0) − u t + log(1 + exp(−|u|)), the form that does not overflow.
double sigmoidRow(std::span<const Scalar> u, std::span<const Scalar> target, double weight,
                  std::span<Scalar> d) {
  const double share = 1.0 / static_cast<double>(u.size());
  double sum = 0;
  for (std::size_t c = 0; c < u.size(); ++c) {
    const double x = u[c], small = std::exp(-std::abs(x));
    sum += std::max(x, 0.0) - x * target[c] + std::log1p(small);
    const double sigmoid = (x >= 0 ? 1.0 : small) / (1.0 + small);
    d[c] = static_cast<Scalar>((sigmoid - target[c]) * share * weight);
  }
  return sum * share;
}

/// An infinite output is no prediction either: it comes of an overflow, and its loss is NaN.
bool isDefined(std::span<const Scalar> u) {
  return std::ranges::all_of(u, [](Scalar value) { return std::isfinite(value); });
}

Counts& operator+=(Counts& a, const Counts& b) {
  a.correct += b.correct;
  a.total += b.total;
  a.undefined += b.undefined;
  a.truePositive += b.truePositive;
  a.falsePositive += b.falsePositive;
  a.falseNegative += b.falseNegative;
  return a;
}

// Sum over blocks of body(row) for the chosen rows.
template <class Body>
Counts countRows(const Matrix& U, std::span<const std::uint8_t> chosen, const Body& body) {
  std::vector<Counts> parts(static_cast<std::size_t>((U.rows() + kLossRows - 1) / kLossRows));
  forBlocks(U.rows(), kLossRows, [&](Index begin, Index end) {
    Counts& part = parts[static_cast<std::size_t>(begin / kLossRows)];
    for (Index i = begin; i < end; ++i)
      if (chosen[static_cast<std::size_t>(i)]) body(i, part);
  });
  Counts total;
  for (const Counts& part : parts) total += part;
  return total;
}

}  // namespace

double softmaxLoss(const Matrix& U, std::span<const std::int32_t> labels,
                   std::span<const std::uint8_t> chosen, RowWeights weights, Matrix& dU) {
  checkRows(U, labels.size(), chosen.size(), weights);
  dU.resize(U.rows(), U.cols());
  const std::size_t width = 1 + static_cast<std::size_t>(U.cols());  // of a block: its sum, then exponents
  const std::span<double> room = blockRoom(U.rows(), kLossRows, width);
  forBlocks(U.rows(), kLossRows, [&](Index begin, Index end) {
    double& sum = room[static_cast<std::size_t>(begin / kLossRows) * width];
    const std::span<double> exponents(&sum + 1, width - 1);
    for (Index i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (!chosen[row]) {
        std::ranges::fill(dU.row(i), Scalar{0});
        continue;
      }
      HALO_CHECK(labels[row] >= 0 && labels[row] < U.cols());
      const double factor = weights.factor(i);
      sum += factor * softmaxRow(U.row(i), static_cast<std::size_t>(labels[row]),
                                 factor * weights.vertexWeight, dU.row(i), exponents);
    }
  });
  double loss = 0;
  for (std::size_t at = 0; at < room.size(); at += width) loss += room[at];
  return loss;
}

double sigmoidLoss(const Matrix& U, const Matrix& targets, std::span<const std::uint8_t> chosen,
                   RowWeights weights, Matrix& dU) {
  checkRows(U, static_cast<std::size_t>(targets.rows()), chosen.size(), weights);
  HALO_CHECK(targets.cols() == U.cols());
  dU.resize(U.rows(), U.cols());
  return sumBlocks(U.rows(), kLossRows, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      if (!chosen[static_cast<std::size_t>(i)]) {
        std::ranges::fill(dU.row(i), Scalar{0});
        continue;
      }
      const double factor = weights.factor(i);
      sum += factor * sigmoidRow(U.row(i), targets.row(i), factor * weights.vertexWeight, dU.row(i));
    }
    return sum;
  });
}

Counts accuracyCounts(const Matrix& U, std::span<const std::int32_t> labels,
                      std::span<const std::uint8_t> chosen) {
  checkRows(U, labels.size(), chosen.size());
  return countRows(U, chosen, [&](Index i, Counts& part) {
    const auto u = U.row(i);
    const auto best = std::max_element(u.begin(), u.end()) - u.begin();  // the first of equals
    ++part.total;
    // a comparison with NaN is false: a row of NaN would "predict" class 0
    if (!isDefined(u))
      ++part.undefined;
    else if (best == labels[static_cast<std::size_t>(i)])
      ++part.correct;
  });
}

Counts f1Counts(const Matrix& U, const Matrix& targets, std::span<const std::uint8_t> chosen) {
  checkRows(U, static_cast<std::size_t>(targets.rows()), chosen.size());
  HALO_CHECK(targets.cols() == U.cols());
  return countRows(U, chosen, [&](Index i, Counts& part) {
    if (!isDefined(U.row(i))) ++part.undefined;
    for (Index c = 0; c < U.cols(); ++c) {
      const bool predicted = U(i, c) > 0, holds = targets(i, c) > Scalar{0.5};
      if (predicted && holds) ++part.truePositive;
      if (predicted && !holds) ++part.falsePositive;
      if (!predicted && holds) ++part.falseNegative;
    }
    ++part.total;
  });
}

}  // namespace halo
