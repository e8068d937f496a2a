// Points of named rows, with bands behind them; names at the left, a line below each row: the eye follows it
// to the points.
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/forms/legend.h"
#include "views/figure/forms/rows.h"
#include "views/figure/forms/series_points.h"
#include "views/figure/forms/signs.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr double kNamesShare = 0.5;  // of the width

void range(const Figure& figure, FigureScale& x) {
  double low = 1e300, high = -1e300;
  for (const FigureSeries& s : figure.series)
    for (const double value : s.x)
      if (hasPlace(figure.x, value)) low = std::min(low, value), high = std::max(high, value);
  if (high < low) low = figure.x.logarithmic ? 1 : 0, high = 1;
  if (!figure.x.logarithmic) low = std::min(0.0, low);
  niceRange(low, high, figure.x.logarithmic, 6, figure.x.counts);
  x.low = low, x.high = high, x.logarithmic = figure.x.logarithmic;
}

/// A shaded place for each pair of ends; one that is open goes to the end of the axis.
void bands(FigureSheet& sheet, const Plot& plot, std::size_t number) {
  const FigureSeries& series = sheet.figure.series[number];
  const QColor color = figureColor(series, number, sheet.style.theme);
  const double half = 0.42 * (plot.y.at(1) - plot.y.at(0));
  const auto place = [&](double value) {
    if (!std::isfinite(value)) return value > 0 ? plot.box.right() : plot.box.left();
    if (plot.x.logarithmic && value <= 0) return plot.box.left();
    return std::clamp(plot.x.at(value), plot.box.left(), plot.box.right());
  };
  for (std::size_t i = 0; i + 1 < series.x.size(); i += 2) {
    const double middle = plot.y.at(series.y[i]), low = place(series.x[i]), high = place(series.x[i + 1]);
    const QRectF box(low, middle - half, std::max(1.0, high - low), 2 * half);
    hatch(sheet, box, color);
    sheet.painter.setBrush(Qt::NoBrush);
    sheet.painter.setPen(QPen(color, 1));
    sheet.painter.drawRect(box);
    if (sheet.hits != nullptr) sheet.hits->push_back({box, number, i});
  }
}

void paint(FigureSheet& sheet) {
  seriesLegend(sheet, 2, [&](const QRectF& box, std::size_t series, const QColor& color) {
    pointsSwatch(sheet, box, series, color);
  });
  Plot plot;
  range(sheet.figure, plot.x);
  const double step = frameRows(sheet, plot, 14, kNamesShare);
  const auto count = static_cast<double>(sheet.figure.y.categories.size());
  plot.y = {-0.5, count - 0.5, plot.box.top(), plot.box.bottom(), false};
  xTicks(sheet, plot, ticksOfX(plot), true);
  sheet.painter.setPen(QPen(QColor(sheet.colors.grid), 1));
  for (double row = 1; row < count; ++row)
    sheet.painter.drawLine(QPointF(sheet.area.left() + sheet.line, plot.box.top() + row * step),
                           QPointF(plot.box.right(), plot.box.top() + row * step));
  for (std::size_t s = 0; s < sheet.figure.series.size(); ++s)
    if (sheet.figure.series[s].band) bands(sheet, plot, s);
  Obstacles obstacles;
  seriesPoints(sheet, plot, obstacles);
  axisLines(sheet, plot);
}

void rowLines(const Figure& figure, CsvLines& out) {
  const bool labelled = !figure.labelTitle.isEmpty();
  QStringList headings{"series", orElse(figure.y.label(), "row"), orElse(figure.x.label(), "value")};
  if (labelled) headings << figure.labelTitle;
  out.headings(headings);
  for (const FigureSeries& s : figure.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!std::isfinite(s.x[i])) continue;
      out.words(s.name).text(figure.rowOf(s.y[i])).number(s.x[i]);
      if (labelled) csvLabel(s, i, out);
      out.end();
    }
  ringLines(figure, out);
}

QStringList describeRows(const Figure& figure) {
  QStringList parts{figure.x.label()};
  for (const FigureSeries& series : figure.series)
    for (std::size_t i = 0; i < series.y.size() && !series.band; ++i)
      parts << QString("%1: %2 %3").arg(figure.rowOf(series.y[i]), series.name, formatNumber(series.x[i]));
  return parts;
}

QString hint(const Figure& figure, const FigureHit& hit) {
  const FigureSeries& series = figure.series[hit.series];
  return QString("%1\n%2: %3\n%4")
      .arg(figure.rowOf(series.y[hit.category]), series.name, formatNumber(series.x[hit.category]),
           series.labels[hit.category])
      .trimmed();
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"row-points", "points of named rows", ""},
                    .form = FigureForm::rowPoints,
                    .empty = hasNoSeries,
                    .paint = paint,
                    .csv = rowLines,
                    .describe = describeRows,
                    .neededHeight = [](FigureSheet& sheet) { return rowsHeight(sheet, kNamesShare); },
                    .hint = hint}};

}  // namespace
}  // namespace halo
