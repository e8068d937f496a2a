#include "views/session/figure_spans.h"

#include <algorithm>

#include "engine/base/index.h"

namespace halo {
namespace {

/// The chip whose letter words begin with: "B" of "B − A", which is how B differs.
std::optional<std::size_t> chipOf(const QString& words, const SceneData& scene) {
  for (const std::size_t chip : scene.compared)
    if (words.startsWith(chipLetter(chip))) return chip;
  return std::nullopt;
}

template <class Number>
std::optional<Number> numberIn(const QString& words) {
  bool isNumber = false;
  const qlonglong number = words.toLongLong(&isNumber);
  return isNumber ? std::optional<Number>(static_cast<Number>(number)) : std::nullopt;
}

QString wordsOf(const Values& values, const char* key) {
  const auto value = values.find(key);
  const auto* words = value == values.end() ? nullptr : std::get_if<std::string>(&value->second);
  return words == nullptr ? QString() : QString::fromStdString(*words);
}

/// Of a map: its rows are the curves of its chip, its columns epochs.
std::optional<FigureSpans> ofStaleness(const FigureMatrix& matrix, const SceneData& scene, std::size_t chip,
                                       std::size_t place) {
  const auto compared = at(std::ranges::find(scene.compared, chip) - scene.compared.begin());
  const auto& curves = scene.comparison.staleness[compared];
  const auto columns = at(matrix.columns.size());
  if (place / columns >= curves.size()) return std::nullopt;
  const StalenessCurve& curve = curves[place / columns];
  SpanChoice choice;
  choice.layer = static_cast<std::int16_t>(curve.layer);
  choice.pass = curve.pass;
  choice.epoch = numberIn<std::int64_t>(matrix.columns[static_cast<qsizetype>(place % columns)]);
  return FigureSpans{chip, choice};
}

/// Transfers stand in the lanes of who receives; what reaches all, in those of each who takes part.
FigureSpans ofTraffic(const FigureMatrix& matrix, const Values& values, std::size_t chip, std::size_t place) {
  const auto columns = at(matrix.columns.size());
  SpanChoice choice;
  const auto source = numberIn<std::int32_t>(matrix.rows[static_cast<qsizetype>(place / columns)]);
  const auto target = numberIn<std::int64_t>(matrix.columns[static_cast<qsizetype>(place % columns)]);
  if (target) {
    choice.rank = *target;
    choice.lane = Lane::link;
    choice.peer = source;
  } else if (source) {
    choice.rank = *source;
    choice.kind = Kind::synchronise;
  }
  choice.layer = numberIn<std::int16_t>(wordsOf(values, "layer"));
  choice.epoch = numberIn<std::int64_t>(wordsOf(values, "epoch"));
  if (const QString pass = wordsOf(values, "pass"); !pass.isEmpty() && pass != "all")
    choice.pass = passOf(pass.toStdString());
  return {chip, choice};
}

/// Of a layer and pass, in the first chip.
FigureSpans ofLayer(const QVariantList& row, const Values& values, const SceneData& scene) {
  SpanChoice choice;
  choice.lane = Lane::link;
  choice.layer = static_cast<std::int16_t>(row[0].toLongLong());
  choice.pass = passOf(row[1].toString().toStdString());
  choice.epoch = numberIn<std::int64_t>(wordsOf(values, "epoch"));
  return {scene.compared.front(), choice};
}

}  // namespace

std::optional<FigureSpans> spansOf(const Figure& figure, const SceneData& scene, const Values& values,
                                   std::size_t matrix, std::size_t place) {
  const bool traffic = figure.name == "traffic";
  if (matrix < figure.matrices.size() && place < figure.matrices[matrix].values.size()) {
    const FigureMatrix& cells = figure.matrices[matrix];
    const auto chip = chipOf(cells.title, scene);
    if (chip && figure.name == "staleness") return ofStaleness(cells, scene, *chip, place);
    if (chip && traffic) return ofTraffic(cells, values, *chip, place);
    return std::nullopt;
  }
  if (traffic && place < figure.table.values.size() && !scene.compared.empty())
    return ofLayer(figure.table.values[place], values, scene);
  if (figure.name != "quantisation" || place >= figure.table.rows.size()) return std::nullopt;
  const auto chip = chipOf(figure.table.rows[place].front(), scene);
  if (!chip) return std::nullopt;
  SpanChoice choice;
  choice.kind = Kind::quantise;
  if (wordsOf(values, "show") == "layers") {  // behind the chip stand layer and pass
    const QVariantList& row = figure.table.values[place];
    choice.layer = static_cast<std::int16_t>(row[1].toLongLong());
    choice.pass = passOf(row[2].toString().toStdString());
  }
  return FigureSpans{*chip, choice};
}

}  // namespace halo
