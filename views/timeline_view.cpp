#include "views/timeline_view.h"

#include <QContextMenuEvent>
#include <QGridLayout>

namespace halo {

TimelineView::TimelineView(TimelineModel& model, TimeWindow& window, QWidget* parent)
    : QWidget(parent),
      model_(model),
      window_(window),
      overview_(new TimelineOverview(model, window, this)),
      canvas_(new TimelineCanvas(model, window, this)),
      bar_(new QScrollBar(Qt::Vertical, this)),
      legend_(new TimelineLegend(this)) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(overview_, 0, 0, 1, 2);
  layout->addWidget(canvas_, 1, 0);
  layout->addWidget(bar_, 1, 1);
  layout->addWidget(legend_, 2, 0, 1, 2);
  setFocusProxy(canvas_);
  window_.setExtent(model_.extent());
  connect(&model_, &TimelineModel::extentChanged, &window_, [this](TimeRange extent) {
    if (extent.empty())
      window_.reset(extent);
    else
      window_.setExtent(extent);
  });
  connect(bar_, &QScrollBar::valueChanged, canvas_, &TimelineCanvas::setScroll);
  connect(canvas_, &TimelineCanvas::layoutChanged, this, &TimelineView::updateLayout);
  connect(canvas_, &TimelineCanvas::spanSelected, this, &TimelineView::spanSelected);
  connect(canvas_, &TimelineCanvas::areaSelected, this, &TimelineView::areaSelected);
  connect(canvas_, &TimelineCanvas::menuRequested, this, &TimelineView::menuRequested);
  connect(canvas_, &TimelineCanvas::areaSelected, this, &TimelineView::updateStatistics);
  connect(&window_, &TimeWindow::selectionChanged, this, &TimelineView::updateStatistics);
  connect(&model_, &TimelineModel::spansChanged, this, &TimelineView::updateStatistics);
  connect(&window_, &TimeWindow::visibleChanged, this, &TimelineView::windowChanged);
  updateLayout();
}

void TimelineView::updateLayout() {
  const QSignalBlocker quiet(bar_);
  bar_->setRange(0, std::max(0, canvas_->contentHeight() - canvas_->viewHeight()));
  bar_->setPageStep(std::max(1, canvas_->viewHeight()));
  bar_->setSingleStep(canvas_->rowHeight());
  bar_->setValue(canvas_->scroll());
  overview_->setMargins(canvas_->headerWidth(), bar_->sizeHint().width());
}

void TimelineView::updateStatistics() {
  const TimeRange range = window_.selection();
  if (range.empty() && legend_->range().empty()) return;
  const std::set<RowId>& chosen = canvas_->areaRows();
  std::size_t rows = chosen.size();
  if (chosen.empty())
    rows =
        static_cast<std::size_t>(std::count_if(model_.rows().begin(), model_.rows().end(),
                                               [](const RowEntry& entry) { return entry.row != nullptr; }));
  legend_->setStatistics(range, rows, model_.statistics(range, chosen));
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
  // a right click is told from a right drag by the canvas; here only the menu key
  if (event->reason() == QContextMenuEvent::Keyboard) emit menuRequested(event->globalPos());
}

}  // namespace halo
