// Curves over a linear axis; marks on the axis where numbers are missing.
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/forms/legend.h"
#include "views/figure/forms/notes.h"
#include "views/figure/forms/signs.h"

namespace halo {
namespace {

void ranges(const Figure& figure, Plot& plot) {
  double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
  for (const FigureSeries& s : figure.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!std::isfinite(s.x[i])) continue;
      xLow = std::min(xLow, s.x[i]);
      xHigh = std::max(xHigh, s.x[i]);
      if (!hasPlace(figure.y, s.y[i])) continue;  // a curve has a mark there
      yLow = std::min(yLow, s.y[i]);
      yHigh = std::max(yHigh, s.y[i]);
    }
  for (const FigureSeries& s : figure.series)
    for (const auto* ends : {&s.low, &s.high})
      for (const double y : *ends)
        if (hasPlace(figure.y, y)) yLow = std::min(yLow, y), yHigh = std::max(yHigh, y);
  if (yHigh < yLow) yLow = figure.y.logarithmic ? 1 : 0, yHigh = 1;
  if (xHigh < xLow) xLow = xHigh = 1;
  niceRange(yLow, yHigh, figure.y.logarithmic, 6, figure.y.counts);
  if (xHigh <= xLow) xHigh = xLow + 1;
  plot.x.low = xLow, plot.x.high = xHigh, plot.x.counts = figure.x.counts;
  plot.y.low = yLow, plot.y.high = yHigh, plot.y.logarithmic = figure.y.logarithmic;
}

/// Between the ends of a series, behind all curves.
void band(FigureSheet& sheet, const Plot& plot, std::size_t number) {
  const FigureSeries& series = sheet.figure.series[number];
  QPolygonF edge;
  for (const bool upper : {false, true}) {
    std::vector<double> x = series.x, y = upper ? series.high : series.low;
    if (y.empty()) return;
    decimate(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = upper ? x.size() - 1 - i : i;  // there and back
      edge << QPointF(plot.x.at(x[k]), plot.y.at(y[k]));
    }
  }
  sheet.painter.setPen(Qt::NoPen);
  sheet.painter.setBrush(bandColor(figureColor(series, number, sheet.style.theme)));
  sheet.painter.drawPolygon(edge);
}

/// From gap to gap.
void curve(FigureSheet& sheet, const Plot& plot, std::size_t number, std::vector<double> x,
           std::vector<double> y, Obstacles& obstacles) {
  decimate(x, y);
  QPolygonF points;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!plot.y.logarithmic || y[k] > 0) points << QPointF(plot.x.at(x[k]), plot.y.at(y[k]));
  const FigureSeries& series = sheet.figure.series[number];
  const QColor color = figureColor(series, number, sheet.style.theme);
  sheet.painter.setPen(QPen(color, 1.6, curveDash(series, number), Qt::RoundCap, Qt::RoundJoin));
  sheet.painter.setBrush(Qt::NoBrush);
  sheet.painter.drawPolyline(points);
  if (!sheet.figure.notes.empty())
    for (qsizetype k = 1; k < points.size(); ++k) addSegment(points[k - 1], points[k], obstacles);
  if (points.size() > 30) return;
  sheet.painter.setBrush(color);
  sheet.painter.setPen(Qt::NoPen);
  for (const QPointF& point : points) sheet.painter.drawEllipse(point, 2.5, 2.5);
}

/// A cross on the axis where numbers cease and where they come back: all of a stretch would lie on each
/// other.
void missing(FigureSheet& sheet, const Plot& plot, std::size_t number) {
  const FigureSeries& series = sheet.figure.series[number];
  FigureSeries sign;
  sign.mark = FigureMark::cross;
  const auto isMissing = [&](std::size_t k) { return k < series.y.size() && !std::isfinite(series.y[k]); };
  for (std::size_t k = 0; k < series.y.size(); ++k)
    if (isMissing(k) && (k == 0 || !isMissing(k - 1) || !isMissing(k + 1)))
      mark(sheet, QPointF(plot.x.at(series.x[k]), plot.box.bottom()), sign,
           figureColor(series, number, sheet.style.theme));
}

void curves(FigureSheet& sheet, const Plot& plot, Obstacles& obstacles) {
  sheet.painter.save();
  sheet.painter.setClipRect(plot.box.adjusted(-6, -2, 6, 6), Qt::IntersectClip);
  for (std::size_t i = 0; i < sheet.figure.series.size(); ++i) band(sheet, plot, i);
  for (std::size_t i = 0; i < sheet.figure.series.size(); ++i) {
    const FigureSeries& series = sheet.figure.series[i];
    const auto isNumber = [](double y) { return std::isfinite(y); };
    for (auto from = series.y.begin(); from != series.y.end();) {
      from = std::find_if(from, series.y.end(), isNumber);
      const auto to = std::find_if_not(from, series.y.end(), isNumber);
      const auto x = series.x.begin() + (from - series.y.begin());
      curve(sheet, plot, i, {x, x + (to - from)}, {from, to}, obstacles);
      from = to;
    }
    missing(sheet, plot, i);
  }
  sheet.painter.restore();
}

void paint(FigureSheet& sheet) {
  // one curve is named by its axis
  seriesLegend(sheet, 2, [&](const QRectF& box, std::size_t series, const QColor& color) {
    sheet.painter.setPen(QPen(color, 2, curveDash(sheet.figure.series[series], series)));
    sheet.painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()));
  });
  Plot plot;
  ranges(sheet.figure, plot);
  frameChart(sheet, plot, [&](double) { return plainNamesHeight(sheet); });
  xTicks(sheet, plot, ticksOfX(plot), false);
  Obstacles obstacles;
  curves(sheet, plot, obstacles);
  paintNotes(sheet, plot, std::move(obstacles));
  axisLines(sheet, plot);
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"lines", "curves", ""},
                    .form = FigureForm::lines,
                    .empty = hasNoSeries,
                    .paint = paint,
                    .csv = [](const Figure& figure, CsvLines& out) { pointLines(figure, out, true); },
                    .describe = describePoints}};

}  // namespace
}  // namespace halo
