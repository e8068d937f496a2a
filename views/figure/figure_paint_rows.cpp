#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_painter.h"
#include "views/look/units.h"

namespace halo {

namespace {
constexpr double kWrapped = 1.75;    // lines that a row has whose name takes two
constexpr double kNamesShare = 0.5;  // of the width, for the names of rows of points
constexpr double kLeastWide = 0.3;   // a span, however short
}  // namespace

QString FigurePainter::rowName(qsizetype row) const {
  const QString sign = figure_.y.signs.value(row);
  return figure_.y.categories[row] + (sign.isEmpty() ? "" : " " + sign);
}

/// Room for the names left of the plot, the x axis below; returns the height of a row.
double FigurePainter::rows(double right, double namesShare) {
  double widest = 0;
  for (qsizetype i = 0; i < figure_.y.categories.size(); ++i) widest = std::max(widest, width(rowName(i)));
  widest = std::min(widest, area_.width() * namesShare);
  plot_ = area_.adjusted(widest + line_ + 8, 4, -right, -2 * line_);
  x_.from = plot_.left(), x_.to = plot_.right();
  const double step =
      plot_.height() / static_cast<double>(std::max<qsizetype>(1, figure_.y.categories.size()));
  const auto every = nameStep(line_ * 0.9 / step);
  for (qsizetype i = 0; i < figure_.y.categories.size(); i += every) {
    const QString name = rowName(i);
    const bool wraps = width(name) > widest && step >= kWrapped * line_;
    const double high = wraps ? step : line_;
    words(QRectF(plot_.left() - widest - 6, plot_.top() + (double(i) + 0.5) * step - high / 2, widest, high),
          wraps ? name : QFontMetricsF(font_).elidedText(name, Qt::ElideMiddle, widest + 1),
          QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter | (wraps ? Qt::TextWordWrap : 0));
  }
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

/// As high as the window draws its kind, a total as high as can be.
QRectF FigurePainter::laneBox(const FigureBox& box, double step) const {
  const double left = x_.at(box.begin), high = 0.76 * step * (box.color ? 1 : cueHeight(cueOf(box.kind)));
  return {left, plot_.top() + (box.lane + 0.88) * step - high, std::max(kLeastWide, x_.at(box.end) - left),
          high};
}

/// Hatched in the colour of their causes, however narrow; those that nothing wider than the shortest span
/// parts, as one.
void FigurePainter::laneWaits(double step) {
  const FigureBox* of = nullptr;
  QRectF open;
  const auto draw = [&] {
    if (of != nullptr) hatch(open, QColor(seriesColor(style_.theme, causeColor(*of->waits))));
  };
  for (const FigureBox& box : figure_.boxes) {
    if (!box.waits) continue;
    const QRectF here = laneBox(box, step);
    const bool goesOn = of != nullptr && of->lane == box.lane && of->waits == box.waits &&
                        here.left() >= open.left() && here.left() <= open.right() + kLeastWide;
    if (goesOn) {
      open.setRight(std::max(open.right(), here.right()));
      continue;
    }
    draw();
    of = &box, open = here;
  }
  draw();
}

/// Of stretches where less than all is at work (`part`), or of the others.
void FigurePainter::laneWork(double step, bool part) {
  for (const FigureBox& box : figure_.boxes) {
    if (box.waits || (box.share < 1) != part) continue;
    FigureSeries series;
    if (!box.color) series.kind = box.kind;
    series.color = box.color;
    series.overlay = box.hatched;
    const QColor color = figureColor(series, 0, style_.theme);
    const QRectF where = laneBox(box, step);
    if (!part) {
      bar(where, series, color);
      continue;
    }
    p_.fillRect(where, QColor(mix(colors_.background, color.rgb(), box.share)));
    cue(where, box.kind);
  }
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
  // neither hides the other: a pale stretch is behind the lines of waits, a short span before them
  laneWork(step, true);
  laneWaits(step);
  laneWork(step, false);
  p_.setPen(QPen(QColor(colors_.text), 1));
  p_.drawLine(plot_.bottomLeft(), plot_.bottomRight());
}

/// With title, legend, axis and the line below.
double FigurePainter::rowsHeight() {
  const double names = (style_.size.width() - 22) * kNamesShare;
  bool wraps = false;
  for (qsizetype i = 0; i < figure_.y.categories.size(); ++i) wraps |= width(rowName(i)) > names;
  constexpr double kOthers = 8;  // lines
  return line_ *
         (kOthers + (wraps ? kWrapped + 0.2 : 1.25) * static_cast<double>(figure_.y.categories.size()));
}

void FigurePainter::rowRanges() {
  double low = 1e300, high = -1e300;
  for (const FigureSeries& s : figure_.series)
    for (const double x : s.x)
      if (std::isfinite(x) && !(figure_.x.logarithmic && x <= 0))
        low = std::min(low, x), high = std::max(high, x);
  if (high < low) low = figure_.x.logarithmic ? 1 : 0, high = 1;
  if (!figure_.x.logarithmic) low = std::min(0.0, low);
  niceRange(low, high, figure_.x.logarithmic, 6);
  x_.low = low, x_.high = high, x_.logarithmic = figure_.x.logarithmic;
}

/// Names at the left, a line below each row: the eye follows it to the points.
void FigurePainter::rowPoints() {
  rowRanges();
  const double step = rows(14, kNamesShare);
  const auto count = static_cast<double>(figure_.y.categories.size());
  y_ = {-0.5, count - 0.5, plot_.top(), plot_.bottom(), false};
  xTicks();
  p_.setPen(QPen(QColor(colors_.grid), 1));
  for (double row = 1; row < count; ++row)
    p_.drawLine(QPointF(area_.left() + line_, plot_.top() + row * step),
                QPointF(plot_.right(), plot_.top() + row * step));
  for (std::size_t s = 0; s < figure_.series.size(); ++s)
    if (figure_.series[s].band) rowBands(s);
  seriesPoints();
  p_.setPen(QPen(QColor(colors_.text), 1));
  p_.drawLine(plot_.bottomLeft(), plot_.bottomRight());
  p_.drawLine(plot_.bottomLeft(), plot_.topLeft());
}

/// A shaded place for each pair of ends; one that is open goes to the end of the axis.
void FigurePainter::rowBands(std::size_t number) {
  const FigureSeries& series = figure_.series[number];
  const QColor color = figureColor(series, number, style_.theme);
  const double half = 0.42 * (y_.at(1) - y_.at(0));
  const auto place = [&](double value) {
    if (!std::isfinite(value)) return value > 0 ? plot_.right() : plot_.left();
    if (x_.logarithmic && value <= 0) return plot_.left();
    return std::clamp(x_.at(value), plot_.left(), plot_.right());
  };
  for (std::size_t i = 0; i + 1 < series.x.size(); i += 2) {
    const double middle = y_.at(series.y[i]), low = place(series.x[i]), high = place(series.x[i + 1]);
    const QRectF box(low, middle - half, std::max(1.0, high - low), 2 * half);
    hatch(box, color);
    p_.setBrush(Qt::NoBrush);
    p_.setPen(QPen(color, 1));
    p_.drawRect(box);
    if (hits_ != nullptr) hits_->push_back({box, number, i});
  }
}

}  // namespace halo
