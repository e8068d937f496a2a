#pragma once

#include <cstdint>
#include <span>

#include "engine/base/matrix.h"

namespace halo {

/// Sum over the chosen rows of −log softmax(U)[label]; dU = (softmax − onehot) · weight on chosen rows, 0
/// elsewhere. `weight`: 1 / number of training vertices of the whole graph. Returns the sum (not yet times
/// weight), in double.
double softmaxLoss(const Matrix& U, std::span<const std::int32_t> labels,
                   std::span<const std::uint8_t> chosen, double weight, Matrix& dU);
/// Multi-label: mean over the classes of the binary cross entropy with logits, summed over the chosen rows.
double sigmoidLoss(const Matrix& U, const Matrix& targets, std::span<const std::uint8_t> chosen,
                   double weight, Matrix& dU);

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
