#include "views/figure/forms/bars.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/figure/forms/legend.h"
#include "views/figure/forms/notes.h"
#include "views/figure/forms/signs.h"
#include "views/look/units.h"

namespace halo {

namespace {

/// One layer of bars is named by its axis.
void barsLegend(FigureSheet& sheet) {
  seriesLegend(sheet, 2, [&](const QRectF& box, std::size_t series, const QColor& color) {
    bar(sheet, box, sheet.figure.series[series], color);
  });
}

}  // namespace

double leastBarsHeight(FigureSheet& sheet, BarNames::Below below) {
  constexpr double kPlot = 4, kLegend = 2, kNames = 3;  // lines, of the last two at most
  sheet.paintHeader();
  sheet.paintFooter();
  const double around = sheet.style.size.height() - sheet.area.height(), room = sheet.area.height();
  barsLegend(sheet);
  const double legend = std::min(room - sheet.area.height(), kLegend * sheet.line + 4);
  const double names = std::min(BarNames(sheet, below).layOut(sheet.area.width()), kNames * sheet.line);
  return around + legend + names + kPlot * sheet.line;
}

BarChart::BarChart(FigureSheet& sheet, BarNames::Below below) : sheet_(sheet), names_(sheet, below) {
  barsLegend(sheet);
  range(below);
  frameChart(sheet, plot_, [this](double width) { return names_.layOut(width); });
}

void BarChart::range(BarNames::Below below) {
  const Figure& figure = sheet_.figure;
  const double wide = sheet_.area.width() / static_cast<double>(std::max<std::size_t>(1, categories()));
  double high = 0, room = 1;  // of the tallest bar: words over it take some
  std::vector<double> heights(categories());
  for (const FigureSeries& s : figure.series) {
    for (const QString& label : s.labels) room = std::max(room, sheet_.width(label) + 2 > wide ? 1.2 : 1.08);
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!std::isfinite(s.y[i])) continue;
      if (!s.overlay) heights[i] += s.y[i];
      high = std::max({high, s.y[i], below == BarNames::Below::stacks ? heights[i] : 0.0});
    }
  }
  plot_.y.low = 0, plot_.y.high = high > 0 ? high * room : 1;
  niceRange(plot_.y.low, plot_.y.high, false, 6, figure.y.counts);
}

double BarChart::step() const {
  return plot_.box.width() / static_cast<double>(std::max<std::size_t>(1, categories()));
}

void BarChart::paintBar(const QRectF& box, std::size_t series, std::size_t category) {
  const FigureSeries& painted = sheet_.figure.series[series];
  bar(sheet_, box, painted, figureColor(painted, series, sheet_.style.theme));
  if (sheet_.hits != nullptr && !box.isEmpty()) sheet_.hits->push_back({box, series, category});
}

void BarChart::finish() {
  paintNotes(sheet_, plot_, {});
  axisLines(sheet_, plot_);
}

namespace {

/// The series that has the words over the group; where there are none any.
const FigureSeries& labelledSeries(const Figure& figure, std::size_t category) {
  const auto labelled = std::ranges::find_if(figure.series, [&](const FigureSeries& s) {
    return category < s.labels.size() && !s.labels[category].isEmpty();
  });
  return labelled == figure.series.end() ? figure.series.front() : *labelled;
}

}  // namespace

void barLines(const Figure& figure, CsvLines& out) {
  QStringList headings{orElse(figure.x.label(), "category")};
  // a number without a unit is told apart by what is counted
  const QString& quantity = figure.y.unit.isEmpty() ? figure.y.title : figure.y.unit;
  for (const FigureSeries& s : figure.series)
    headings << (s.name == quantity ? s.name : withUnit(s.name, quantity));
  if (!figure.labelTitle.isEmpty()) headings << figure.labelTitle;
  out.headings(headings);
  for (qsizetype i = 0; i < figure.x.categories.size(); ++i) {
    const auto place = at(i);
    out.text(QString(figure.x.categories[i]).replace('\n', ' '));
    for (const FigureSeries& s : figure.series) out.number(s.y[place]);
    if (!figure.labelTitle.isEmpty()) csvLabel(labelledSeries(figure, place), place, out);
    out.end();
  }
}

QString barHint(const Figure& figure, const FigureHit& hit) {
  const FigureSeries& series = figure.series[hit.series];
  return QString("%1 %2\n%3: %4 %5")
      .arg(figure.x.title, QString(figure.x.categories.value(qsizetype(hit.category))).replace('\n', ' '),
           series.name, formatNumber(series.y[hit.category]), figure.y.unit);
}

}  // namespace halo
