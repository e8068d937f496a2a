#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_painter.h"
#include "views/look/units.h"

namespace halo {

void FigurePainter::barRanges() {
  const double step =
      area_.width() / static_cast<double>(std::max<qsizetype>(1, figure_.x.categories.size()));
  double high = 0, room = 1;  // of the tallest bar: words over it take some
  std::vector<double> heights(static_cast<std::size_t>(figure_.x.categories.size()));
  for (const FigureSeries& s : figure_.series) {
    for (const QString& label : s.labels) room = std::max(room, width(label) + 2 > step ? 1.2 : 1.08);
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!std::isfinite(s.y[i])) continue;
      if (!s.overlay) heights[i] += s.y[i];
      high = std::max({high, s.y[i], figure_.form == FigureForm::stackedBars ? heights[i] : 0.0});
    }
  }
  y_.low = 0, y_.high = high > 0 ? high * room : 1, y_.logarithmic = false;
  niceRange(y_.low, y_.high, false, 6);
}

void FigurePainter::ranges() {
  double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
  for (const FigureSeries& s : figure_.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      const bool drawn = isDrawn(s.x[i], s.y[i]);
      if (!drawn && !(figure_.form == FigureForm::lines && std::isfinite(s.x[i]))) continue;
      xLow = std::min(xLow, s.x[i]);
      xHigh = std::max(xHigh, s.x[i]);
      if (!drawn) continue;  // a curve has a mark there
      yLow = std::min(yLow, s.y[i]);
      yHigh = std::max(yHigh, s.y[i]);
    }
  for (const FigureSeries& s : figure_.series) {
    for (const double y : s.low) yLow = std::min(yLow, y);
    for (const double y : s.high) yHigh = std::max(yHigh, y);
  }
  const bool points = figure_.form == FigureForm::points;
  if (yHigh < yLow) yLow = figure_.y.logarithmic ? 1 : 0, yHigh = 1;
  if (xHigh < xLow) xLow = xHigh = 1;
  if (points && !figure_.y.logarithmic) yLow = std::min(0.0, yLow);
  niceRange(yLow, yHigh, figure_.y.logarithmic, 6);
  if (points && !figure_.x.places.empty()) {  // marks of the first and last place stand clear of the frame
    constexpr double kClear = 0.06;
    xLow = figure_.x.places.front(), xHigh = figure_.x.places.back();
    const double by = figure_.x.logarithmic ? std::pow(std::max(2.0, xHigh / xLow), kClear)
                                            : std::max(1.0, xHigh - xLow) * kClear;
    figure_.x.logarithmic ? (xLow /= by, xHigh *= by) : (xLow -= by, xHigh += by);
  } else if (points) {
    niceRange(xLow, xHigh, figure_.x.logarithmic, 6);
  } else if (xHigh <= xLow) {
    xHigh = xLow + 1;
  }
  x_.low = xLow, x_.high = xHigh, x_.logarithmic = points && figure_.x.logarithmic;
  y_.low = yLow, y_.high = yHigh, y_.logarithmic = figure_.y.logarithmic;
}

/// Whether a place of both axes is there.
bool FigurePainter::isDrawn(double x, double y) const {
  return std::isfinite(x) && std::isfinite(y) && !(figure_.y.logarithmic && y <= 0) &&
         !(figure_.form != FigureForm::lines && figure_.x.logarithmic && x <= 0);
}

void FigurePainter::chart() {
  const bool bars = figure_.form == FigureForm::stackedBars || figure_.form == FigureForm::groupedBars;
  bars ? barRanges() : ranges();
  const auto ticks = figure_.y.logarithmic
                         ? logTicks(y_.low, y_.high)
                         : linearTicks(y_.low, y_.high, std::max(2, int(area_.height() / 45)));
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, width(tick.label));
  plot_ = area_.adjusted(widest + line_ + 10, line_ * 0.5, -6, 0);
  plot_.setBottom(plot_.bottom() - namesHeight() - (figure_.x.label().isEmpty() ? 0.2 * line_ : line_));
  y_.from = plot_.bottom(), y_.to = plot_.top();
  x_.from = plot_.left(), x_.to = plot_.right();
  for (const Tick& tick : ticks) {
    const double y = y_.at(tick.value);
    p_.setPen(QPen(QColor(colors_.grid), 1));
    p_.drawLine(QPointF(plot_.left(), y), QPointF(plot_.right(), y));
    words(QRectF(plot_.left() - widest - 6, y - line_ / 2, widest, line_), tick.label,
          QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter);
  }
  axisTitles();
  if (bars)
    figure_.form == FigureForm::stackedBars ? stacks() : groups();
  else
    figure_.form == FigureForm::lines ? curves() : points();
  notes();
  p_.setPen(QPen(QColor(colors_.text), 1));
  p_.drawLine(plot_.bottomLeft(), plot_.bottomRight());
  p_.drawLine(plot_.bottomLeft(), plot_.topLeft());
}

/// Broken at one of its blanks; empty where that is not enough.
QString FigurePainter::inTwoLines(const QString& name, double room) const {
  if (width(name) <= room) return name;
  for (qsizetype blank = name.indexOf(' '); blank > 0; blank = name.indexOf(' ', blank + 1))
    if (width(name.left(blank)) <= room && width(name.mid(blank + 1)) <= room)
      return name.left(blank) + '\n' + name.mid(blank + 1);
  return {};
}

/// Of the names below the axis; in two lines, or else upright, where bars are too narrow for theirs. Of
/// numbers, which stand in order, every k-th will do instead.
double FigurePainter::namesHeight() {
  const auto isNumber = [](const QString& name) {
    bool number = false;
    name.toLongLong(&number);
    return number;
  };
  const bool named =
      figure_.form == FigureForm::groupedBars ||
      (figure_.form == FigureForm::stackedBars && !std::ranges::all_of(figure_.x.categories, isNumber));
  const double step =
      plot_.width() / static_cast<double>(std::max<qsizetype>(1, figure_.x.categories.size()));
  qsizetype lines = 1;
  double widest = 0, longest = 0;
  for (const QString& name : figure_.x.categories) {
    const QStringList parts = name.split('\n');
    lines = std::max(lines, parts.size());
    for (const QString& part : parts) widest = std::max(widest, width(part));
    longest = std::max(longest, width(onOneLine(name)));
  }
  upright_ = named && widest + 4 > step && step >= line_;
  shared_.clear();
  if (upright_ && figure_.form == FigureForm::groupedBars)
    if (const double high = sharedNamesHeight(step); !shared_.empty()) return high;
  const auto breaks = [&](const QString& name) { return !inTwoLines(name, step - 4).isEmpty(); };
  twoLines_ = upright_ && figure_.form == FigureForm::stackedBars && lines == 1 &&
              std::ranges::all_of(figure_.x.categories, breaks);
  if (twoLines_) {
    upright_ = false;
    return 2 * line_;
  }
  return upright_ ? std::min(longest + 4, style_.size.height() / 2) : static_cast<double>(lines) * line_;
}

/// What has no room is left out of the name: a number without its unit says nothing.
QString FigurePainter::axisWords(const FigureAxis& axis, double room) const {
  const QFontMetricsF metrics(font_);
  if (width(axis.label()) <= room || axis.unit.isEmpty())
    return metrics.elidedText(axis.label(), Qt::ElideRight, room);
  const QString unit = "[" + axis.unit + "]";
  const QString name = metrics.elidedText(axis.title, Qt::ElideRight, room - width(" " + unit));
  return name.size() > 1 ? name + " " + unit : metrics.elidedText(unit, Qt::ElideRight, room);
}

void FigurePainter::axisTitles() {
  // a title longer than its axis may use what is free beside it
  const bool fits = width(figure_.x.label()) <= plot_.width();
  const double left = fits ? plot_.left() : area_.left(), room = plot_.right() - left;
  words(QRectF(left, plot_.bottom() + namesHeight(), room, line_), axisWords(figure_.x, room + 1),
        QColor(colors_.text), (fits ? Qt::AlignHCenter : Qt::AlignRight) | Qt::AlignVCenter);
  // a title longer than its axis may use what is free above and below it
  const double middle = plot_.center().y();
  const double most = 2 * std::min(middle - area_.top(), area_.bottom() - middle);
  p_.save();
  p_.translate(area_.left(), middle);
  p_.rotate(-90);
  words(QRectF(-most / 2, 0, most, line_), axisWords(figure_.y, most), QColor(colors_.text), Qt::AlignCenter);
  p_.restore();
}

std::vector<Tick> FigurePainter::ticksOfX() const {
  if (figure_.form != FigureForm::points || figure_.x.places.empty())
    return x_.logarithmic ? logTicks(x_.low, x_.high)
                          : linearTicks(x_.low, x_.high, std::max(2, static_cast<int>(plot_.width() / 80)));
  std::vector<Tick> ticks;
  for (const double place : figure_.x.places)
    ticks.push_back({place, formatCount(std::llround(place)), true});
  return ticks;
}

void FigurePainter::xTicks() {
  double free = -1e300;  // where the name before ends
  for (const Tick& tick : ticksOfX()) {
    const double x = x_.at(tick.value);
    if (x_.logarithmic || figure_.form == FigureForm::rowPoints) {
      p_.setPen(QPen(QColor(colors_.grid), 1));
      p_.drawLine(QPointF(x, plot_.top()), QPointF(x, plot_.bottom()));
    }
    p_.setPen(QPen(QColor(colors_.text), 1));
    p_.drawLine(QPointF(x, plot_.bottom()), QPointF(x, plot_.bottom() + 3));
    // in the middle under its mark, but on the page
    const double wide = width(tick.label) + 2;
    const double left = std::min(x - wide / 2, style_.size.width() - wide - 2);
    if (tick.label.isEmpty() || left < free) continue;
    words(QRectF(left, plot_.bottom() + 2, wide, line_), tick.label, QColor(colors_.textWeak),
          Qt::AlignHCenter | Qt::AlignTop);
    free = left + wide + 4;
  }
}

void FigurePainter::curves() {
  xTicks();
  p_.save();
  p_.setClipRect(plot_.adjusted(-6, -2, 6, 6), Qt::IntersectClip);
  for (std::size_t i = 0; i < figure_.series.size(); ++i)
    curveBand(figure_.series[i], figureColor(figure_.series[i], i, style_.theme));
  for (std::size_t i = 0; i < figure_.series.size(); ++i) {
    const FigureSeries& series = figure_.series[i];
    const auto isNumber = [](double y) { return std::isfinite(y); };
    for (auto from = series.y.begin(); from != series.y.end();) {  // from gap to gap
      from = std::find_if(from, series.y.end(), isNumber);
      const auto to = std::find_if_not(from, series.y.end(), isNumber);
      const auto x = series.x.begin() + (from - series.y.begin());
      curve(i, {x, x + (to - from)}, {from, to});
      from = to;
    }
    // a cross on the axis where numbers cease and where they come back: all of a stretch would lie on each
    // other
    FigureSeries missing;
    missing.mark = FigureMark::cross;
    const auto isMissing = [&](std::size_t k) { return k < series.y.size() && !isNumber(series.y[k]); };
    for (std::size_t k = 0; k < series.y.size(); ++k)
      if (isMissing(k) && (k == 0 || !isMissing(k - 1) || !isMissing(k + 1)))
        mark(QPointF(x_.at(series.x[k]), plot_.bottom()), missing, figureColor(series, i, style_.theme));
  }
  p_.restore();
}

void FigurePainter::curveBand(const FigureSeries& series, const QColor& color) {
  QPolygonF edge;
  for (const bool upper : {false, true}) {
    std::vector<double> x = series.x, y = upper ? series.high : series.low;
    if (y.empty()) return;
    decimate(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = upper ? x.size() - 1 - i : i;  // there and back
      edge << QPointF(x_.at(x[k]), y_.at(y[k]));
    }
  }
  p_.setPen(Qt::NoPen);
  p_.setBrush(bandColor(color));
  p_.drawPolygon(edge);
}

void FigurePainter::curve(std::size_t number, std::vector<double> x, std::vector<double> y) {
  decimate(x, y);
  QPolygonF points;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!y_.logarithmic || y[k] > 0) points << QPointF(x_.at(x[k]), y_.at(y[k]));
  const QColor color = figureColor(figure_.series[number], number, style_.theme);
  p_.setPen(QPen(color, 1.6, curveDash(figure_.series[number], number), Qt::RoundCap, Qt::RoundJoin));
  p_.setBrush(Qt::NoBrush);
  p_.drawPolyline(points);
  if (!figure_.notes.empty())
    for (qsizetype k = 1; k < points.size(); ++k) addSegment(points[k - 1], points[k]);
  if (points.size() > 30) return;
  p_.setBrush(color);
  p_.setPen(Qt::NoPen);
  for (const QPointF& point : points) p_.drawEllipse(point, 2.5, 2.5);
}

qsizetype nameStep(double needed) {
  constexpr qsizetype kSteps[] = {1, 2, 4, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512};
  for (const qsizetype step : kSteps)
    if (static_cast<double>(step) >= needed) return step;
  return 2 * static_cast<qsizetype>(std::ceil(needed / 2));
}

QString onOneLine(QString name) { return name.replace('\n', QStringLiteral(" · ")); }

/// Names of places along the x axis: every k-th, so that they do not touch; the last moves to the left where
/// the page would cut it off, and is shortened where it then met the one before.
void FigurePainter::categories(double step, double left) {
  double widest = 1;
  for (const QString& name : figure_.x.categories) widest = std::max(widest, width(name));
  const auto every = nameStep((widest + 6) / step);
  double free = 0;  // where the name before ends
  for (qsizetype i = 0; i < figure_.x.categories.size(); i += every) {
    const QString& name = figure_.x.categories[i];
    const double wide = width(name) + 2, middle = left + (double(i) + 0.5) * step;
    const double begin = std::max(free, std::min(middle - wide / 2, style_.size.width() - wide - 2));
    const double room = std::min(wide, style_.size.width() - begin - 2);
    words(QRectF(begin, plot_.bottom() + 2, room, line_),
          room < wide ? QFontMetricsF(font_).elidedText(name, Qt::ElideRight, room) : name,
          QColor(colors_.textWeak), Qt::AlignHCenter | Qt::AlignTop);
    free = begin + room + 4;
  }
}

/// Each place holds its stack and, at its right, what is no part of the sum: over the stack it would hide it.
void FigurePainter::stacks() {
  const auto count = figure_.x.categories.size();
  const double step = plot_.width() / static_cast<double>(std::max<qsizetype>(1, count));
  upright_ || twoLines_ ? groupNames(step) : categories(step, plot_.left());
  const bool beside = std::ranges::any_of(figure_.series, &FigureSeries::overlay);
  const double group = std::min(0.82 * step, 110.0);
  const double stack = beside ? 0.66 * group : group, overlay = 0.26 * group;
  std::vector<double> base(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < figure_.series.size(); ++s) {
    const FigureSeries& series = figure_.series[s];
    const QColor color = figureColor(series, s, style_.theme);
    for (std::size_t i = 0; i < std::min(base.size(), series.y.size()); ++i) {
      const double from = series.overlay ? 0 : base[i];
      const double left = plot_.left() + (static_cast<double>(i) + 0.5) * step - group / 2;
      const double top = y_.at(from + series.y[i]);
      const QRectF box(series.overlay ? left + group - overlay : left, top, series.overlay ? overlay : stack,
                       y_.at(from) - top);
      bar(box, series, color);
      if (hits_ != nullptr && !box.isEmpty()) hits_->push_back({box, s, i});
      if (!series.overlay) base[i] += series.y[i];
    }
  }
}

}  // namespace halo
