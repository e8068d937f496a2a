#include "engine/record/comparison/waterfall.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halo {
namespace {

/// Whole numbers next to `values` that add up to `sum`: what rounding down loses goes to those that lose
/// most.
std::vector<std::int64_t> roundedTo(std::int64_t sum, const std::vector<double>& values) {
  std::vector<std::int64_t> integers;
  for (const double value : values) integers.push_back(static_cast<std::int64_t>(std::floor(value)));
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return values[i] - std::floor(values[i]); });
  std::int64_t left = sum - std::accumulate(integers.begin(), integers.end(), std::int64_t{0});
  for (const std::size_t i : order) {
    if (left <= 0) break;
    ++integers[i];
    --left;
  }
  return integers;
}

}  // namespace

MeanEpoch meanEpoch(const std::vector<RunParts>& runs) {
  MeanEpoch mean;
  for (const RunParts& run : runs) {
    std::int64_t wallNs = 0;
    std::array<std::int64_t, kTimeParts> sums{};
    for (const EpochParts& epoch : run.epochs) {
      wallNs += epoch.wallNs;
      for (std::size_t p = 0; p < kTimeParts; ++p) sums[p] += epoch.ns[p];
    }
    const auto epochs = static_cast<double>(run.epochs.size() * runs.size());
    mean.ns += static_cast<double>(wallNs) / epochs;
    for (std::size_t p = 0; p < kTimeParts; ++p)
      mean.parts[p] += static_cast<double>(sums[p]) / (epochs * static_cast<double>(run.ranks));
  }
  return mean;
}

std::vector<WaterfallStep> waterfall(const MeanEpoch& a, const MeanEpoch& b) {
  std::vector<WaterfallStep> steps;
  std::vector<double> changes;
  for (std::size_t p = 0; p < kTimeParts; ++p) {
    if (a.parts[p] == 0 && b.parts[p] == 0) continue;
    steps.push_back({static_cast<TimePart>(p), 0});
    changes.push_back(b.parts[p] - a.parts[p]);
  }
  const std::vector<std::int64_t> roundedChanges = roundedTo(std::llround(b.ns - a.ns), changes);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].ns = roundedChanges[i];
  return steps;
}

}  // namespace halo
