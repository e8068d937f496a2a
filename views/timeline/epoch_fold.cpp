#include "views/timeline/epoch_fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/index.h"
#include "engine/record/comparison/scope.h"

namespace halo {
namespace {

constexpr double kFar = 1.5;  // distances of the quartiles

/// `values` is sorted and not empty; between two values in proportion.
template <class Value>
double quantileOfSorted(const std::vector<Value>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  const auto low = static_cast<double>(values[below]), high = static_cast<double>(values[above]);
  return low + (high - low) * (place - static_cast<double>(below));
}

std::int64_t workBefore(const SpanRow& spans, std::int64_t ns) {
  const KindTimes times = spans.before(ns);
  return times[at(Kind::compute)] + times[at(Kind::quantise)];
}

}  // namespace

FoldedEpochs foldedEpochs(std::span<const EpochRow> epochs) {
  FoldedEpochs folded;
  folded.epochs = epochsIn(epochs, {});
  if (folded.epochs.empty()) return folded;
  std::vector<std::int64_t> lengths;
  for (const EpochRow& epoch : folded.epochs) lengths.push_back(epoch.wallNs);
  std::ranges::sort(lengths);
  const double low = quantileOfSorted(lengths, 0.25), high = quantileOfSorted(lengths, 0.75);
  const double far = kFar * (high - low);
  folded.medianNs = std::llround(quantileOfSorted(lengths, 0.5));
  for (const EpochRow& epoch : folded.epochs) {
    const auto length = static_cast<double>(epoch.wallNs);
    if (length < low - far || length > high + far)
      folded.outliers.push_back(epoch.epoch);
    else
      folded.lengthNs = std::max(folded.lengthNs, epoch.wallNs);
  }
  return folded;
}

FoldedLane foldedLane(const SpanRow& spans, std::span<const EpochRow> epochs, std::int64_t lengthNs,
                      int columns) {
  const auto count = at(columns);
  std::vector<std::vector<float>> shares(count);
  const double step = static_cast<double>(lengthNs) / columns;
  for (const EpochRow& epoch : epochs) {
    std::int64_t begin = epoch.beginNs, worked = workBefore(spans, begin);
    for (std::size_t column = 0; column < count; ++column) {
      const std::int64_t end = epoch.beginNs + std::llround(step * static_cast<double>(column + 1));
      if (end > epoch.beginNs + epoch.wallNs) break;
      const std::int64_t until = workBefore(spans, end);
      if (end > begin)
        shares[column].push_back(static_cast<float>(until - worked) / static_cast<float>(end - begin));
      begin = end;
      worked = until;
    }
  }
  FoldedLane lane;
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  for (std::vector<float>& values : shares) {
    std::ranges::sort(values);
    const bool most = 2 * values.size() >= epochs.size() && !values.empty();
    const auto quantile = [&](double share) {
      return most ? static_cast<float>(quantileOfSorted(values, share)) : kNone;
    };
    lane.low.push_back(quantile(0.25));
    lane.median.push_back(quantile(0.5));
    lane.high.push_back(quantile(0.75));
  }
  return lane;
}

}  // namespace halo
