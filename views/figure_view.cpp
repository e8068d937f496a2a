#include "views/figure_view.h"

#include <QApplication>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QGraphicsLayout>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMenu>
#include <QMessageBox>
#include <QStackedBarSeries>
#include <QStackedLayout>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "views/figure_paint.h"
#include "views/figure_scale.h"
#include "views/figure_writers.h"
#include "views/units.h"

namespace halo {

namespace {
constexpr int kMostTicks = 6;

/// Colour and cue of a kind without holes: what lies behind a bar must not show through it.
QBrush barBrush(Kind kind, bool hidden, Theme theme) {
  const Cue cue = cueOf(kind, hidden);
  const Palette& colors = palette(theme);
  if (cue != Cue::hatch && cue != Cue::dots && cue != Cue::stripes) return QBrush(colors.color(kind));
  QImage tile(12, 12, QImage::Format_RGB32);  // every cue repeats within it
  for (int y = 0; y < tile.height(); ++y)
    for (int x = 0; x < tile.width(); ++x)
      tile.setPixel(x, y,
                    cueGap(cue, x, y) ? colors.background : colors.kind[static_cast<std::size_t>(kind)]);
  return QBrush(tile);
}
}  // namespace

/// Draws through paintFigure what Qt Charts has no series for, and the sentence of an empty figure.
class FigureView::Painted : public QWidget {
 public:
  explicit Painted(FigureView& owner) : QWidget(&owner), owner_(owner) {}

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    FigureStyle style;
    style.theme = themeOf(owner_.QWidget::palette());
    style.size = size();
    style.font = font().family();
    style.fontSize = QFontInfo(font()).pixelSize();
    style.footer = false;
    paintFigure(painter, owner_.figure(), style);
  }

 private:
  FigureView& owner_;
};

/// Curves and bars. The chart is rebuilt when series or axes change; new values of the same series replace
/// the old ones.
class FigureView::Chart : public QChartView {
 public:
  explicit Chart(FigureView& owner) : QChartView(&owner), owner_(owner) {
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
    QFont title = font();
    title.setBold(true);
    chart()->setTitleFont(title);
    chart()->setTitleBrush(QColor(colors.text));
    chart()->setTitle(figure.marks.isEmpty() ? figure.title
                                             : figure.title + "  (" + figure.marks.join(", ") + ")");
    if (figure.form == FigureForm::lines)
      lines(figure, theme);
    else
      bars(figure, theme);
    QLegend* legend = chart()->legend();
    legend->setVisible(figure.series.size() > 1);
    legend->setAlignment(Qt::AlignTop);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    legend->setFont(small);
    legend->setLabelColor(QColor(colors.text));
    legend->setMarkerShape(figure.form == FigureForm::lines ? QLegend::MarkerShapeFromSeries
                                                            : QLegend::MarkerShapeRectangle);
  }

 private:
  void dress(QAbstractAxis* axis, const FigureAxis& description, Theme theme) {
    const Palette& colors = halo::palette(theme);
    axis->setTitleText(description.label());
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
    auto* axis = new QValueAxis;
    double niceLow = low, niceHigh = high;
    niceRange(niceLow, niceHigh, false, kMostTicks);
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

  void lines(const Figure& figure, Theme theme) {
    double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      std::vector<double> x = figure.series[i].x, y = figure.series[i].y;
      decimate(x, y);
      QList<QPointF> points;
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (figure.y.logarithmic && y[k] <= 0) continue;
        points << QPointF(x[k], y[k]);
        xLow = std::min(xLow, x[k]), xHigh = std::max(xHigh, x[k]);
        yLow = std::min(yLow, y[k]), yHigh = std::max(yHigh, y[k]);
      }
      auto* series = new QLineSeries;
      series->setName(figure.series[i].name);
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
    QAbstractAxis* x = valueAxis(figure.x, xLow, xHigh, false);
    QAbstractAxis* y = valueAxis(figure.y, yLow, yHigh, true);
    attach(x, y, figure, theme);
  }

  void bars(const Figure& figure, Theme theme) {
    auto* stack = new QStackedBarSeries;
    auto* overlay = new QStackedBarSeries;
    stack->setBarWidth(0.72);
    overlay->setBarWidth(0.26);
    std::vector<double> heights(static_cast<std::size_t>(figure.x.categories.size()));
    double high = 0;
    for (const FigureSeries& s : figure.series) {
      auto* set = new QBarSet(s.name);
      for (std::size_t i = 0; i < s.y.size(); ++i) {
        *set << s.y[i];
        if (!s.overlay) high = std::max(high, heights[i] += s.y[i]);
        high = std::max(high, s.y[i]);
      }
      const Kind kind = s.kind.value_or(Kind::compute);
      set->setBrush(barBrush(kind, s.overlay, theme));
      set->setPen(QPen(QColor(halo::palette(theme).outline), 0.5));
      connect(set, &QBarSet::hovered, this,
              [this, set, unit = figure.y.unit, categories = figure.x.categories, title = figure.x.title](
                  bool on, int at) {
                tell(on,
                     QString("%1 %2\n%3: %4 %5")
                         .arg(title, categories.value(at), set->label(), formatNumber(set->at(at)), unit));
              });
      connect(set, &QBarSet::clicked, this, [this](int at) { emit owner_.categoryChosen(at); });
      (s.overlay ? overlay : stack)->append(set);
    }
    chart()->addSeries(stack);
    if (overlay->count())
      chart()->addSeries(overlay);
    else
      delete overlay;
    auto* x = new QBarCategoryAxis;
    x->append(figure.x.categories);
    attach(x, valueAxis(figure.y, 0, high, true), figure, theme);
  }

  void attach(QAbstractAxis* x, QAbstractAxis* y, const Figure& figure, Theme theme) {
    dress(x, figure.x, theme);
    dress(y, figure.y, theme);
    if (figure.form == FigureForm::stackedBars) x->setGridLineVisible(false);
    chart()->addAxis(x, Qt::AlignBottom);
    chart()->addAxis(y, Qt::AlignLeft);
    for (QAbstractSeries* series : chart()->series()) {
      series->attachAxis(x);
      series->attachAxis(y);
    }
  }

  void tell(bool on, const QString& text) {
    if (on)
      QToolTip::showText(QCursor::pos(), text, this);
    else
      QToolTip::hideText();
  }

  FigureView& owner_;
};

FigureView::FigureView(QWidget* parent)
    : QWidget(parent), stack_(new QStackedLayout(this)), painted_(new Painted(*this)) {
  stack_->setContentsMargins(0, 0, 0, 0);
  stack_->addWidget(painted_);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

FigureView::~FigureView() = default;

void FigureView::setFigure(Figure figure) {
  figure_ = std::move(figure);
  setAccessibleName(figure_.title);
  rebuild();
}

void FigureView::rebuild() {
  const bool charted = figure_.form == FigureForm::lines || figure_.form == FigureForm::stackedBars;
  if (!charted || figure_.empty()) {
    stack_->setCurrentWidget(painted_);
    painted_->update();
    return;
  }
  if (chart_ == nullptr) {
    chart_ = new Chart(*this);
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
  const QString path = QFileDialog::getSaveFileName(this, "Export figure", figure_.name + ".pdf",
                                                    "Vector (*.pdf *.svg);;Picture (*.png);;Numbers (*.csv)");
  if (path.isEmpty()) return;
  try {
    writeFigure(figure_, FigureStyle{}, path, /*force=*/true);  // the dialog asked
  } catch (const std::exception& error) {
    QMessageBox::warning(this, "Export figure", QString::fromUtf8(error.what()));
  }
}

void FigureView::copyData() { QApplication::clipboard()->setText(QString::fromUtf8(toCsv(figure_))); }

}  // namespace halo
