#include "views/timeline/timeline_canvas.h"

#include <QElapsedTimer>
#include <QHelpEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "engine/base/index.h"
#include "views/look/figure_text.h"
#include "views/spans/last_there.h"
#include "views/timeline/timeline_headings.h"
#include "views/timeline/timeline_marks.h"
#include "views/timeline/timeline_ruler.h"
#include "views/timeline/timeline_tooltip.h"

namespace halo {

TimelineCanvas::TimelineCanvas(TimelineBlocks& blocks, TimeWindow& window, QWidget* parent)
    : QWidget(parent),
      blocks_(blocks),
      window_(window),
      selection_(blocks, window),
      motion_(layout_),
      input_(blocks, window, layout_, selection_, motion_) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 60);
  setAccessibleName(tr("Timeline"));
  measure();
  layout_.setShown(window.visible());
  const auto repaint = qOverload<>(&QWidget::update);
  connect(&layout_, &TimelineLayout::changed, this, &TimelineCanvas::layoutChanged);
  connect(&layout_, &TimelineLayout::changed, this, repaint);
  connect(&layout_, &TimelineLayout::orderChanged, this, &TimelineCanvas::takeOrder);
  connect(&layout_, &TimelineLayout::pinsChanged, this, &TimelineCanvas::pinsChanged);
  connect(&layout_, &TimelineLayout::shownChanged, this, repaint);
  connect(&selection_, &TimelineSelection::changed, this, repaint);
  connect(&selection_, &TimelineSelection::laneFollowed, &layout_, &TimelineLayout::reveal);
  connect(&input_, &TimelineInput::menuRequested, this, &TimelineCanvas::menuRequested);
  connect(&input_, &TimelineInput::aroundWanted, this, &TimelineCanvas::aroundWanted);
  connect(&blocks, &TimelineBlocks::rowsChanged, this, &TimelineCanvas::takeBlocks);
  connect(&blocks, &TimelineBlocks::spansChanged, this, repaint);
  connect(&blocks, &TimelineBlocks::epochsChanged, this, repaint);
  connect(&window, &TimeWindow::visibleChanged, this, &TimelineCanvas::moveShown);
  layout_.setFilling(true);
  takeBlocks();
}

TimelineStyle TimelineCanvas::timelineStyle() const {
  return {&halo::palette(themeOf(QWidget::palette())), devicePixelRatioF(), font()};
}

/// Tells the layout of the widget's size and letters.
void TimelineCanvas::measure() {
  layout_.setFrame({size(), headerWidthFor(font()), rulerHeightFor(font()), devicePixelRatioF(),
                    headingHeightFor(font())});
}

void TimelineCanvas::takeBlocks() {
  measure();
  std::vector<const TimelineModel*> models;
  for (const TimelineBlock& block : blocks_.all()) models.push_back(block.model);
  layout_.setBlocks(std::move(models), blocks_.fromTop());
}

/// Rows by layers are others than those of whole lanes; what is selected stays so.
void TimelineCanvas::takeOrder() {
  const bool byLayer = layout_.order() == LaneOrder::layers;
  if (byLayer != blocks_.first().byLayer()) {
    const TimelineSelection::Kept kept = selection_.kept();
    blocks_.setByLayer(byLayer);
    selection_.restore(kept);
    if (const auto row = selection_.currentRow()) layout_.reveal(*row);
  }
  emit orderChanged();
}

void TimelineCanvas::setArrows(TimelineArrows arrows) {
  arrows_ = std::move(arrows);
  update();
}

void TimelineCanvas::setChain(WaitChain chain) {
  if (chain == chain_) return;
  chain_ = std::move(chain);
  update();
}

bool TimelineCanvas::goToWait(Name reason, std::int32_t peer, std::int16_t layer) {
  for (const std::size_t block : blocks_.fromTop())
    if (const auto span = longestWait(*blocks_.all()[block].model, reason, peer, layer)) {
      goTo(*span);
      return true;
    }
  return false;
}

bool TimelineCanvas::goToSpans(std::int32_t block, const SpanChoice& choice) {
  if (block < 0 || at(block) >= blocks_.all().size()) return false;
  TimelineModel& model = *blocks_.all()[at(block)].model;
  const std::vector<SpanId> spans = chosenSpans(model, choice, window_.visible().beginNs);
  if (spans.empty()) return false;
  for (const SpanId& span : spans) model.unfoldTo(span.row);
  goTo(spans.front());
  selection_.selectSpans(spans);
  for (int step = 0; step < 2; ++step) perform(TimelineAction::fit);  // it centres, then fits
  return true;
}

void TimelineCanvas::setRankMaps(RankMaps maps) {
  rankMaps_ = std::move(maps);
  std::size_t bands = 1;
  for (const auto& [block, map] : rankMaps_) bands = std::max(bands, map.groups.size());
  layout_.setChangeBands(static_cast<int>(bands));
  update();
}

void TimelineCanvas::setNodeMarks(NodeMarks marks) {
  node_ = std::move(marks);
  emit nodeMarksChanged();
  update();
}

void TimelineCanvas::setNotes(std::vector<LaneNote> notes) {
  if (notes == notes_) return;
  notes_ = std::move(notes);
  update();
}

void TimelineCanvas::setBadges(LaneBadges badges) {
  if (badges == badges_) return;
  badges_ = std::move(badges);
  update();
}

void TimelineCanvas::placeAgain() {
  measure();
  layout_.placeAgain();
}

void TimelineCanvas::moveShown(TimeRange target) {
  if (!animated_ || !isVisible() || input_.dragging() || window_.following())
    motion_.jumpTo(target);
  else
    motion_.glideTo(target);
}

void TimelineCanvas::paintEvent(QPaintEvent* event) {
  QElapsedTimer timer;
  timer.start();
  QPainter painter(this);
  const TimelineStyle style = timelineStyle();
  lanes_.paint(painter, *this, event->region(), layout_, style);
  painter.setClipRect(layout_.scrolledLanes());
  change_.paint(painter, layout_, rankMaps_, style);
  painter.setClipRect(lanes());
  paintEpochs(painter, layout_, style);
  paintNodeMarks(painter, layout_, node_, style);
  paintArrows(painter, layout_, arrows_, selection_, style);
  paintChain(painter, layout_, chain_, style);
  paintNotes(painter, layout_, notes_, style);
  paintSelection(painter, layout_, window_.selection(), selection_, style);
  painter.setClipping(false);
  paintRuler(painter, layout_, style);
  header_.paint(painter, layout_, blocks_, selection_.currentRow(), badges_, style);
  paintHeadings(painter, layout_, blocks_, style);
  if (layout_.places().empty()) paintEmpty(painter);
  emit framePainted(timer.nsecsElapsed());
}

void TimelineCanvas::paintEmpty(QPainter& painter) {
  painter.setPen(QColor::fromRgb(timelineStyle().colors->textWeak));
  painter.drawText(lanes(), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("No spans are read yet.\nRuns with [record] spans = \"none\" have none."));
}

void TimelineCanvas::resizeEvent(QResizeEvent*) { placeAgain(); }

void TimelineCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) placeAgain();
  QWidget::changeEvent(event);
}

bool TimelineCanvas::event(QEvent* event) {
  measure();  // whatever changed, what follows stands on the widget as it is
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tooltipAt(help->pos());
    if (text.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  return QWidget::event(event);
}

QString TimelineCanvas::tooltipAt(QPoint place) const {
  if (const auto row = rowAt(place.y());
      row && place.x() < headerWidth() && row->block == 0 && badges_.has(row->rank))
    return plainRich(badges_.why);
  if (const auto note = noteAt(layout_, notes_, place)) return plainRich(note->text);
  if (const QString decided = decisionTooltip(layout_, node_, place); !decided.isEmpty()) return decided;
  if (const MessageArrow* arrow = arrowAt(arrows_, layout_, selection_.currentRow(), place))
    return arrowTooltip(blocks_.modelOf(RowId{.block = arrow->block}), *arrow);
  const QString span = timelineTooltip(layout_, place), batch = batchText(layout_, node_, place);
  if (!span.isEmpty()) return batch.isEmpty() ? span : span + batch;
  const QString change = changeTooltip(layout_, rankMaps_, place);
  return change.isEmpty() ? headingTooltip(layout_, blocks_, place) : change;
}

void TimelineCanvas::takeKeys() {
  const QWidget* has = QWidget::window()->focusWidget();
  if (!has || !has->testAttribute(Qt::WA_InputMethodEnabled)) setFocus(Qt::OtherFocusReason);
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space) {
    input_.holdSpace(true);
    setCursor(Qt::OpenHandCursor);
    return;
  }
  if (const TimelineActionInfo* info = timelineActionOf(*event))
    perform(info->action);
  else
    QWidget::keyPressEvent(event);
}

void TimelineCanvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QWidget::keyReleaseEvent(event);
  input_.holdSpace(false);
  unsetCursor();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) { input_.press(*event); }
void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) { input_.move(*event); }
void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) { input_.release(*event); }
void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) { input_.doubleClick(*event); }
void TimelineCanvas::enterEvent(QEnterEvent*) { takeKeys(); }
void TimelineCanvas::leaveEvent(QEvent*) { input_.leave(); }

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  input_.wheel(*event);
  event->accept();
}

}  // namespace halo
