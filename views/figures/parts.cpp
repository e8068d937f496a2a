// The parts of the chips: what every rank holds and does in an epoch. It stands as a table and as bars, and
// the time of a rank's transfers stands over its halo rows.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/scene/part_text.h"

namespace halo {
namespace {

constexpr std::string_view kShows[] = {"halo-rows",   "vertices", "arcs",    "boundary",
                                       "replication", "flop",     "sent",    "received",
                                       "computing",   "waiting",  "exchange"};
constexpr std::string_view kKeys[] = {"halo_rows",   "vertices", "arcs",       "boundary",
                                      "replication", "flop",     "sent_bytes", "received_bytes",
                                      "compute_ns",  "wait_ns",  "exchange_ns"};
static_assert(std::size(kShows) == std::size(kKeys));
constexpr Parameter kParameters[] = {{"show", "what of every rank", Choice{"halo-rows", kShows}}};

const PartQuantity& quantityCalled(std::string_view key) {
  const auto quantity = std::ranges::find(partQuantities(), key, &PartQuantity::key);
  HALO_CHECK(quantity != partQuantities().end());
  return *quantity;
}

const PartQuantity& quantityOf(const std::string& show) {
  return quantityCalled(kKeys[std::ranges::find(kShows, show) - std::begin(kShows)]);
}

/// Title, form, provenance, and why there is nothing; the scene where there may be something.
const SceneData* begin(const char* title, FigureForm form, const FigureInput& input, Figure& figure) {
  figure.title = title;
  figure.form = form;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return nullptr;
  figure.title = titled(title, *input.scene);
  figure.emptyReason = "None of these runs has an epoch in scope, so nothing is known of its parts.";
  addProvenance(figure, *input.scene);
  return input.scene;
}

Figure makeTable(const FigureInput& input, const Values&) {
  Figure figure;
  const SceneData* scene = begin("Parts", FigureForm::table, input, figure);
  if (scene == nullptr) return figure;
  FigureTable& table = figure.table;
  table.columns = table.headings = {"chip", "rank"};
  table.keys = 2;
  for (const PartQuantity& quantity : partQuantities()) {
    table.columns << partTitle(quantity);
    const QString unit = partUnit(quantity);
    table.headings << (unit.isEmpty() ? partTitle(quantity) : partTitle(quantity) + " [" + unit + "]");
  }
  table.note =
      "Means of an epoch and over the runs of a chip. Exchange: a transfer to the rank is under way.";
  for (std::size_t c = 0; c < scene->comparison.parts.size(); ++c) {
    const std::vector<PartFigures>& parts = scene->comparison.parts[c].means;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      QStringList words{chipLetter(scene->compared[c]), QString::number(rank)};
      QVariantList numbers{lettered(*scene, c), QVariant::fromValue<qlonglong>(static_cast<qlonglong>(rank))};
      for (const PartQuantity& quantity : partQuantities()) {
        const double value = parts[rank].*quantity.value;
        words << partText(quantity, value);
        numbers << (std::isfinite(value) ? QVariant(value) : QVariant());
      }
      table.rows.push_back(words);
      table.values.push_back(numbers);
    }
  }
  return figure;
}

/// Unit and scale of an axis that has values up to `largest`.
std::pair<QString, double> axisOf(const PartQuantity& quantity, double largest) {
  if (quantity.unit == PartQuantity::Unit::bytes) {
    const auto [unit, scale] = bytesUnit(largest);
    return {unit, scale};
  }
  if (quantity.unit == PartQuantity::Unit::ns) {
    const auto [unit, scale] = secondsUnit(largest * 1e-9);
    return {unit, scale * 1e-9};
  }
  return {QString(), 1.0};
}

Figure makeBars(const FigureInput& input, const Values& values) {
  Figure figure;
  const SceneData* scene = begin("Rank by rank", FigureForm::groupedBars, input, figure);
  if (scene == nullptr) return figure;
  const PartQuantity& quantity = quantityOf(values.text("show"));
  const std::vector<PartTable>& tables = scene->comparison.parts;
  std::size_t ranks = 0;
  double largest = 0;
  for (const PartTable& table : tables) {
    ranks = std::max(ranks, table.means.size());
    for (const PartFigures& part : table.means)
      if (std::isfinite(part.*quantity.value)) largest = std::max(largest, part.*quantity.value);
  }
  const auto [unit, scale] = axisOf(quantity, largest);
  figure.x = {"rank", "", false, {}};
  for (std::size_t rank = 0; rank < ranks; ++rank) figure.x.categories << QString::number(rank);
  figure.y = {partTitle(quantity), unit, false, {}};
  bool any = false;
  for (std::size_t c = 0; c < tables.size() && ranks > 0; ++c) {
    if (tables[c].means.empty()) continue;
    FigureSeries series;
    series.name = lettered(*scene, c);
    series.color = scene->chips[scene->compared[c]].chip.color;
    series.y.assign(ranks, std::nan(""));
    for (std::size_t rank = 0; rank < tables[c].means.size(); ++rank) {
      series.y[rank] = tables[c].means[rank].*quantity.value * scale;
      any = any || std::isfinite(series.y[rank]);
    }
    figure.series.push_back(std::move(series));
  }
  if (any) return figure;
  figure.series.clear();
  figure.x.categories.clear();
  if (ranks > 0)
    figure.emptyReason =
        QString("None of these runs recorded this of its ranks: %1.").arg(partTitle(quantity));
  return figure;
}

/// A point a run and rank.
FigureSeries pointsOf(const SceneData& scene, std::size_t chip, double scale) {
  constexpr std::array<FigureMark, 5> kMarks = {FigureMark::dot, FigureMark::square, FigureMark::triangle,
                                                FigureMark::diamond, FigureMark::cross};
  FigureSeries series;
  series.name = lettered(scene, chip);
  series.color = scene.chips[scene.compared[chip]].chip.color;
  series.mark = kMarks[at(*series.color) % kMarks.size()];
  series.joined = false;
  for (const PartsOfRun& run : scene.comparison.parts[chip].runs)
    for (std::size_t rank = 0; rank < run.parts.size(); ++rank) {
      const PartFigures& part = run.parts[rank];
      if (!std::isfinite(part.haloRows) || !std::isfinite(part.exchangeNs)) continue;
      series.x.push_back(part.haloRows);
      series.y.push_back(part.exchangeNs * scale);
      series.labels.push_back(QString("run %1, rank %2: %3 halo rows, %4")
                                  .arg(run.run)
                                  .arg(rank)
                                  .arg(formatCountOf(part.haloRows), formatNsOf(part.exchangeNs, 3)));
    }
  return series;
}

/// From the fewest to the most rows of the points.
FigureSeries lineOf(const FigureSeries& points, const QString& letter, const LineFit& fit, double scale) {
  FigureSeries line;
  line.name = QString("%1: %2 a row, R² %3, %4 points")
                  .arg(letter, formatSignedNs(fit.slope))
                  .arg(fit.r2, 0, 'f', 2)
                  .arg(fit.points);
  line.color = points.color;
  const auto [low, high] = std::ranges::minmax(points.x);
  for (const double rows : {low, high}) {
    line.x.push_back(rows);
    line.y.push_back((fit.intercept + fit.slope * rows) * scale);
  }
  return line;
}

Figure makeFit(const FigureInput& input, const Values&) {
  Figure figure;
  const SceneData* scene = begin("Halo rows and their exchange", FigureForm::points, input, figure);
  if (scene == nullptr) return figure;
  figure.emptyReason = "None of these runs recorded transfers: [record] spans says which epochs have them.";
  const std::vector<PartTable>& tables = scene->comparison.parts;
  double longest = 0;
  for (const PartTable& table : tables)
    for (const PartsOfRun& run : table.runs)
      for (const PartFigures& part : run.parts)
        if (std::isfinite(part.exchangeNs)) longest = std::max(longest, part.exchangeNs);
  const auto [unit, scale] = axisOf(quantityCalled("exchange_ns"), longest);
  figure.x = {"halo rows of a rank", "", false, {}};
  figure.x.counts = true;
  figure.y = {"exchange, mean of an epoch", unit, false, {}};
  QStringList without;
  for (std::size_t c = 0; c < tables.size(); ++c) {
    FigureSeries points = pointsOf(*scene, c, scale);
    if (points.x.empty()) continue;
    const QString letter = chipLetter(scene->compared[c]);
    std::optional<FigureSeries> line;
    if (tables[c].fit) line = lineOf(points, letter, *tables[c].fit, scale);
    figure.series.push_back(std::move(points));
    line ? figure.series.push_back(std::move(*line)) : void(without << letter);
  }
  if (!without.isEmpty())
    figure.marks << "no fit of " + without.join(", ") + ": fewer than three parts, or all alike";
  return figure;
}

const Registered<FigureEntry> table{{{"parts", "what every rank holds and does in an epoch", ""},
                                     makeTable,
                                     {},
                                     /*several=*/true,
                                     /*ofScene=*/true}};
const Registered<FigureEntry> bars{{{"part-bars", "parts rank by rank, chips side by side", "", kParameters},
                                    makeBars,
                                    {},
                                    /*several=*/true,
                                    /*ofScene=*/true}};
const Registered<FigureEntry> fit{
    {{"part-fit", "the time of a rank's transfers over its halo rows, with a line through them", ""},
     makeFit,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
