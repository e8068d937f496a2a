#include "views/figure/figure_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMessageBox>
#include <QScrollArea>
#include <QStackedLayout>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_chart.h"
#include "views/figure/figure_form.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_writers.h"
#include "views/figure/range_brush.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"

namespace halo {

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
    const auto hint = formEntry(figure.form).hint;
    if (hit == nullptr || hint == nullptr) return figure.marks.join("\n");
    return hint(figure, *hit);
  }

 protected:
  void resizeEvent(QResizeEvent*) override { makeRoom(); }

  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    hits_.clear();
    std::optional<Plot> plot = paintFigure(painter, owner_.figure(), styleFor(*this), &hits_);
    if (owner_.brush_ == nullptr) return;
    if (plot) plot->box.translate(mapTo(&owner_, QPoint(0, 0)));
    if (plot) plot->x.from = plot->box.left(), plot->x.to = plot->box.right();
    owner_.brush_->setPlot(plot);
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
    if (hit == nullptr) return;
    emit owner_.categoryChosen(static_cast<int>(hit->category));
    emit owner_.pointChosen(static_cast<int>(hit->series), static_cast<int>(hit->category));
  }

 private:
  const FigureHit* hitAt(QPoint place) const {
    const auto at = std::ranges::find_if(
        hits_, [place](const FigureHit& hit) { return hit.box.adjusted(-1, -1, 1, 1).contains(place); });
    const std::size_t series = owner_.figure().series.size();
    const bool valid = at != hits_.end() && (series == 0 || at->series < series);
    return valid ? &*at : nullptr;
  }

  FigureView& owner_;
  FigureHits hits_;  // of the last painting
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
    chart_ = new FigureChart(this);
    stack_->addWidget(chart_);
    connect(chart_->chart(), &QChart::plotAreaChanged, this, &FigureView::placeBrush);
    if (brush_ != nullptr) brush_->watch(chart_->viewport());
  }
  chart_->show(figure_, themeOf(palette()));
  stack_->setCurrentWidget(chart_);
  placeBrush();
}

RangeBrush& FigureView::brush() {
  if (brush_ == nullptr) {
    brush_ = new RangeBrush(this);
    brush_->watch(painted_);
    if (chart_ != nullptr) brush_->watch(chart_->viewport());
    placeBrush();
  }
  return *brush_;
}

/// What is painted places it as it paints.
void FigureView::placeBrush() {
  if (brush_ == nullptr) return;
  brush_->setGeometry(rect());
  brush_->raise();
  if (figure_.empty()) brush_->setPlot(std::nullopt);
  if (chart_ != nullptr && stack_->currentWidget() == chart_) brush_->setPlot(chart_->plot());
}

void FigureView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeBrush();
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
