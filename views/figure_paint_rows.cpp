#include <algorithm>
#include <cmath>

#include "views/figure_painter.h"
#include "views/units.h"

namespace halo {

/// Room for the names left of the plot, the x axis below; returns the height of a row.
double FigurePainter::rows(double right) {
  double widest = 0;
  for (const QString& name : figure_.y.categories) widest = std::max(widest, width(name));
  plot_ = area_.adjusted(std::min(widest, area_.width() / 3) + line_ + 8, 4, -right, -2 * line_);
  x_.from = plot_.left(), x_.to = plot_.right();
  const double step =
      plot_.height() / static_cast<double>(std::max<qsizetype>(1, figure_.y.categories.size()));
  const auto every = nameStep(line_ * 0.9 / step);
  for (qsizetype i = 0; i < figure_.y.categories.size(); i += every)
    words(
        QRectF(plot_.left() - widest - 6, plot_.top() + (double(i) + 0.5) * step - line_ / 2, widest, line_),
        figure_.y.categories[i], QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter);
  axisTitles();
  return step;
}

void FigurePainter::heatMap() {
  double high = 0;
  for (const double value : figure_.grid.values)
    if (std::isfinite(value)) high = std::max(high, value);
  const double step = rows(90);
  const auto columns = figure_.x.categories.size();
  const double cell = plot_.width() / static_cast<double>(std::max<qsizetype>(1, columns));
  categories(cell, plot_.left());
  for (std::size_t i = 0; i < figure_.grid.values.size(); ++i) {
    const double value = figure_.grid.values[i];
    const auto row = static_cast<qsizetype>(i) / columns, column = static_cast<qsizetype>(i) % columns;
    const QRectF box(plot_.left() + double(column) * cell, plot_.top() + double(row) * step, cell, step);
    const double share = high > 0 && std::isfinite(value) ? value / high : 0;
    p_.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5),
                std::isfinite(value) ? heatColor(share, style_.theme) : QColor(colors_.background));
    const QString label = std::isfinite(value) ? formatNumber(value) : "–";
    if (width(label) + 4 > cell || step < line_) continue;
    words(box, label, share > 0.5 ? QColor(colors_.background) : QColor(colors_.text), Qt::AlignCenter);
  }
  p_.setPen(QPen(QColor(colors_.grid), 1));
  p_.setBrush(Qt::NoBrush);
  p_.drawRect(plot_);
  heatLegend(high);
}

void FigurePainter::heatLegend(double high) {
  const double head = 1.7 * line_;  // the unit, clear of the number at the strip's end
  const QRectF strip(plot_.right() + 12, plot_.top() + head, 14, std::min(plot_.height() - head, 160.0));
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i)
    p_.fillRect(QRectF(strip.left(), strip.bottom() - (i + 1) * strip.height() / kSteps, strip.width(),
                       strip.height() / kSteps + 0.5),
                heatColor((i + 0.5) / kSteps, style_.theme));
  words(QRectF(strip.left(), plot_.top(), 90, line_), figure_.grid.unit, QColor(colors_.text),
        Qt::AlignLeft | Qt::AlignVCenter);
  words(QRectF(strip.right() + 4, strip.top() - line_ / 2, 60, line_), formatNumber(high),
        QColor(colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
  words(QRectF(strip.right() + 4, strip.bottom() - line_ / 2, 60, line_), "0", QColor(colors_.textWeak),
        Qt::AlignLeft | Qt::AlignVCenter);
}

void FigurePainter::lanes() {
  kindLegend();
  x_.low = std::min(0.0, figure_.boxes.front().begin), x_.high = figure_.boxes.front().end;
  for (const FigureBox& box : figure_.boxes) {
    x_.low = std::min(x_.low, box.begin);
    x_.high = std::max(x_.high, box.end);
  }
  if (x_.high <= x_.low) x_.high = x_.low + 1;
  const double step = rows(6);
  xTicks();
  for (const FigureBox& box : figure_.boxes) {
    FigureSeries series;
    if (box.waits)
      series.color = causeColor(*box.waits), series.outlined = true;
    else
      series.kind = box.kind;
    series.overlay = box.hatched;
    const double left = x_.at(box.begin);
    bar(QRectF(left, plot_.top() + box.lane * step + step * 0.12, std::max(0.3, x_.at(box.end) - left),
               step * 0.76),
        series, figureColor(series, 0, style_.theme));
  }
  p_.setPen(QPen(QColor(colors_.text), 1));
  p_.drawLine(plot_.bottomLeft(), plot_.bottomRight());
}

}  // namespace halo
