// How far off the rows were that chips learned from: curves along epochs, or maps of layers and epochs of
// the error, the cosine and the age.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::string_view kShows[] = {"curves", "map"};
constexpr std::string_view kMapValues[] = {"error", "cosine", "age"};
constexpr Parameter kParameters[] = {
    {"show", "curves along epochs, or a map of layers and epochs", Choice{"curves", kShows}},
    {"value", "of a map: the relative error, the cosine with fresh rows, or the age in epochs",
     Choice{"error", kMapValues}}};

QString nameOf(const StalenessCurve& curve) {
  const QString where = curve.layer < 0 ? QString("outside layers") : QString("layer %1").arg(curve.layer);
  return curve.pass == Pass::none ? where : where + (curve.pass == Pass::forward ? " forward" : " backward");
}

FigureSeries curveOf(const SceneData& scene, std::size_t chip, const StalenessCurve& curve, int dash) {
  FigureSeries series;
  series.name = chipLetter(scene.compared[chip]) + "  " + nameOf(curve);
  series.color = scene.chips[scene.compared[chip]].chip.color;
  series.dash = dash;
  for (const auto& [epoch, error] : curve.errors) {
    series.x.push_back(static_cast<double>(epoch));
    series.y.push_back(error);
  }
  return series;
}

/// What a map shows of a curve.
struct MapValue {
  std::map<std::int64_t, double> StalenessCurve::*points = &StalenessCurve::errors;
  const char* unit = "relative error";
  bool falls = false;  // the staler, the lower
};

MapValue mapValueOf(const std::string& name) {
  if (name == "cosine") return {&StalenessCurve::cosines, "cosine", true};
  if (name == "age") return {&StalenessCurve::ages, "age [epochs]"};
  return {};
}

/// Layer × epoch: rows are the layers and passes of a chip, columns the epochs that were probed.
FigureMatrix mapOf(const SceneData& scene, std::size_t chip, const std::vector<StalenessCurve>& curves,
                   const MapValue& value) {
  FigureMatrix map;
  map.title = lettered(scene, chip);
  std::set<std::int64_t> epochs;
  for (const StalenessCurve& curve : curves)
    for (const auto& [epoch, error] : curve.errors) epochs.insert(epoch);
  for (const std::int64_t epoch : epochs) map.columns << QString::number(epoch);
  map.columnNumbers = map.columns;
  std::optional<double> worst;
  for (const StalenessCurve& curve : curves) {
    map.rows << nameOf(curve);
    for (const std::int64_t epoch : epochs) {
      const auto& points = curve.*value.points;
      const auto point = points.find(epoch);
      map.values.push_back(point == points.end() ? std::nan("") : point->second);
      if (point == points.end()) continue;
      if (!worst || (value.falls ? point->second < *worst : point->second > *worst)) worst = point->second;
    }
  }
  map.note =
      worst ? (value.falls ? "at least " : "at most ") + formatNumber(*worst, 3) : QString("not recorded");
  return map;
}

void drawMaps(const SceneData& scene, const MapValue& value, Figure& figure) {
  figure.form = FigureForm::matrices;
  figure.y.title = "layer and pass";
  figure.labelTitle = figure.grid.unit = value.unit;
  for (std::size_t c = 0; c < scene.comparison.staleness.size(); ++c)
    if (const auto& curves = scene.comparison.staleness[c]; !std::ranges::all_of(curves, isFresh))
      figure.matrices.push_back(mapOf(scene, c, curves, value));
}

void drawCurves(const SceneData& scene, Figure& figure) {
  figure.x.counts = true;
  figure.y.title = "relative error of what was used";
  for (std::size_t c = 0; c < scene.comparison.staleness.size(); ++c) {
    int dash = 0;
    for (const StalenessCurve& curve : scene.comparison.staleness[c])
      if (!isFresh(curve)) figure.series.push_back(curveOf(scene, c, curve, dash++));
  }
}

/// Letters of the chips that measured it and used nothing stale.
QStringList freshChips(const SceneData& scene) {
  QStringList fresh;
  for (std::size_t c = 0; c < scene.comparison.staleness.size(); ++c)
    if (const auto& curves = scene.comparison.staleness[c];
        !curves.empty() && std::ranges::all_of(curves, isFresh))
      fresh << chipLetter(scene.compared[c]);
  return fresh;
}

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Staleness";
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Staleness", scene, EpochsOfFigure::all);
  figure.emptyReason =
      noneInScope(scene, "None of these runs measured staleness: [record] staleness says how often.");
  figure.x = {"epoch", "", false, {}};
  addProvenance(figure, scene);
  values.text("show") == "map" ? drawMaps(scene, mapValueOf(values.text("value")), figure)
                               : drawCurves(scene, figure);
  const QStringList fresh = freshChips(scene);
  if (fresh.isEmpty()) return figure;
  if (figure.series.empty() && figure.matrices.empty())
    figure.emptyReason = noneInScope(scene, "Nothing that these runs used was stale: their error is 0.");
  figure.marks << "nothing stale: " + fresh.join(", ");
  return figure;
}

const Registered<FigureEntry> self{
    {{"staleness", "how far off the rows were that chips learned from, by layer and pass", "", kParameters},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
