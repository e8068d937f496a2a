#pragma once

#include <cstdint>
#include <span>

#include "engine/base/index.h"
#include "engine/base/matrix.h"

namespace halo {

/// What a row counts in the loss: `vertexWeight` times its own factor.
struct RowWeights {
  RowWeights(double weight, std::span<const double> rowFactors = {})
      : vertexWeight(weight), factors(rowFactors) {}

  double vertexWeight;              // 1 / number of training vertices of the whole graph
  std::span<const double> factors;  // a row's, or empty: 1
  double factor(Index row) const { return factors.empty() ? 1 : factors[at(row)]; }
};

/// Sum over the chosen rows of −log softmax(U)[label] times the row's factor; dU = (softmax − onehot) times
/// the row's weight on chosen rows, 0 elsewhere. Returns the sum (not yet times `vertexWeight`), in double.
double softmaxLoss(const Matrix& U, std::span<const std::int32_t> labels,
                   std::span<const std::uint8_t> chosen, RowWeights weights, Matrix& dU);
/// Multi-label: mean over the classes of the binary cross entropy with logits, summed over the chosen rows.
double sigmoidLoss(const Matrix& U, const Matrix& targets, std::span<const std::uint8_t> chosen,
                   RowWeights weights, Matrix& dU);

/// Correct predictions over the rows with split[i] == part; ties go to the lowest class.
struct Counts {
  std::int64_t correct = 0, total = 0;  // accuracy = correct / total
  std::int64_t undefined = 0;           // rows with NaN or infinities, which predict nothing
  std::int64_t truePositive = 0, falsePositive = 0, falseNegative = 0;  // F1-micro, logits > 0
};
Counts accuracyCounts(const Matrix& U, std::span<const std::int32_t> labels,
                      std::span<const std::uint8_t> chosen);
Counts f1Counts(const Matrix& U, const Matrix& targets, std::span<const std::uint8_t> chosen);

}  // namespace halo
