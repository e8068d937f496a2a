#include "views/timeline/timeline_view.h"

#include <QContextMenuEvent>
#include <QGridLayout>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "engine/base/index.h"
#include "views/look/units.h"
#include "views/timeline/timeline_menu.h"
#include "views/timeline/timeline_navigation.h"
#include "views/timeline/timeline_tooltip.h"

namespace halo {

TimelineView::TimelineView(TimelineModel& model, TimeWindow& window, QWidget* parent)
    : QWidget(parent),
      blocks_(model),
      window_(window),
      overview_(new TimelineOverview(model, window, this)),
      canvas_(new TimelineCanvas(blocks_, window, this)),
      bar_(new QScrollBar(Qt::Vertical, this)),
      legend_(new TimelineLegend(this)),
      fold_(new TimelineFold(blocks_, this)),
      search_(new TimelineSearch(blocks_, window, canvas_->selection(), this)),
      statistics_(new TimelineStatistics(blocks_, window, canvas_->selection(), this)),
      clock_(new QToolButton(canvas_)) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(overview_, 0, 0, 1, 2);
  layout->addWidget(canvas_, 1, 0);
  layout->addWidget(bar_, 1, 1);
  layout->addWidget(fold_, 1, 0, 1, 2);
  layout->addWidget(search_, 2, 0, 1, 2);
  layout->addWidget(legend_, 3, 0, 1, 2);
  layout->addWidget(statistics_, 4, 0, 1, 2);
  fold_->hide();
  search_->hide();
  statistics_->hide();
  setFocusProxy(canvas_);
  window_.setExtent(blocks_.extent());
  if (const auto newest = model.newestNs()) window_.setNewest(*newest);
  connect(&model, &TimelineModel::newestChanged, &window_, &TimeWindow::setNewest);
  follow();
  updateLayout();
  updateClock();
  describe();
}

/// What its parts and the selection say.
void TimelineView::follow() {
  connect(canvas_, &TimelineCanvas::aroundWanted, this, &TimelineView::showAround);
  connect(fold_, &TimelineFold::left, this, [this] { setFolded(false); });
  connect(fold_, &TimelineFold::epochChosen, this, &TimelineView::unfold);
  connect(search_, &TimelineSearch::spanWanted, canvas_, &TimelineCanvas::goTo);
  connect(search_, &TimelineSearch::left, this, [this] {
    search_->hide();
    canvas_->setFocus();
  });
  connect(statistics_, &TimelineStatistics::spanWanted, canvas_, &TimelineCanvas::goTo);
  connect(statistics_, &TimelineStatistics::left, this, [this] {
    statistics_->hide();
    canvas_->setFocus();
  });
  connect(&blocks_, &TimelineBlocks::epochsChanged, this, &TimelineView::epochsChanged);
  connect(&blocks_, &TimelineBlocks::extentChanged, this, &TimelineView::takeExtent);
  connect(&blocks_, &TimelineBlocks::timeChanged, this, &TimelineView::updateClock);
  connect(clock_, &QToolButton::clicked, this, &TimelineView::askClock);
  connect(bar_, &QScrollBar::valueChanged, canvas_, &TimelineCanvas::setScroll);
  connect(canvas_, &TimelineCanvas::layoutChanged, this, &TimelineView::updateLayout);
  const TimelineSelection* selection = &canvas_->selection();
  connect(selection, &TimelineSelection::spanSelected, this, &TimelineView::spanSelected);
  connect(selection, &TimelineSelection::areaSelected, this, &TimelineView::areaSelected);
  connect(canvas_, &TimelineCanvas::menuRequested, this, [this](QPoint global) {
    QMenu* menu = makeMenu(canvas_->mapFromGlobal(global));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(global);
  });
  connect(selection, &TimelineSelection::areaSelected, this, &TimelineView::updateStatistics);
  connect(&window_, &TimeWindow::selectionChanged, this, &TimelineView::updateStatistics);
  connect(&blocks_, &TimelineBlocks::spansChanged, this, &TimelineView::updateStatistics);
  connect(&window_, &TimeWindow::visibleChanged, this, &TimelineView::describe);
  connect(&window_, &TimeWindow::selectionChanged, this, &TimelineView::describe);
  connect(&window_, &TimeWindow::spanChanged, this, &TimelineView::describe);
  connect(&window_, &TimeWindow::epochChanged, this, &TimelineView::describe);
  const auto showWaits = [this] { legend_->setWaits(blocks_.waits()); };
  connect(&blocks_, &TimelineBlocks::spansChanged, legend_, showWaits);
  connect(&blocks_, &TimelineBlocks::rowsChanged, legend_, showWaits);
  showWaits();
  connect(canvas_, &TimelineCanvas::nodeMarksChanged, legend_,
          [this] { legend_->setSigns(canvas_->nodeMarks().signs()); });
}

void TimelineView::setOthers(const TimelineBlock& first, std::vector<TimelineBlock> others) {
  canvas_->selection().forgetOthers();
  blocks_.set(first, std::move(others));
}

void TimelineView::askClock() {
  const ShownTime& time = blocks_.first().time();
  if (!time.chosen) return;
  emit clockWanted(time.clock == TimeClock::wall ? TimeClock::modelled : TimeClock::wall);
}

/// In the corner between the ruler and the names of lanes.
void TimelineView::updateClock() {
  const ShownTime& time = blocks_.first().time();
  clock_->setText(time.title);
  clock_->setToolTip(time.note + (time.chosen ? tr("\nClick, or M: the other time.") : QString()));
  clock_->setAccessibleName(tr("Time of the axis: ") + time.title);
  clock_->setAutoRaise(!time.chosen);  // a word, and no button
  clock_->setHidden(time.title.isEmpty());
  describe();
}

void TimelineView::showAround(TimelineAction action) {
  if (action == TimelineAction::clock) return askClock();
  if (action == TimelineAction::foldEpochs) return setFolded(!isFolded());
  setFolded(false);
  if (action == TimelineAction::arrows)
    emit arrowsWanted(!canvas_->arrows().shown);
  else if (action == TimelineAction::search)
    search_->open();
  else
    statistics_->setVisible(statistics_->isHidden());
}

void TimelineView::setFolded(bool folded) {
  for (QWidget* each : std::initializer_list<QWidget*>{overview_, canvas_, bar_, legend_})
    each->setHidden(folded);
  if (folded) {
    search_->hide();
    statistics_->hide();
  }
  fold_->setVisible(folded);
  setFocusProxy(folded ? static_cast<QWidget*>(fold_) : canvas_);
  setFocus();
}

/// To one epoch, alone.
void TimelineView::unfold(std::int32_t block, std::int64_t epoch) {
  const TimelineModel& model = *blocks_.all()[at(block)].model;
  const auto row = std::ranges::find(model.epochs(), epoch, &EpochRow::epoch);
  setFolded(false);
  if (row == model.epochs().end()) return;
  if (block == 0) window_.setEpoch(epoch);  // the chosen one is the first run's, for all views
  window_.setVisible(fitted(TimeRange{row->beginNs, row->beginNs + row->wallNs}), Move::jump);
}

void TimelineView::takeExtent() {
  const TimeRange extent = blocks_.extent();
  if (extent.empty())
    window_.reset(extent);
  else
    window_.setExtent(extent);
}

void TimelineView::updateLayout() {
  constexpr int kAround = 3;
  clock_->setGeometry(kAround, kAround, canvas_->headerWidth() - 2 * kAround,
                      canvas_->rulerHeight() - 2 * kAround);
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
  // shares of two runs do not add up: of several, those of the topmost that was chosen
  const std::set<RowId>& rows = canvas_->selection().areaRows();
  const TimelineModel& model = blocks_.modelOf(RowId{.block = blocks_.topmostOf(rows)});
  const QString run = blocks_.several() ? blocks_.all()[at(model.block())].name : QString();
  legend_->setStatistics(range, model.selectionStatistics(range, rows), run);
}

QMenu* TimelineView::makeMenu(std::optional<QPoint> place) {
  TimelinePlace at;
  if (place) {
    at = {canvas_->places().spanAt(*place), canvas_->rowAt(place->y()), canvas_->nsAt(place->x())};
    const auto& selected = canvas_->selection().spans();
    if (at.span && std::ranges::find(selected, *at.span) == selected.end())
      canvas_->selection().selectSpan(at.span);
  } else {
    at.span = canvas_->selection().current();
    if (at.span) at.row = at.span->row;
    const auto span = window_.selectedSpan();
    at.ns = span ? span->beginNs : window_.visible().beginNs + window_.visible().lengthNs() / 2;
  }
  auto* menu = new QMenu(this);
  fillTimelineMenu(*menu, *canvas_, blocks_, window_, at);
  return menu;
}

/// For a screen reader: what is in view and what is chosen.
void TimelineView::describe() {
  const TimeRange visible = window_.visible();
  const std::int64_t zero = blocks_.first().extent().beginNs;
  QStringList parts{
      tr("from %1 to %2").arg(formatNs(visible.beginNs - zero), formatNs(visible.endNs - zero))};
  if (const QString& time = blocks_.first().time().title; !time.isEmpty()) parts << time;
  if (const auto epoch = window_.epoch()) parts << tr("epoch %1").arg(*epoch);
  if (const auto span = window_.selectedSpan()) {
    const RowId row{window_.selectedRank(), span->lane, 0, window_.selectedBlock()};
    const TimelineModel& model = blocks_.modelOf(row);
    const QString where = rowText(row, model.rankName(row.rank));
    parts << tr("selected span: ") +
                 spanText({where, model.extent().beginNs, model.clockMhz(row.rank)}, *span)
                     .replace('\n', QStringLiteral(", "));
  }
  if (!window_.selection().empty()) parts << tr("selected area: ") + legend_->text();
  canvas_->setAccessibleDescription(parts.join(QStringLiteral("; ")));
  overview_->setAccessibleDescription(parts.front());
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
  // a right click is told from a right drag by the canvas; here only the menu key
  if (event->reason() != QContextMenuEvent::Keyboard) return;
  QMenu* menu = makeMenu(std::nullopt);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(canvas_->mapToGlobal(canvas_->lanes().center()));
}

}  // namespace halo
