#include "views/figure/figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/check.h"
#include "views/look/units.h"

namespace halo {

bool Figure::empty() const {
  switch (form) {
    case FigureForm::lines:
    case FigureForm::points:
    case FigureForm::rowPoints:
    case FigureForm::stackedBars:
    case FigureForm::groupedBars:
      return std::ranges::all_of(series, [](const FigureSeries& s) { return s.y.empty(); });
    case FigureForm::heatMap:
      return grid.values.empty();
    case FigureForm::matrices:
      return matrices.empty();
    case FigureForm::lanes:
      return boxes.empty();
    case FigureForm::table:
      return table.rows.empty();
  }
  return true;
}

QString Figure::rowOf(double place) const {
  return y.categories.value(static_cast<qsizetype>(std::lround(place)));
}

void decimate(std::vector<double>& x, std::vector<double>& y, std::size_t limit) {
  HALO_CHECK(x.size() == y.size() && limit >= 4);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      x[kept] = x[i];
      y[kept++] = y[i];
    }
  x.resize(kept);
  y.resize(kept);
  if (kept <= limit) return;

  std::vector<std::size_t> chosen{0};
  const std::size_t shares = (limit - 2) / 2;
  for (std::size_t s = 0; s < shares; ++s) {
    const std::size_t begin = 1 + s * (kept - 2) / shares;
    const std::size_t end = 1 + (s + 1) * (kept - 2) / shares;
    const auto [low, high] = std::minmax_element(y.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 y.begin() + static_cast<std::ptrdiff_t>(end));
    const auto a = static_cast<std::size_t>(low - y.begin());
    const auto b = static_cast<std::size_t>(high - y.begin());
    chosen.push_back(std::min(a, b));
    if (a != b) chosen.push_back(std::max(a, b));
  }
  chosen.push_back(kept - 1);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    x[i] = x[chosen[i]];
    y[i] = y[chosen[i]];
  }
  x.resize(chosen.size());
  y.resize(chosen.size());
}

namespace {

/// Of the words over a group, which stand with one of the series.
QString groupLabel(const Figure& figure, std::size_t category) {
  for (const FigureSeries& s : figure.series)
    if (category < s.labels.size() && !s.labels[category].isEmpty()) return s.labels[category];
  return {};
}

}  // namespace

QString describe(const Figure& figure) {
  if (figure.empty()) return figure.emptyReason;
  const auto ends = [](const std::vector<double>& values) {
    return QString("from %1 to %2").arg(formatNumber(values.front()), formatNumber(values.back()));
  };
  QStringList parts;
  switch (figure.form) {
    case FigureForm::lines:
    case FigureForm::points:
      parts << figure.y.label() + " over " + figure.x.label();
      for (const FigureSeries& series : figure.series)
        if (!series.y.empty()) parts << series.name + " " + ends(series.y);
      for (const FigureNote& note : figure.notes)
        if (note.ring) parts << note.text;
      break;
    case FigureForm::rowPoints:
      parts << figure.x.label();
      for (const FigureSeries& series : figure.series)
        for (std::size_t i = 0; i < series.y.size() && !series.band; ++i)
          parts
              << QString("%1: %2 %3").arg(figure.rowOf(series.y[i]), series.name, formatNumber(series.x[i]));
      break;
    case FigureForm::groupedBars:
      parts << QString("%1 of %2").arg(figure.y.label(), figure.x.categories.join(", ").replace('\n', ' '));
      for (qsizetype i = 0; i < figure.x.categories.size() && !figure.labelTitle.isEmpty(); ++i)
        if (const QString label = groupLabel(figure, static_cast<std::size_t>(i)); !label.isEmpty())
          parts << QString("%1 of %2: %3")
                       .arg(figure.labelTitle, QString(figure.x.categories[i]).replace('\n', ' '), label);
      break;
    case FigureForm::stackedBars:
      parts << QString("%1 over %2 of %3")
                   .arg(figure.y.label(), figure.x.label())
                   .arg(figure.x.categories.size());
      for (const FigureSeries& series : figure.series)
        parts << series.name + " " + formatNumber(std::accumulate(series.y.begin(), series.y.end(), 0.0)) +
                     " " + figure.y.unit + " in all";
      break;
    case FigureForm::heatMap:
      parts << QString("%1 by %2 cells, %3")
                   .arg(figure.y.categories.size())
                   .arg(figure.x.categories.size())
                   .arg(figure.grid.unit);
      break;
    case FigureForm::matrices:
      for (const FigureMatrix& matrix : figure.matrices)
        parts << QString("%1, %2 by %3: %4")
                     .arg(matrix.title)
                     .arg(matrix.rows.size())
                     .arg(matrix.columns.size())
                     .arg(matrix.note);
      break;
    case FigureForm::lanes:
      parts << QString("%1 lanes, %2 spans").arg(figure.y.categories.size()).arg(figure.boxes.size());
      break;
    case FigureForm::table:
      parts << QString("table of %1 rows: ").arg(figure.table.rows.size()) + figure.table.columns.join(", ");
      break;
  }
  if (!figure.marks.isEmpty()) parts << figure.marks.join(", ");
  return parts.join("; ");
}

QString provenanceLine(const Figure& figure, qsizetype longest) {
  QStringList parts;
  for (const auto& [key, value] : figure.provenance) {
    if (value.isEmpty()) continue;
    parts << key + " " + (value.size() <= longest ? value : value.left(longest - 1) + "…");
  }
  return parts.join(" · ");
}

}  // namespace halo
