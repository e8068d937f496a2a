#include "engine/record/comparison/staleness.h"

#include <algorithm>
#include <optional>
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
using Means = std::map<Place, std::map<std::int64_t, Mean>>;  // then by epoch
using Measure = std::optional<double> LayerRow::*;
using Points = std::map<std::int64_t, double> StalenessCurve::*;

Means overWorkers(const std::vector<LayerRow>& rows, Measure measure, const Scope& scope) {
  Means means;
  for (const LayerRow& row : rows)
    if (row.*measure && isWithin(scope, row.epoch))
      means[{row.layer, row.pass}][row.epoch].add(*(row.*measure));
  return means;
}

/// What every run has.
void addMeans(std::span<const std::vector<LayerRow>> runs, Measure measure, const Scope& scope, Points points,
              std::map<Place, StalenessCurve>& curves) {
  Means overRuns;
  for (const std::vector<LayerRow>& rows : runs)
    for (const auto& [place, epochs] : overWorkers(rows, measure, scope))
      for (const auto& [epoch, mean] : epochs) overRuns[place][epoch].add(mean.value());
  for (const auto& [place, epochs] : overRuns) {
    StalenessCurve& curve = curves[place];
    for (const auto& [epoch, mean] : epochs)
      if (mean.count == runs.size()) (curve.*points)[epoch] = mean.value();
  }
}

}  // namespace

std::vector<StalenessCurve> stalenessOf(std::span<const std::vector<LayerRow>> runs, const Scope& scope) {
  std::map<Place, StalenessCurve> byPlace;
  addMeans(runs, &LayerRow::stalenessRelative, scope, &StalenessCurve::errors, byPlace);
  addMeans(runs, &LayerRow::stalenessCosine, scope, &StalenessCurve::cosines, byPlace);
  addMeans(runs, &LayerRow::stalenessAge, scope, &StalenessCurve::ages, byPlace);
  std::vector<StalenessCurve> curves;
  for (auto& [place, curve] : byPlace) {
    curve.layer = place.first;
    curve.pass = place.second;
    if (!curve.errors.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

bool isFresh(const StalenessCurve& curve) {
  return std::ranges::all_of(curve.errors, [](const auto& error) { return error.second == 0; });
}

}  // namespace halo
