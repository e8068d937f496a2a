#include "views/figure/forms/plot.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace halo {
namespace {

/// What has no room is left out of the name: a number without its unit says nothing.
QString axisWords(const FigureSheet& sheet, const FigureAxis& axis, double room) {
  const QFontMetricsF metrics(sheet.font);
  if (sheet.width(axis.label()) <= room || axis.unit.isEmpty())
    return metrics.elidedText(axis.label(), Qt::ElideRight, room);
  const QString unit = "[" + axis.unit + "]";
  const QString name = metrics.elidedText(axis.title, Qt::ElideRight, room - sheet.width(" " + unit));
  return name.size() > 1 ? name + " " + unit : metrics.elidedText(unit, Qt::ElideRight, room);
}

}  // namespace

bool hasPlace(const FigureAxis& axis, double value) {
  return std::isfinite(value) && !(axis.logarithmic && value <= 0);
}

qsizetype nameStep(double needed) {
  constexpr qsizetype kSteps[] = {1, 2, 4, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512};
  for (const qsizetype step : kSteps)
    if (static_cast<double>(step) >= needed) return step;
  return 2 * static_cast<qsizetype>(std::ceil(needed / 2));
}

QString onOneLine(QString name) { return name.replace('\n', QStringLiteral(" · ")); }

double plainNamesHeight(const FigureSheet& sheet) {
  qsizetype lines = 1;
  for (const QString& name : sheet.figure.x.categories) lines = std::max(lines, name.count('\n') + 1);
  return static_cast<double>(lines) * sheet.line;
}

namespace {

/// Of a low sheet the plot has all there is.
bool namesAxisOfX(const FigureSheet& sheet) {
  constexpr double kLow = 7;  // lines
  return !sheet.figure.x.label().isEmpty() && sheet.area.height() >= kLow * sheet.line;
}

/// Those whose names do not touch, from the lowest on.
std::vector<Tick> ticksApart(const std::vector<Tick>& ticks, const FigureScale& y, double line) {
  std::vector<Tick> apart;
  for (const Tick& tick : ticks)
    if (apart.empty() || std::abs(y.at(tick.value) - y.at(apart.back().value)) >= line) apart.push_back(tick);
  return apart;
}

}  // namespace

void frameChart(FigureSheet& sheet, Plot& plot, const std::function<double(double)>& namesHeight) {
  const FigureAxis& axis = sheet.figure.y;
  const double line = sheet.line;
  const auto ticks = axis.logarithmic ? logTicks(plot.y.low, plot.y.high)
                                      : linearTicks(plot.y.low, plot.y.high,
                                                    std::max(2, int(sheet.area.height() / 45)), axis.counts);
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, sheet.width(tick.label));
  plot.box = sheet.area.adjusted(widest + line + 10, line * 0.5, -6, 0);
  const double names = namesHeight(plot.box.width());
  plot.box.setBottom(plot.box.bottom() - names - (namesAxisOfX(sheet) ? line : 0.2 * line));
  plot.y.from = plot.box.bottom(), plot.y.to = plot.box.top();
  plot.x.from = plot.box.left(), plot.x.to = plot.box.right();
  for (const Tick& tick : ticksApart(ticks, plot.y, line)) {
    const double y = plot.y.at(tick.value);
    sheet.painter.setPen(QPen(QColor(sheet.colors.grid), 1));
    sheet.painter.drawLine(QPointF(plot.box.left(), y), QPointF(plot.box.right(), y));
    sheet.words(QRectF(plot.box.left() - widest - 6, y - line / 2, widest, line), tick.label,
                QColor(sheet.colors.textWeak), Qt::AlignRight | Qt::AlignVCenter);
  }
  axisTitles(sheet, plot, names);
  if (sheet.figure.x.categories.isEmpty()) sheet.plot = plot;
}

void axisTitles(FigureSheet& sheet, const Plot& plot, double namesHeight) {
  const QRectF& area = sheet.area;
  const FigureAxis &x = sheet.figure.x, &y = sheet.figure.y;
  // a title longer than its axis may use what is free beside it
  const bool fits = sheet.width(x.label()) <= plot.box.width();
  const double left = fits ? plot.box.left() : area.left(), room = plot.box.right() - left;
  if (namesAxisOfX(sheet))
    sheet.words(QRectF(left, plot.box.bottom() + namesHeight, room, sheet.line),
                axisWords(sheet, x, room + 1), QColor(sheet.colors.text),
                static_cast<int>((fits ? Qt::AlignHCenter : Qt::AlignRight) | Qt::AlignVCenter));
  // a title longer than its axis may use what is free above and below it
  const double middle = plot.box.center().y();
  const double most = 2 * std::min(middle - area.top(), area.bottom() - middle);
  sheet.painter.save();
  sheet.painter.translate(area.left(), middle);
  sheet.painter.rotate(-90);
  sheet.words(QRectF(-most / 2, 0, most, sheet.line), axisWords(sheet, y, most), QColor(sheet.colors.text),
              Qt::AlignCenter);
  sheet.painter.restore();
}

void axisLines(FigureSheet& sheet, const Plot& plot) {
  sheet.painter.setPen(QPen(QColor(sheet.colors.text), 1));
  sheet.painter.drawLine(plot.box.bottomLeft(), plot.box.bottomRight());
  sheet.painter.drawLine(plot.box.bottomLeft(), plot.box.topLeft());
}

std::vector<Tick> ticksOfX(const Plot& plot) {
  return plot.x.logarithmic
             ? logTicks(plot.x.low, plot.x.high)
             : linearTicks(plot.x.low, plot.x.high, std::max(2, static_cast<int>(plot.box.width() / 80)),
                           plot.x.counts);
}

void xTicks(FigureSheet& sheet, const Plot& plot, const std::vector<Tick>& ticks, bool grid) {
  double free = -1e300;  // where the name before ends
  for (const Tick& tick : ticks) {
    const double x = plot.x.at(tick.value);
    if (grid) {
      sheet.painter.setPen(QPen(QColor(sheet.colors.grid), 1));
      sheet.painter.drawLine(QPointF(x, plot.box.top()), QPointF(x, plot.box.bottom()));
    }
    sheet.painter.setPen(QPen(QColor(sheet.colors.text), 1));
    sheet.painter.drawLine(QPointF(x, plot.box.bottom()), QPointF(x, plot.box.bottom() + 3));
    // in the middle under its mark, but on the page
    const double wide = sheet.width(tick.label) + 2;
    const double left = std::min(x - wide / 2, sheet.style.size.width() - wide - 2);
    if (tick.label.isEmpty() || left < free) continue;
    sheet.words(QRectF(left, plot.box.bottom() + 2, wide, sheet.line), tick.label,
                QColor(sheet.colors.textWeak), Qt::AlignHCenter | Qt::AlignTop);
    free = left + wide + 4;
  }
}

void categoryNames(FigureSheet& sheet, const Plot& plot, double step) {
  const QStringList& categories = sheet.figure.x.categories;
  double widest = 1;
  for (const QString& name : categories) widest = std::max(widest, sheet.width(name));
  const auto stride = nameStep((widest + 6) / step);
  double free = 0;  // where the name before ends
  for (qsizetype i = 0; i < categories.size(); i += stride) {
    const QString& name = categories[i];
    const double wide = sheet.width(name) + 2, middle = plot.box.left() + (double(i) + 0.5) * step;
    const double begin = std::max(free, std::min(middle - wide / 2, sheet.style.size.width() - wide - 2));
    const double room = std::min(wide, sheet.style.size.width() - begin - 2);
    sheet.words(QRectF(begin, plot.box.bottom() + 2, room, sheet.line),
                room < wide ? QFontMetricsF(sheet.font).elidedText(name, Qt::ElideRight, room) : name,
                QColor(sheet.colors.textWeak), Qt::AlignHCenter | Qt::AlignTop);
    free = begin + room + 4;
  }
}

}  // namespace halo
