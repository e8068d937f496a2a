// Spans of one name and layer in the baseline and in another chip, the largest change first.
#include <cmath>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

QString nsText(double ns) { return formatNsOf(ns, 3); }

void addRow(FigureTable& table, const QString& pair, const Difference& each) {
  const auto median = [](const SpanStatistics& side) {
    return side.medianNs ? nsText(*side.medianNs) : QString("–");
  };
  const QString name = QString::fromUtf8(text(each.kind.name));
  const QString layer = each.kind.layer < 0 ? QString("–") : QString::number(each.kind.layer);
  const auto& [a, b] = each.sides;
  table.rows.push_back({pair, name, layer, formatCount(a.count), formatCount(b.count), median(a), median(b),
                        formatSignedNs(each.deltaNs),
                        each.interval
                            ? formatSignedNs(each.interval->low) + " … " + formatSignedNs(each.interval->high)
                            : QString("–"),
                        QString::fromStdString(verdict(each))});
  const auto number = [](const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant();
  };
  const auto end = [&](double Interval::*bound) {
    return each.interval ? QVariant((*each.interval).*bound) : QVariant();
  };
  table.values.push_back({pair, name, each.kind.layer, static_cast<qlonglong>(a.count),
                          static_cast<qlonglong>(b.count), number(a.medianNs), number(b.medianNs),
                          each.deltaNs, end(&Interval::low), end(&Interval::high),
                          QString::fromStdString(verdict(each))});
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Spans that differ, an epoch and worker";
  figure.form = FigureForm::table;
  figure.emptyReason = lacking(input.scene, 2);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Spans that differ, an epoch and worker", scene);
  figure.emptyReason =
      noneInScope(scene, "None of these runs recorded spans: [record] spans says which epochs have them.");
  FigureTable& table = figure.table;
  const QString first = chipLetter(scene.compared[0]);
  const QString second = scene.compared.size() == 2 ? chipLetter(scene.compared[1]) : QString("other");
  table.columns = {"chips",
                   "span",
                   "layer",
                   "count " + first,
                   "count " + second,
                   "median " + first,
                   "median " + second,
                   "Δ",
                   "95 % interval",
                   "verdict"};
  table.headings = {"chips",
                    "span",
                    "layer",
                    "count of the baseline",
                    "count of the other",
                    "median of the baseline [ns]",
                    "median of the other [ns]",
                    "difference an epoch and worker [ns]",
                    "95 % from [ns]",
                    "95 % to [ns]",
                    "verdict"};
  table.keys = 3;
  for (std::size_t c = 1; c < scene.compared.size(); ++c)
    for (const Difference& each : scene.comparison.changes[c - 1].differences)
      addRow(table, chipLetter(scene.compared[0]) + " → " + chipLetter(scene.compared[c]), each);
  if (scene.compared.size() == 2) table.shown = {1, 2, 7, 8, 9, 5, 6, 3, 4};
  if (const auto& damages = scene.comparison.damages; !damages.empty())
    figure.emptyReason = QString::fromStdString(damages.front());
  addProvenance(figure, scene);
  return figure;
}

const Registered<FigureEntry> self{
    {{"differences", "spans that differ from the baseline's, the largest first", ""},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
