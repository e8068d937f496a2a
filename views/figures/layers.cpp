// Layers of the chips. Beside what ranks took to aggregate and update stands what simulated devices and
// clusters take for the same. What each engine of a device does meanwhile is shown too.
#include <algorithm>
#include <cmath>
#include <set>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::string_view kShows[] = {"aggregate", "aggregate-change", "aggregate-cycles", "update",
                                       "update-change"};
constexpr Parameter kParameters[] = {{"show",
                                      "what of every layer: a time, how it differs from the first chip's, or "
                                      "cycles of the first device's clock",
                                      Choice{"aggregate", kShows}}};
constexpr double kNsPerMhzCycle = 1e3;

QString placeName(const LayerFigures& layer) {
  return QString("layer %1\n%2").arg(layer.layer).arg(QString::fromUtf8(text(layer.pass).data()));
}

/// What a chip's time stands in: `scale` of it make a nanosecond.
struct TimeUnit {
  QString name;
  double scale = 1;
  bool cycles = false;
  QString format(double ns) const {
    if (cycles) return std::isfinite(ns) ? formatCountOf(std::round(ns * scale)) : QString("–");
    return formatNsOf(ns, 3);
  }
  QString formatSigned(double ns) const {
    if (!cycles) return formatSignedNs(ns);
    return (ns < 0 ? "−" : "+") + formatCountOf(std::round(std::abs(ns) * scale));
  }
};

std::optional<double> firstClock(const std::vector<LayerTable>& tables) {
  for (const LayerTable& table : tables)
    if (table.clockMhz) return table.clockMhz;
  return std::nullopt;
}

using LayerPlace = std::pair<std::int64_t, Pass>;

const LayerFigures* at(const LayerTable& table, const LayerPlace& place) {
  const auto layer = std::ranges::find_if(
      table.layers, [&](const LayerFigures& each) { return LayerPlace(each.layer, each.pass) == place; });
  return layer == table.layers.end() ? nullptr : &*layer;
}

std::set<LayerPlace> placesOf(const std::vector<LayerTable>& tables) {
  std::set<LayerPlace> places;
  for (const LayerTable& table : tables)
    for (const LayerFigures& layer : table.layers) places.emplace(layer.layer, layer.pass);
  return places;
}

/// What is drawn of every layer.
struct Shown {
  double LayerFigures::*figure = nullptr;
  bool change = false;  // from the first chip
};

/// NaN: not recorded, or there is nothing to change from.
double shownNs(const std::vector<LayerTable>& tables, std::size_t chip, const LayerPlace& place,
               const Shown& quantity) {
  const LayerFigures *own = at(tables[chip], place), *first = at(tables.front(), place);
  if (own == nullptr || (quantity.change && first == nullptr)) return LayerFigures::kNone;
  return own->*quantity.figure - (quantity.change ? first->*quantity.figure : 0);
}

/// Bars of one chip; of the second of two, how much it differs stands over them.
FigureSeries barsOf(const SceneData& scene, std::size_t chip, const Shown& quantity,
                    const std::set<LayerPlace>& places, const TimeUnit& unit) {
  const std::vector<LayerTable>& tables = scene.comparison.layers;
  FigureSeries series;
  series.name = lettered(scene, chip);
  series.color = scene.chips[scene.compared[chip]].chip.color;
  series.outlined = scene.chips[scene.compared[chip]].modelled;
  for (const LayerPlace& place : places) {
    series.y.push_back(shownNs(tables, chip, place, quantity) * unit.scale);
    if (chip == 0 || tables.size() > 2) continue;
    const double change = shownNs(tables, chip, place, {quantity.figure, true});
    series.labels.push_back(std::isfinite(change) ? unit.formatSigned(change) : QString());
    series.labelValues.push_back(change * unit.scale);
  }
  return series;
}

TimeUnit unitOf(const std::vector<LayerTable>& tables, double LayerFigures::*figure, bool cycles) {
  if (cycles) return {"cycles", *firstClock(tables) / kNsPerMhzCycle, true};
  double longest = 0;
  for (const LayerTable& table : tables)
    for (const LayerFigures& layer : table.layers)
      if (std::isfinite(layer.*figure)) longest = std::max(longest, layer.*figure);
  const auto [unit, scale] = secondsUnit(longest * 1e-9);
  return {unit, scale * 1e-9, false};
}

/// Why there is nothing to draw of these chips.
QString nothingIn(const std::vector<LayerTable>& tables, bool cycles) {
  if (std::ranges::all_of(tables, [](const LayerTable& table) { return table.layers.empty(); }))
    return "None of these runs has an epoch in scope or simulates a device or a cluster, so nothing is known "
           "of its layers.";
  if (cycles && !firstClock(tables))
    return "No chip is a simulated device, so there is no clock to count by.";
  return {};
}

Figure makeLayers(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Layers";
  figure.form = FigureForm::groupedBars;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Layers", scene);
  addProvenance(figure, scene);
  const std::string show = values.text("show");
  const bool aggregate = show.starts_with("aggregate"), cycles = show.ends_with("cycles");
  const Shown quantity{aggregate ? &LayerFigures::aggregateNs : &LayerFigures::updateNs,
                       show.ends_with("change")};
  const std::vector<LayerTable>& tables = scene.comparison.layers;
  figure.emptyReason = nothingIn(tables, cycles);
  if (!figure.emptyReason.isEmpty()) return figure;
  const TimeUnit unit = unitOf(tables, quantity.figure, cycles);
  const std::set<LayerPlace> places = placesOf(tables);
  figure.x = {"", "", false, {}};
  for (const auto& [layer, pass] : places) figure.x.categories << placeName({layer, pass});
  figure.y = {
      QString(aggregate ? "aggregation" : "update") +
          (quantity.change ? ", change from " + lettered(scene, 0) : QString(", slowest rank or device")),
      unit.name,
      false,
      {}};
  if (tables.size() == 2)
    figure.labelTitle = QString("change from %1 [%2]").arg(lettered(scene, 0), unit.name);
  for (std::size_t chip = quantity.change ? 1 : 0; chip < tables.size(); ++chip)
    if (std::ranges::any_of(places, [&](const LayerPlace& place) {
          return std::isfinite(shownNs(tables, chip, place, quantity));
        }))
      figure.series.push_back(barsOf(scene, chip, quantity, places, unit));
  if (figure.series.empty())
    figure.emptyReason = quantity.change ? "No other chip has this of the layers that the first one has."
                                         : "No chip trains: devices are simulated without updates.";
  return figure;
}

Figure makeEngines(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Engines";
  figure.form = FigureForm::table;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Engines", scene);
  addProvenance(figure, scene);
  FigureTable& table = figure.table;
  table.columns = {"chip",   "layer",        "pass",    "engine",   "busy",
                   "cycles", "of the layer", "stalled", "mostly by"};
  table.headings = {"chip",
                    "layer",
                    "pass",
                    "engine",
                    "busy [ns]",
                    "busy [cycles]",
                    "busy share of the layer",
                    "stalled [ns]",
                    "stalled mostly by"};
  table.keys = 4;
  table.note = "Engines work side by side. A layer takes from the first one's begin to the last one's end.";
  const std::vector<LayerTable>& tables = scene.comparison.layers;
  for (std::size_t chip = 0; chip < tables.size(); ++chip)
    for (const LayerFigures& layer : tables[chip].layers)
      for (const EngineFigures& engine : layer.engines) {
        const double cycles = tables[chip].clockMhz ? engine.busyNs * *tables[chip].clockMhz / kNsPerMhzCycle
                                                    : LayerFigures::kNone;
        const double share = layer.aggregateNs > 0 ? engine.busyNs / layer.aggregateNs : LayerFigures::kNone;
        const QString pass = QString::fromUtf8(text(layer.pass).data()),
                      name = QString::fromStdString(engine.name),
                      cause = engine.stalledBy ? QString::fromUtf8(causeText(*engine.stalledBy).data()) : "–";
        const auto number = [](double value) { return std::isfinite(value) ? QVariant(value) : QVariant(); };
        table.rows.push_back({chipLetter(scene.compared[chip]), QString::number(layer.layer), pass, name,
                              formatNsOf(engine.busyNs, 3), formatCountOf(std::round(cycles)),
                              std::isfinite(share) ? formatShare(share) : "–",
                              formatNsOf(engine.stalledNs, 3), cause});
        table.values.push_back({lettered(scene, chip), QVariant::fromValue<qlonglong>(layer.layer), pass,
                                name, engine.busyNs, number(cycles), number(share), engine.stalledNs,
                                engine.stalledBy ? QVariant(cause) : QVariant()});
      }
  if (table.rows.empty()) figure.emptyReason = "No chip is a simulated device: only those have engines.";
  return figure;
}

const Registered<FigureEntry> layers{
    {{"layers", "layers of training beside those of simulated devices and clusters", "", kParameters},
     makeLayers,
     {},
     /*several=*/true,
     /*ofScene=*/true}};
const Registered<FigureEntry> engines{
    {{"engines", "what the engines of simulated devices do in every layer", ""},
     makeEngines,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
