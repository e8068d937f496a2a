// From the mean epoch of the baseline to that of another chip: what each part of a worker's time adds or
// takes. Horizontal, for the names of parts are long.
#include <algorithm>
#include <cmath>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

Kind kindOf(TimePart part) {
  switch (part) {
    case TimePart::compute:
      return Kind::compute;
    case TimePart::quantise:
      return Kind::quantise;
    case TimePart::barrierOrSum:
      return Kind::synchronise;
    case TimePart::other:
      return Kind::other;
    case TimePart::idle:
    case TimePart::rest:
      return Kind::idle;
    default:
      return Kind::communication;
  }
}

/// `value`: what stands behind the name in a picture.
FigureBox& addRow(Figure& figure, const QString& name, const QString& value, double begin, double end,
                  Kind kind) {
  FigureBox box;
  box.begin = std::min(begin, end);
  box.end = std::max(begin, end);
  box.lane = static_cast<int>(figure.y.categories.size());
  box.kind = kind;
  box.hatched = end < begin;  // what falls away
  figure.y.categories << name;
  figure.y.signs << "  " + value;
  return figure.boxes.emplace_back(box);
}

/// The whole mean epoch of a chip.
void addTotal(Figure& figure, const SceneData& scene, std::size_t compared, double scale) {
  const double ns = scene.comparison.epochs[compared].meanNs;
  addRow(figure, lettered(scene, compared), formatNsOf(ns), 0, ns * scale, Kind::other).color =
      scene.chips[scene.compared[compared]].chip.color;
}

/// One chip against the first.
void addChange(Figure& figure, const SceneData& scene, std::size_t compared, double scale) {
  const Comparison& comparison = scene.comparison;
  const Change& change = comparison.changes[compared - 1];
  const double first = comparison.epochs[0].meanNs;
  addTotal(figure, scene, 0, scale);
  double at = first;
  for (const WaterfallStep& step : change.waterfall) {
    const auto ns = static_cast<double>(step.ns);
    addRow(figure, QString::fromUtf8(text(step.part)), formatSignedNs(ns), at * scale, (at + ns) * scale,
           kindOf(step.part));
    at += ns;
  }
  addTotal(figure, scene, compared, scale);
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Where the mean epoch changes";
  figure.form = FigureForm::lanes;
  figure.emptyReason = lacking(input.scene, 2);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Where the mean epoch changes", scene);
  figure.emptyReason = noneInScope(scene, "None of these runs recorded where its time went.");
  double longest = 0;
  for (const EpochFigures& epochs : scene.comparison.epochs) longest = std::max(longest, epochs.meanNs);
  const auto [unit, scale] = secondsUnit(longest * 1e-9);
  figure.x = {"mean epoch; hatched: what falls away", unit, false, {}};
  for (std::size_t c = 1; c < scene.compared.size(); ++c)
    if (!scene.comparison.changes[c - 1].waterfall.empty()) addChange(figure, scene, c, scale * 1e-9);
  addProvenance(figure, scene);
  return figure;
}

const Registered<FigureEntry> self{
    {{"waterfall", "from the baseline's mean epoch to another's, part by part", ""},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
