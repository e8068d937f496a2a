// Points, joined by lines or single; both axes may be logarithmic.
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/forms/legend.h"
#include "views/figure/forms/notes.h"
#include "views/look/units.h"

namespace halo {
namespace {

void widenToPlaces(const FigureAxis& axis, double& low, double& high) {
  constexpr double kClear = 0.06;  // marks of the first and last place stand clear of the frame
  low = axis.places.front(), high = axis.places.back();
  const double by =
      axis.logarithmic ? std::pow(std::max(2.0, high / low), kClear) : std::max(1.0, high - low) * kClear;
  axis.logarithmic ? (low /= by, high *= by) : (low -= by, high += by);
}

void ranges(const Figure& figure, Plot& plot) {
  double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
  for (const FigureSeries& s : figure.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!hasPlace(figure.x, s.x[i]) || !hasPlace(figure.y, s.y[i])) continue;
      xLow = std::min(xLow, s.x[i]);
      xHigh = std::max(xHigh, s.x[i]);
      yLow = std::min(yLow, s.y[i]);
      yHigh = std::max(yHigh, s.y[i]);
    }
  if (yHigh < yLow) yLow = figure.y.logarithmic ? 1 : 0, yHigh = 1;
  if (xHigh < xLow) xLow = xHigh = 1;
  if (!figure.y.logarithmic) yLow = std::min(0.0, yLow);
  niceRange(yLow, yHigh, figure.y.logarithmic, 6, figure.y.counts);
  if (figure.x.places.empty())
    niceRange(xLow, xHigh, figure.x.logarithmic, 6, figure.x.counts);
  else
    widenToPlaces(figure.x, xLow, xHigh);
  plot.x.low = xLow, plot.x.high = xHigh, plot.x.logarithmic = figure.x.logarithmic;
  plot.x.counts = figure.x.counts;
  plot.y.low = yLow, plot.y.high = yHigh, plot.y.logarithmic = figure.y.logarithmic;
}

/// Where the figure has places of its own, these.
std::vector<Tick> ticks(const Figure& figure, const Plot& plot) {
  if (figure.x.places.empty()) return ticksOfX(plot);
  std::vector<Tick> ticks;
  for (const double place : figure.x.places) ticks.push_back({place, formatCountOf(place), true});
  return ticks;
}

/// Marks alone say nothing: a single series is named too.
void legend(FigureSheet& sheet) {
  seriesLegend(sheet, 1, [&](const QRectF& box, std::size_t series, const QColor& color) {
    pointsSwatch(sheet, box, series, color);
  });
}

/// Below it names and numbers would stand on each other.
double leastHeight(FigureSheet& sheet) {
  constexpr double kPlot = 4, kLegend = 2;  // lines, of the legend at most
  sheet.paintHeader();
  sheet.paintFooter();
  const double around = sheet.style.size.height() - sheet.area.height(), room = sheet.area.height();
  legend(sheet);
  const double names = std::min(room - sheet.area.height(), kLegend * sheet.line + 4);
  return around + names + plainNamesHeight(sheet) + kPlot * sheet.line;
}

void paint(FigureSheet& sheet) {
  legend(sheet);
  Plot plot;
  ranges(sheet.figure, plot);
  frameChart(sheet, plot, [&](double) { return plainNamesHeight(sheet); });
  xTicks(sheet, plot, ticks(sheet.figure, plot), plot.x.logarithmic);
  Obstacles obstacles;
  seriesPoints(sheet, plot, obstacles);
  paintNotes(sheet, plot, std::move(obstacles));
  axisLines(sheet, plot);
}

QString hint(const Figure& figure, const FigureHit& hit) {
  const FigureSeries& series = figure.series[hit.series];
  const QString label = hit.category < series.labels.size() ? series.labels[hit.category] : QString();
  return label.isEmpty() ? QString("%1\n%2 %3\n%4 %5")
                               .arg(series.name, figure.x.label(), formatNumber(series.x[hit.category]),
                                    figure.y.label(), formatNumber(series.y[hit.category]))
                         : label;
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"points", "curves and single points", ""},
                    .form = FigureForm::points,
                    .empty = hasNoSeries,
                    .paint = paint,
                    .csv = [](const Figure& figure, CsvLines& out) { pointLines(figure, out, false); },
                    .describe = describePoints,
                    .neededHeight = leastHeight,
                    .hint = hint}};

}  // namespace
}  // namespace halo
