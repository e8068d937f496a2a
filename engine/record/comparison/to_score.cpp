#include "engine/record/comparison/to_score.h"

#include "engine/record/analysis/median.h"

namespace halo {
namespace {

/// A value a run; empty where some run never got there.
Repeats valuesOf(const ToAccuracy& configuration, const std::function<double(const Reached&)>& figure) {
  Repeats values;
  for (const ToAccuracy::Run& run : configuration.runs) {
    if (!run.reached) return {};
    values.push_back({figure(*run.reached)});
  }
  return values;
}

double medianOf(const Repeats& values) {
  Median median;
  for (const std::vector<double>& run : values) median.add(run.front());
  return median.value();
}

}  // namespace

std::optional<ToScore> toScore(const Comparison& comparison, std::size_t configuration,
                               const std::function<double(const Reached&)>& figure) {
  if (configuration >= comparison.reached.size()) return std::nullopt;
  const Repeats values = valuesOf(comparison.reached[configuration], figure);
  if (values.empty()) return std::nullopt;
  ToScore to{meanOf(values), medianOf(values), meanInterval(values)};
  if (configuration == 0 || configuration > comparison.changes.size() ||
      !comparison.changes[configuration - 1].sameData)
    return to;
  const Repeats first = valuesOf(comparison.reached.front(), figure);
  if (first.empty()) return to;
  to.delta = to.mean - meanOf(first);
  to.change = differenceInterval(first, values);
  return to;
}

}  // namespace halo
