// A cell a row and column, its value as a colour.
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/forms/rows.h"
#include "views/look/units.h"

namespace halo {
namespace {

void scaleStrip(FigureSheet& sheet, const Plot& plot, double high) {
  const double line = sheet.line;
  const double head = 1.7 * line;  // the unit, clear of the number at the strip's end
  const QRectF strip(plot.box.right() + 12, plot.box.top() + head, 14,
                     std::min(plot.box.height() - head, 160.0));
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i)
    sheet.painter.fillRect(QRectF(strip.left(), strip.bottom() - (i + 1) * strip.height() / kSteps,
                                  strip.width(), strip.height() / kSteps + 0.5),
                           heatColor((i + 0.5) / kSteps, sheet.style.theme));
  constexpr int beside = Qt::AlignLeft | Qt::AlignVCenter;
  sheet.words(QRectF(strip.left(), plot.box.top(), 90, line), sheet.figure.grid.unit,
              QColor(sheet.colors.text), beside);
  sheet.words(QRectF(strip.right() + 4, strip.top() - line / 2, 60, line), formatNumber(high),
              QColor(sheet.colors.textWeak), beside);
  sheet.words(QRectF(strip.right() + 4, strip.bottom() - line / 2, 60, line), "0",
              QColor(sheet.colors.textWeak), beside);
}

void paintCell(FigureSheet& sheet, const QRectF& box, double value, double high) {
  const bool finite = std::isfinite(value);
  const QColor paper(sheet.colors.background);
  const double share = high > 0 && finite ? value / high : 0;
  sheet.painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5),
                         finite ? heatColor(share, sheet.style.theme) : paper);
  const QString label = finite ? formatNumber(value) : "–";
  if (sheet.width(label) + 4 > box.width() || box.height() < sheet.line) return;
  sheet.words(box, label, share > 0.5 ? paper : QColor(sheet.colors.text), Qt::AlignCenter);
}

void paint(FigureSheet& sheet) {
  const std::vector<double>& values = sheet.figure.grid.values;
  double high = 0;
  for (const double value : values)
    if (std::isfinite(value)) high = std::max(high, value);
  Plot plot;
  const double step = frameRows(sheet, plot, 90);
  const auto columns = sheet.figure.x.categories.size();
  const double cell = plot.box.width() / static_cast<double>(std::max<qsizetype>(1, columns));
  categoryNames(sheet, plot, cell);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<qsizetype>(i) / columns, column = static_cast<qsizetype>(i) % columns;
    const QRectF box(plot.box.left() + double(column) * cell, plot.box.top() + double(row) * step, cell,
                     step);
    paintCell(sheet, box, values[i], high);
    if (sheet.hits != nullptr && std::isfinite(values[i])) sheet.hits->push_back({box, 0, i});
  }
  sheet.painter.setPen(QPen(QColor(sheet.colors.grid), 1));
  sheet.painter.setBrush(Qt::NoBrush);
  sheet.painter.drawRect(plot.box);
  scaleStrip(sheet, plot, high);
}

void gridLines(const Figure& figure, CsvLines& out) {
  QStringList headings{orElse(figure.y.label(), "row")};
  for (const QString& column : figure.x.categories)
    headings << withUnit((figure.x.title + " " + column).trimmed(), figure.grid.unit);
  out.headings(headings);
  std::size_t cell = 0;
  for (const QString& row : figure.y.categories) {
    out.text(row);
    for (qsizetype c = 0; c < figure.x.categories.size(); ++c) out.number(figure.grid.values[cell++]);
    out.end();
  }
}

QStringList describeGrid(const Figure& figure) {
  return {QString("%1 by %2 cells, %3")
              .arg(figure.y.categories.size())
              .arg(figure.x.categories.size())
              .arg(figure.grid.unit)};
}

/// "from worker 1, to worker 2: 3.2 MB".
QString hint(const Figure& figure, const FigureHit& hit) {
  const auto place = static_cast<qsizetype>(hit.category), columns = figure.x.categories.size();
  return QString("%1 %2, %3 %4: %5 %6")
      .arg(figure.y.title, figure.y.categories[place / columns], figure.x.title,
           figure.x.categories[place % columns], formatNumber(figure.grid.values[hit.category]),
           figure.grid.unit);
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"heat-map", "cells whose colours are their values", ""},
                    .form = FigureForm::heatMap,
                    .empty = [](const Figure& figure) { return figure.grid.values.empty(); },
                    .paint = paint,
                    .csv = gridLines,
                    .describe = describeGrid,
                    .hint = hint}};

}  // namespace
}  // namespace halo
