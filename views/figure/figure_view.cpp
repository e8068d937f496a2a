#include "views/figure/figure_view.h"

#include <QApplication>
#include <QCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGraphicsLayout>
#include <QHelpEvent>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMenu>
#include <QMessageBox>
#include <QScrollArea>
#include <QStackedLayout>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_scale.h"
#include "views/figure/figure_writers.h"
#include "views/look/axis.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"
#include "views/look/units.h"

namespace halo {

namespace {
constexpr int kMostTicks = 6;
constexpr double kMostPlain = 1e6;  // larger numbers have units, and from 10^15 on powers of ten

/// As paintFigure draws for a widget.
FigureStyle styleFor(const QWidget& widget) {
  FigureStyle style;
  style.theme = themeOf(widget.palette());
  style.size = widget.size();
  style.font = widget.font().family();
  style.fontSize = QFontInfo(widget.font()).pixelSize();
  style.footer = false;
  return style;
}

}  // namespace

/// Draws through paintFigure, as the file formats do: bars, what Qt Charts has no series for, and the
/// sentence of an empty figure.
class FigureView::Painted : public QWidget {
 public:
  explicit Painted(FigureView& owner) : owner_(owner) {}

  /// Rows need their height; where the view has less it scrolls.
  void makeRoom() {
    setMinimumHeight(static_cast<int>(std::ceil(neededHeight(owner_.figure(), styleFor(*this)))));
  }

  /// What a tooltip says of the bar at a place, elsewhere the marks in full.
  QString tooltipAt(QPoint place) const {
    const FigureHit* hit = hitAt(place);
    const Figure& figure = owner_.figure();
    if (hit == nullptr) return figure.marks.join("\n");
    return formEntry(figure.form).hint(figure, *hit);
  }

 protected:
  void resizeEvent(QResizeEvent*) override { makeRoom(); }

  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    hits_.clear();
    paintFigure(painter, owner_.figure(), styleFor(*this), &hits_);
  }

  bool event(QEvent* event) override {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tooltipAt(help->pos());
    if (text.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), plainRich(text), this);
    return true;
  }

  void mouseReleaseEvent(QMouseEvent* event) override {
    const FigureHit* hit = event->button() == Qt::LeftButton ? hitAt(event->pos()) : nullptr;
    if (hit != nullptr) emit owner_.categoryChosen(static_cast<int>(hit->category));
  }

 private:
  const FigureHit* hitAt(QPoint place) const {
    const auto at = std::ranges::find_if(
        hits_, [place](const FigureHit& hit) { return hit.box.adjusted(-1, -1, 1, 1).contains(place); });
    const bool there = at != hits_.end() && at->series < owner_.figure().series.size();
    return there ? &*at : nullptr;
  }

  FigureView& owner_;
  FigureHits hits_;  // of the last painting
};

/// Curves; title and marks above them as paintFigure draws them, so that none is shortened.
class FigureView::Chart : public QChartView {
 public:
  explicit Chart(QWidget* parent) : QChartView(parent) {
    chart()->setAnimationOptions(QChart::NoAnimation);
    chart()->setDropShadowEnabled(false);
    chart()->setBackgroundRoundness(0);
    chart()->setMargins(QMargins(2, 2, 2, 2));
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    setFrameShape(QFrame::NoFrame);
    setMinimumSize(0, 0);
  }

  void show(const Figure& figure, Theme theme) {
    const Palette& colors = halo::palette(theme);
    setRenderHint(QPainter::Antialiasing, true);
    chart()->removeAllSeries();
    for (QAbstractAxis* axis : chart()->axes()) {
      chart()->removeAxis(axis);
      delete axis;
    }
    chart()->setBackgroundBrush(QColor(colors.background));
    setBackgroundBrush(QColor(colors.background));
    headed_ = figure;
    headed_.series.clear();
    placeHeader();
    lines(figure, theme);
    QLegend* legend = chart()->legend();
    legend->setVisible(figure.series.size() > 1);
    legend->setAlignment(Qt::AlignTop);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    legend->setFont(small);
    legend->setLabelColor(QColor(colors.text));
    legend->setMarkerShape(QLegend::MarkerShapeFromSeries);
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    placeHeader();
    QChartView::resizeEvent(event);
  }

  void drawForeground(QPainter* painter, const QRectF&) override {
    painter->save();
    painter->resetTransform();
    paintFigureHeader(*painter, headed_, styleFor(*this));
    paintNotes(*painter);
    painter->restore();
  }

 private:
  /// As in pictures: a dashed line, its words in a row of their own.
  void paintNotes(QPainter& painter) const {
    const QRectF plot = chart()->plotArea();
    const QFontMetricsF metrics(font());
    const Palette& colors = halo::palette(themeOf(palette()));
    painter.setFont(font());
    double top = plot.top();
    for (const FigureNote& note : headed_.notes) {
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

  void dress(QAbstractAxis* axis, const FigureAxis& description, Theme theme) {
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

  QAbstractAxis* valueAxis(const FigureAxis& description, double low, double high, bool nice) {
    if (description.logarithmic) {
      auto* axis = new QLogValueAxis;
      niceRange(low, high, true, kMostTicks);
      axis->setRange(low, high);
      axis->setLabelFormat("%g");
      return axis;
    }
    double niceLow = low, niceHigh = high;
    niceRange(niceLow, niceHigh, false, kMostTicks);
    if (std::max(std::abs(niceLow), std::abs(niceHigh)) >= kMostPlain)
      return powersAxis(nice ? niceLow : low, nice ? niceHigh : high);
    auto* axis = new QValueAxis;
    const double power = std::pow(10, std::floor(std::log10((niceHigh - niceLow) / kMostTicks) + 1e-9));
    double step = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
      if (step = factor * power; (niceHigh - niceLow) / step <= kMostTicks + 1e-6) break;
    axis->setRange(nice ? niceLow : low, nice ? niceHigh : high);
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setTickInterval(step);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    axis->setLabelFormat(decimals > 4 ? QString("%g") : QString("%.%1f").arg(decimals));
    return axis;
  }

  /// The labels of pictures: Qt's would have all digits.
  static QAbstractAxis* powersAxis(double low, double high) {
    auto* axis = new QCategoryAxis;
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setRange(low, high);
    for (const Tick& tick : linearTicks(low, high, kMostTicks)) axis->append(tick.label, tick.value);
    return axis;
  }

  void lines(const Figure& figure, Theme theme) {
    double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      std::vector<double> x = figure.series[i].x, y = figure.series[i].y;
      for (const double at : x)  // of what is no number too: a note may stand there
        if (std::isfinite(at)) xLow = std::min(xLow, at), xHigh = std::max(xHigh, at);
      decimate(x, y);
      QList<QPointF> points;
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (figure.y.logarithmic && y[k] <= 0) continue;
        points << QPointF(x[k], y[k]);
        yLow = std::min(yLow, y[k]), yHigh = std::max(yHigh, y[k]);
      }
      auto* series = new QLineSeries;
      series->setName(drawable(figure.series[i].name).toHtmlEscaped());  // legends are rich text
      series->setPen(QPen(figureColor(figure.series[i], i, theme), 1.8, seriesDash(i)));
      series->setPointsVisible(points.size() <= 30);
      series->replace(points);
      const QString name = figure.series[i].name, xTitle = figure.x.label(), yTitle = figure.y.label();
      connect(series, &QLineSeries::hovered, this, [this, name, xTitle, yTitle](const QPointF& at, bool on) {
        tell(on, QString("%1\n%2 %3\n%4 %5")
                     .arg(name, xTitle, formatNumber(at.x()), yTitle, formatNumber(at.y())));
      });
      chart()->addSeries(series);
    }
    if (xHigh <= xLow) xHigh = xLow + 1;
    if (yHigh < yLow) yLow = 0, yHigh = 1;
    QAbstractAxis* x = valueAxis(figure.x, xLow, xHigh, false);
    QAbstractAxis* y = valueAxis(figure.y, yLow, yHigh, true);
    attach(x, y, figure, theme);
  }

  void attach(QAbstractAxis* x, QAbstractAxis* y, const Figure& figure, Theme theme) {
    dress(x, figure.x, theme);
    dress(y, figure.y, theme);
    chart()->addAxis(x, Qt::AlignBottom);
    chart()->addAxis(y, Qt::AlignLeft);
    for (QAbstractSeries* series : chart()->series()) {
      series->attachAxis(x);
      series->attachAxis(y);
    }
  }

  void tell(bool on, const QString& text) {
    if (on)
      QToolTip::showText(QCursor::pos(), plainRich(text), this);
    else
      QToolTip::hideText();
  }

  /// Room for title and marks, which take a second line where there is no other.
  void placeHeader() {
    QImage nowhere(1, 1, QImage::Format_RGB32);
    QPainter painter(&nowhere);
    chart()->layout()->setContentsMargins(0, paintFigureHeader(painter, headed_, styleFor(*this)), 0, 0);
  }

  Figure headed_;  // without its series
};

FigureView::FigureView(QWidget* parent)
    : QWidget(parent),
      stack_(new QStackedLayout(this)),
      painted_(new Painted(*this)),
      scrolled_(new QScrollArea(this)) {
  stack_->setContentsMargins(0, 0, 0, 0);
  scrolled_->setWidget(painted_);
  scrolled_->setWidgetResizable(true);
  scrolled_->setFrameShape(QFrame::NoFrame);
  scrolled_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scrolled_->setMinimumSize(0, 0);
  stack_->addWidget(scrolled_);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

FigureView::~FigureView() = default;

void FigureView::setFigure(Figure figure) {
  figure_ = std::move(figure);
  setAccessibleName(figure_.title);
  setAccessibleDescription(describe(figure_));
  rebuild();
}

void FigureView::rebuild() {
  if (figure_.form != FigureForm::lines || figure_.empty()) {
    stack_->setCurrentWidget(scrolled_);
    painted_->makeRoom();
    painted_->update();
    return;
  }
  if (chart_ == nullptr) {
    chart_ = new Chart(this);
    stack_->addWidget(chart_);
  }
  chart_->show(figure_, themeOf(palette()));
  stack_->setCurrentWidget(chart_);
}

void FigureView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
  QWidget::changeEvent(event);
}

void FigureView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction("Export figure…", this, &FigureView::exportAs);
  menu.addAction("Copy its numbers", this, &FigureView::copyData);
  menu.exec(event->globalPos());
}

void FigureView::exportAs() {
  const QString path = askForFile(this, {"Export figure", figure_.name + ".pdf",
                                         "Vector (*.pdf *.svg);;Picture (*.png);;Numbers (*.csv)", true});
  if (path.isEmpty()) return;
  try {
    writeFigure(figure_, roomyStyle(figure_, FigureStyle{}), path, /*force=*/true);  // the dialog asked
  } catch (const std::exception& error) {
    QMessageBox::warning(this, "Export figure", plainRich(QString::fromUtf8(error.what())));
  }
}

void FigureView::copyData() { QApplication::clipboard()->setText(QString::fromUtf8(toCsv(figure_))); }

}  // namespace halo
