// A stack of bars at each category.
#include <algorithm>
#include <numeric>

#include "views/figure/figure_form.h"
#include "views/figure/forms/bars.h"
#include "views/look/units.h"

namespace halo {
namespace {

/// Each place holds its stack and, at its right, what is no part of the sum: over the stack it would hide it.
void paint(FigureSheet& sheet) {
  BarChart chart(sheet, BarNames::Below::stacks);
  chart.paintNames();
  const bool beside = std::ranges::any_of(sheet.figure.series, &FigureSeries::overlay);
  const double group = std::min(0.82 * chart.step(), 110.0);
  const double stack = beside ? 0.66 * group : group, overlay = 0.26 * group;
  const FigureScale& y = chart.plot().y;
  std::vector<double> base(chart.categories());
  for (std::size_t s = 0; s < sheet.figure.series.size(); ++s) {
    const FigureSeries& series = sheet.figure.series[s];
    for (std::size_t i = 0; i < std::min(base.size(), series.y.size()); ++i) {
      const double from = series.overlay ? 0 : base[i];
      const double left = chart.middle(i) - group / 2;
      const double top = y.at(from + series.y[i]);
      chart.paintBar(QRectF(series.overlay ? left + group - overlay : left, top,
                            series.overlay ? overlay : stack, y.at(from) - top),
                     s, i);
      if (!series.overlay) base[i] += series.y[i];
    }
  }
  chart.finish();
}

QStringList describeStacks(const Figure& figure) {
  QStringList parts{
      QString("%1 over %2 of %3").arg(figure.y.label(), figure.x.label()).arg(figure.x.categories.size())};
  for (const FigureSeries& series : figure.series)
    parts << series.name + " " + formatNumber(std::accumulate(series.y.begin(), series.y.end(), 0.0)) + " " +
                 figure.y.unit + " in all";
  return parts;
}

const Registered<FigureFormEntry> self{FigureFormEntry{
    .declaration = {"stacked-bars", "a stack of bars a category", ""},
    .form = FigureForm::stackedBars,
    .empty = hasNoSeries,
    .paint = paint,
    .csv = barLines,
    .describe = describeStacks,
    .neededHeight = [](FigureSheet& sheet) { return leastBarsHeight(sheet, BarNames::Below::stacks); },
    .hint = barHint}};

}  // namespace
}  // namespace halo
