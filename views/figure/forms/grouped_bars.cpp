// The bars of the series side by side at each category, words over the tallest.
#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/figure/figure_form.h"
#include "views/figure/forms/bars.h"

namespace halo {
namespace {

/// Upright where they are wider than the group; where that has no room either, the CSV form and the pointer
/// have them. `top`: of the tallest bar of each category.
void labels(FigureSheet& sheet, const BarChart& chart, const std::vector<double>& top) {
  const double step = chart.step(), line = sheet.line;
  for (const FigureSeries& series : sheet.figure.series)
    for (std::size_t i = 0; i < std::min(top.size(), series.labels.size()); ++i) {
      const QString& label = series.labels[i];
      const QColor color(sheet.colors.text);
      if (sheet.width(label) + 2 <= step)
        sheet.words(QRectF(chart.middle(i) - step / 2, top[i] - line, step, line), label, color,
                    Qt::AlignCenter);
      else if (step >= line)
        sheet.uprightWords(chart.middle(i), top[i] - 3, label, color, Qt::AlignLeft);
    }
}

void paint(FigureSheet& sheet) {
  BarChart chart(sheet, BarNames::Below::groups);
  chart.paintNames();
  const auto count = static_cast<double>(sheet.figure.series.size());
  const double group = std::min(0.8 * chart.step(), 60.0 * count);
  const double wide = group / count, bottom = chart.plot().box.bottom();
  std::vector<double> top(chart.categories(), bottom);
  for (std::size_t s = 0; s < sheet.figure.series.size(); ++s) {
    const std::vector<double>& y = sheet.figure.series[s].y;
    for (std::size_t i = 0; i < std::min(top.size(), y.size()); ++i) {
      if (!std::isfinite(y[i])) continue;
      const double left = chart.middle(i) - group / 2, high = chart.plot().y.at(y[i]);
      const QRectF box(left + static_cast<double>(s) * wide, high, wide * 0.92, bottom - high);
      chart.paintBar(box, s, i);
      top[i] = std::min(top[i], box.top());
    }
  }
  labels(sheet, chart, top);
  chart.finish();
}

/// Of the words over a group, which stand with one of the series.
QString groupLabel(const Figure& figure, std::size_t category) {
  for (const FigureSeries& s : figure.series)
    if (category < s.labels.size() && !s.labels[category].isEmpty()) return s.labels[category];
  return {};
}

QStringList describeGroups(const Figure& figure) {
  QStringList parts{
      QString("%1 of %2").arg(figure.y.label(), figure.x.categories.join(", ").replace('\n', ' '))};
  for (qsizetype i = 0; i < figure.x.categories.size() && !figure.labelTitle.isEmpty(); ++i)
    if (const QString label = groupLabel(figure, at(i)); !label.isEmpty())
      parts << QString("%1 of %2: %3")
                   .arg(figure.labelTitle, QString(figure.x.categories[i]).replace('\n', ' '), label);
  return parts;
}

const Registered<FigureFormEntry> self{FigureFormEntry{
    .declaration = {"grouped-bars", "bars of the series side by side", ""},
    .form = FigureForm::groupedBars,
    .empty = hasNoSeries,
    .paint = paint,
    .csv = barLines,
    .describe = describeGroups,
    .neededHeight = [](FigureSheet& sheet) { return leastBarsHeight(sheet, BarNames::Below::groups); },
    .hint = barHint}};

}  // namespace
}  // namespace halo
