#include "engine/record/comparison/staleness.h"

#include <algorithm>
#include <utility>

namespace halo {
namespace {

using Place = std::pair<std::int64_t, Pass>;  // layer and pass

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double value) { sum += value, ++count; }
  double value() const { return sum / static_cast<double>(count); }
};
using Errors = std::map<Place, std::map<std::int64_t, Mean>>;  // then by epoch

Errors overWorkers(const std::vector<LayerRow>& rows, const Scope& scope) {
  Errors errors;
  for (const LayerRow& row : rows)
    if (row.stalenessRelative && isWithin(scope, row.epoch))
      errors[{row.layer, row.pass}][row.epoch].add(*row.stalenessRelative);
  return errors;
}

}  // namespace

std::vector<StalenessCurve> stalenessOf(std::span<const std::vector<LayerRow>> runs, const Scope& scope) {
  Errors overRuns;
  for (const std::vector<LayerRow>& rows : runs)
    for (const auto& [place, epochs] : overWorkers(rows, scope))
      for (const auto& [epoch, error] : epochs) overRuns[place][epoch].add(error.value());
  std::vector<StalenessCurve> curves;
  for (const auto& [place, epochs] : overRuns) {
    StalenessCurve curve{place.first, place.second, {}};
    for (const auto& [epoch, error] : epochs)
      if (error.count == runs.size()) curve.errors[epoch] = error.value();
    if (!curve.errors.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

bool isFresh(const StalenessCurve& curve) {
  return std::ranges::all_of(curve.errors, [](const auto& error) { return error.second == 0; });
}

}  // namespace halo
