#include "views/figure/figure_chart.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QChart>
#include <QFontInfo>
#include <QGraphicsLayout>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_paint.h"
#include "views/figure/figure_scale.h"
#include "views/look/axis.h"
#include "views/look/figure_text.h"
#include "views/look/units.h"

namespace halo {

namespace {
constexpr int kMostTicks = 6;
constexpr double kMostPlain = 1e6;  // larger numbers have units, and from 10^15 on powers of ten

// Qt Charts maps, strokes and outlines every point anew at each size. Of fewer points in all, noise would
// look like teeth.
constexpr std::size_t kMostSmooth = 20, kMostPoints = 40'000, kLeastOfCurve = 200, kMostOfCurve = 2000;

std::size_t pointsOfCurve(std::size_t curves) {
  return std::clamp(kMostPoints / curves, kLeastOfCurve, kMostOfCurve);
}

/// The labels of pictures: Qt's would have all digits.
QAbstractAxis* powersAxis(double low, double high, bool counts) {
  auto* axis = new QCategoryAxis;
  axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis->setRange(low, high);
  for (const Tick& tick : linearTicks(low, high, kMostTicks, counts)) axis->append(tick.label, tick.value);
  return axis;
}

QAbstractAxis* valueAxis(const FigureAxis& description, double low, double high, bool nice) {
  if (description.logarithmic) {
    auto* axis = new QLogValueAxis;
    niceRange(low, high, true, kMostTicks);
    axis->setRange(low, high);
    axis->setLabelFormat("%g");
    return axis;
  }
  double niceLow = low, niceHigh = high;
  niceRange(niceLow, niceHigh, false, kMostTicks, description.counts);
  if (std::max(std::abs(niceLow), std::abs(niceHigh)) >= kMostPlain)
    return powersAxis(nice ? niceLow : low, nice ? niceHigh : high, description.counts);
  auto* axis = new QValueAxis;
  const double power = std::pow(10, std::floor(std::log10((niceHigh - niceLow) / kMostTicks) + 1e-9));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (step = factor * power; (niceHigh - niceLow) / step <= kMostTicks + 1e-6) break;
  if (description.counts) step = std::max(1.0, step);
  axis->setRange(nice ? niceLow : low, nice ? niceHigh : high);
  axis->setTickType(QValueAxis::TicksDynamic);
  axis->setTickAnchor(0);
  axis->setTickInterval(step);
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  axis->setLabelFormat(decimals > 4 ? QString("%g") : QString("%.%1f").arg(decimals));
  return axis;
}

}  // namespace

FigureStyle styleFor(const QWidget& widget) {
  FigureStyle style;
  style.theme = themeOf(widget.palette());
  style.size = widget.size();
  style.font = widget.font().family();
  style.fontSize = QFontInfo(widget.font()).pixelSize();
  style.footer = false;
  style.scrolls = true;
  return style;
}

FigureChart::FigureChart(QWidget* parent) : QChartView(parent) {
  chart()->setAnimationOptions(QChart::NoAnimation);
  chart()->setDropShadowEnabled(false);
  chart()->setBackgroundRoundness(0);
  chart()->setMargins(QMargins(2, 2, 2, 2));
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
  setFrameShape(QFrame::NoFrame);
  setMinimumSize(0, 0);
}

void FigureChart::show(const Figure& figure, Theme theme) {
  const Palette& colors = halo::palette(theme);
  setRenderHint(QPainter::Antialiasing, figure.series.size() <= kMostSmooth);
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    axis->setVisible(false);  // what is drawn of it may go later than it
    chart()->removeAxis(axis);
    delete axis;
  }
  chart()->setBackgroundBrush(QColor(colors.background));
  setBackgroundBrush(QColor(colors.background));
  headed_ = figure;
  headed_.series.clear();
  placeHeader();
  curves(figure, theme);
  QLegend* legend = chart()->legend();
  legend->setVisible(figure.series.size() > 1 && figure.series.size() <= kMostSmooth);  // else no name fits
  legend->setAlignment(Qt::AlignTop);
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * 0.9);
  legend->setFont(small);
  legend->setLabelColor(QColor(colors.text));
  legend->setMarkerShape(QLegend::MarkerShapeFromSeries);
}

Plot FigureChart::plot() const {
  Plot plot{.box = chart()->plotArea(), .x = {}, .y = {}};
  const auto ends = [](const QList<QAbstractAxis*>& axes, FigureScale& scale) {
    for (const QAbstractAxis* axis : axes) {
      if (const auto* linear = qobject_cast<const QValueAxis*>(axis))
        scale.low = linear->min(), scale.high = linear->max();
      if (const auto* powers = qobject_cast<const QLogValueAxis*>(axis))
        scale.low = powers->min(), scale.high = powers->max(), scale.logarithmic = true;
    }
  };
  ends(chart()->axes(Qt::Horizontal), plot.x);
  ends(chart()->axes(Qt::Vertical), plot.y);
  plot.x.from = plot.box.left(), plot.x.to = plot.box.right();
  plot.y.from = plot.box.bottom(), plot.y.to = plot.box.top();
  return plot;
}

void FigureChart::resizeEvent(QResizeEvent* event) {
  placeHeader();
  QChartView::resizeEvent(event);
}

void FigureChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->resetTransform();
  paintFigureHeader(*painter, headed_, styleFor(*this));
  paintNotes(*painter);
  painter->restore();
}

/// As in pictures: a dashed line, its words in a row of their own; a ring with its words beside it.
void FigureChart::paintNotes(QPainter& painter) const {
  const QRectF plot = chart()->plotArea();
  const QFontMetricsF metrics(font());
  const Palette& colors = halo::palette(themeOf(palette()));
  painter.setFont(font());
  double top = plot.top();
  for (const FigureNote& note : headed_.notes) {
    if (note.y) {
      paintNote(painter, note, plot);
      continue;
    }
    const double x = chart()->mapToPosition(QPointF(note.x, 0)).x();
    painter.setPen(QPen(QColor(colors.textWeak), 1, Qt::DashLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    const QString text = metrics.elidedText(drawable(note.text), Qt::ElideRight, plot.width());
    const double wide = metrics.horizontalAdvance(text);
    painter.setPen(QColor(colors.text));
    painter.drawText(QPointF(x + 3 + wide > plot.right() ? x - 3 - wide : x + 3, top + metrics.ascent()),
                     text);
    top += metrics.lineSpacing();
  }
}

/// At a value of the y axis: a ring, or a line across. The line has its words at the left end, where curves
/// that rise to it are not yet.
void FigureChart::paintNote(QPainter& painter, const FigureNote& note, const QRectF& plot) const {
  constexpr double kRing = 6.5;
  const QFontMetricsF metrics(font());
  const Palette& colors = halo::palette(themeOf(palette()));
  const bool across = std::isnan(note.x);
  const QPointF at = chart()->mapToPosition(QPointF(across ? 0 : note.x, *note.y));
  const QString text = metrics.elidedText(drawable(note.text), Qt::ElideRight, plot.width());
  const double wide = metrics.horizontalAdvance(text);
  painter.setBrush(Qt::NoBrush);
  if (across) {
    painter.setPen(QPen(QColor(colors.textWeak), 1, Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), at.y()), QPointF(plot.right(), at.y()));
  } else {
    painter.setPen(QPen(QColor(colors.text), 1.4));
    painter.drawEllipse(at, kRing, kRing);
  }
  const bool above = at.y() - metrics.height() - kRing > plot.top();
  const double y = at.y() + (above ? -kRing - metrics.descent() : kRing + metrics.ascent());
  painter.setPen(QColor(colors.text));
  painter.drawText(
      QPointF(across ? plot.left() + 4 : std::clamp(at.x() - wide / 2, plot.left(), plot.right() - wide), y),
      text);
}

void FigureChart::dress(QAbstractAxis* axis, const FigureAxis& description, Theme theme) {
  const Palette& colors = halo::palette(theme);
  axis->setTitleText(drawable(description.label()).toHtmlEscaped());
  QFont plain = font();
  axis->setTitleFont(plain);
  axis->setLabelsFont(plain);
  axis->setTitleBrush(QColor(colors.text));
  axis->setLabelsColor(QColor(colors.textWeak));
  axis->setGridLineColor(QColor(colors.grid));
  axis->setLinePenColor(QColor(colors.frame));
}

void FigureChart::curves(const Figure& figure, Theme theme) {
  const auto colorOf = [&](std::size_t i) { return figureColor(figure.series[i], i, theme); };
  double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
  for (std::size_t i = 0; i < figure.series.size(); ++i) band(figure.series[i], colorOf(i));  // behind all
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const FigureSeries& series = figure.series[i];
    for (const double at : series.x)  // of what is no number too: a note may stand there
      if (std::isfinite(at)) xLow = std::min(xLow, at), xHigh = std::max(xHigh, at);
    for (const auto* ends : {&series.y, &series.low, &series.high})
      for (const double y : *ends)
        if (std::isfinite(y) && !(figure.y.logarithmic && y <= 0))
          yLow = std::min(yLow, y), yHigh = std::max(yHigh, y);
    curve(series, colorOf(i), curveDash(series, i), figure);
  }
  if (xHigh <= xLow) xHigh = xLow + 1;
  if (yHigh < yLow) yLow = 0, yHigh = 1;
  QAbstractAxis* x = valueAxis(figure.x, xLow, xHigh, false);
  QAbstractAxis* y = valueAxis(figure.y, yLow, yHigh, true);
  attach(x, y, figure, theme);
}

void FigureChart::curve(const FigureSeries& described, const QColor& color, Qt::PenStyle dash,
                        const Figure& figure) {
  std::vector<double> x = described.x, y = described.y;
  const std::size_t count = figure.series.size();
  decimate(x, y, pointsOfCurve(count));
  QList<QPointF> points;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!figure.y.logarithmic || y[k] > 0) points << QPointF(x[k], y[k]);
  auto* series = new QLineSeries;
  series->setName(drawable(described.name).toHtmlEscaped());  // legends are rich text
  series->setPen(QPen(color, count <= kMostSmooth ? 1.8 : 1, dash));
  series->setPointsVisible(points.size() <= 30);
  series->replace(points);
  const QString name = described.name, xTitle = figure.x.label(), yTitle = figure.y.label();
  connect(series, &QLineSeries::hovered, this, [this, name, xTitle, yTitle](const QPointF& at, bool on) {
    tell(on,
         QString("%1\n%2 %3\n%4 %5").arg(name, xTitle, formatNumber(at.x()), yTitle, formatNumber(at.y())));
  });
  chart()->addSeries(series);
}

void FigureChart::band(const FigureSeries& series, const QColor& color) {
  if (series.low.empty()) return;
  auto* area = new QAreaSeries;  // a chart that takes it takes its ends, too
  const auto edge = [&](const std::vector<double>& ends) {
    std::vector<double> x = series.x, y = ends;
    decimate(x, y);
    QList<QPointF> points;
    for (std::size_t k = 0; k < x.size(); ++k) points << QPointF(x[k], y[k]);
    auto* line = new QLineSeries(area);
    line->replace(points);
    return line;
  };
  area->setUpperSeries(edge(series.high));
  area->setLowerSeries(edge(series.low));
  area->setPen(Qt::NoPen);
  area->setBrush(bandColor(color));
  chart()->addSeries(area);
  for (QLegendMarker* marker : chart()->legend()->markers(area)) marker->setVisible(false);
}

void FigureChart::attach(QAbstractAxis* x, QAbstractAxis* y, const Figure& figure, Theme theme) {
  dress(x, figure.x, theme);
  dress(y, figure.y, theme);
  chart()->addAxis(x, Qt::AlignBottom);
  chart()->addAxis(y, Qt::AlignLeft);
  for (QAbstractSeries* series : chart()->series()) {
    series->attachAxis(x);
    series->attachAxis(y);
  }
}

void FigureChart::tell(bool on, const QString& text) {
  if (on)
    QToolTip::showText(QCursor::pos(), plainRich(text), this);
  else
    QToolTip::hideText();
}

/// Room for title and marks, which take a second line where there is no other.
void FigureChart::placeHeader() {
  QImage nowhere(1, 1, QImage::Format_RGB32);
  QPainter painter(&nowhere);
  chart()->layout()->setContentsMargins(0, paintFigureHeader(painter, headed_, styleFor(*this)), 0, 0);
}

}  // namespace halo
