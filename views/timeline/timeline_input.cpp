#include "views/timeline/timeline_input.h"

#include <QGuiApplication>
#include <QMouseEvent>
#include <QStyleHints>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/timeline/timeline_navigation.h"

namespace halo {
namespace {

constexpr double kWheelZoom = 1.25;  // a notch
constexpr double kWheelPan = 0.15;   // of the window, a notch
constexpr int kWheelRows = 3;        // a notch
constexpr int kRowPixels = 2;        // a notch
constexpr int kEdgePixels = 4;
constexpr double kNotch = 120;

TimeRange ordered(std::int64_t a, std::int64_t b) { return {std::min(a, b), std::max(a, b)}; }

}  // namespace

TimelineDrag dragOf(const TimelinePress& press, const TimelineLayout& layout, TimeRange area) {
  if (press.button == Qt::RightButton) return TimelineDrag::pan;
  if (press.button == Qt::MiddleButton) return TimelineDrag::zoom;
  if (press.button != Qt::LeftButton || press.at.x() < layout.frame().headerWidth) return TimelineDrag::none;
  if (press.space) return TimelineDrag::pan;
  if (press.modifiers & Qt::ShiftModifier) return TimelineDrag::measure;
  if (press.at.y() < layout.frame().rulerHeight) return TimelineDrag::zoom;
  if (!area.empty()) {
    if (std::abs(layout.xOf(area.beginNs) - press.at.x()) <= kEdgePixels) return TimelineDrag::areaBegin;
    if (std::abs(layout.xOf(area.endNs) - press.at.x()) <= kEdgePixels) return TimelineDrag::areaEnd;
  }
  return TimelineDrag::area;
}

WheelTurn wheelTurnOf(QPoint angleDelta, Qt::KeyboardModifiers modifiers, bool wheelZooms) {
  // Alt turns a vertical wheel into a horizontal one
  const double notches = (angleDelta.y() != 0 ? angleDelta.y() : angleDelta.x()) / kNotch;
  if (modifiers & Qt::AltModifier) return {WheelAction::rowHeight, notches};
  const bool sideways = angleDelta.y() == 0 && angleDelta.x() != 0;
  if (sideways || (modifiers & Qt::ShiftModifier)) return {WheelAction::pan, notches};
  const bool control = (modifiers & Qt::ControlModifier) != 0;
  return {control != wheelZooms ? WheelAction::zoom : WheelAction::scroll, notches};
}

TimelineInput::TimelineInput(TimelineBlocks& blocks, TimeWindow& window, TimelineLayout& layout,
                             TimelineSelection& selection, TimelineMotion& motion, QObject* parent)
    : QObject(parent),
      blocks_(blocks),
      window_(window),
      layout_(layout),
      selection_(selection),
      motion_(motion),
      commands_(blocks, window, layout, selection) {
  connect(&commands_, &TimelineCommands::aroundWanted, this, &TimelineInput::aroundWanted);
}

void TimelineInput::perform(TimelineAction action) {
  if (action == TimelineAction::clear && cancelDrag()) return;
  commands_.perform(action, zoomAnchor());
}

bool TimelineInput::cancelDrag() {
  if (drag_ == TimelineDrag::none && !selection_.zoomRange()) return false;
  drag_ = TimelineDrag::none;
  selection_.setZoomRange(std::nullopt);
  return true;
}

std::int64_t TimelineInput::zoomAnchor() const {
  if (pointer_ && pointer_->x() >= layout_.frame().headerWidth) return layout_.nsAt(pointer_->x());
  return layout_.shown().beginNs + layout_.shown().lengthNs() / 2;
}

void TimelineInput::wheel(const QWheelEvent& event) {
  pointer_ = event.position().toPoint();
  const WheelTurn turn = wheelTurnOf(event.angleDelta(), event.modifiers(), wheelZooms_);
  switch (turn.action) {
    case WheelAction::rowHeight:
      return layout_.setRowHeight(layout_.rowHeight() +
                                  static_cast<int>(std::lround(kRowPixels * turn.notches)));
    case WheelAction::pan:
      return window_.pan(static_cast<std::int64_t>(-turn.notches * kWheelPan *
                                                   static_cast<double>(window_.visible().lengthNs())));
    case WheelAction::zoom:
      return window_.zoom(std::pow(kWheelZoom, -turn.notches), zoomAnchor());
    case WheelAction::scroll:
      return layout_.setScroll(
          layout_.scroll() - static_cast<int>(std::lround(turn.notches * kWheelRows * layout_.rowHeight())));
  }
}

void TimelineInput::press(const QMouseEvent& event) {
  if (dragging()) return;
  button_ = event.button();
  pressedAt_ = event.pos();
  moved_ = false;
  pressedWindow_ = window_.visible();
  motion_.jumpTo(pressedWindow_);
  pressedNs_ = layout_.nsAt(event.pos().x());
  pressedScroll_ = layout_.scroll();
  drag_ = dragOf({event.button(), event.pos(), event.modifiers(), space_}, layout_, window_.selection());
}

void TimelineInput::move(const QMouseEvent& event) {
  pointer_ = event.pos();
  if (!dragging()) return;
  const int least = QGuiApplication::styleHints()->startDragDistance() / 2;
  if (!moved_ && (event.pos() - pressedAt_).manhattanLength() < least) return;
  moved_ = true;
  dragTo(event.pos());
}

void TimelineInput::dragTo(QPoint at) {
  const std::int64_t ns = layout_.nsAt(std::max(at.x(), layout_.frame().headerWidth));
  switch (drag_) {
    case TimelineDrag::none:
      return;
    case TimelineDrag::area:
      return selection_.selectArea(ordered(pressedNs_, ns), layout_.rowsBetween(pressedAt_.y(), at.y()));
    case TimelineDrag::areaBegin:
      return selection_.selectArea(ordered(ns, window_.selection().endNs), selection_.areaRows());
    case TimelineDrag::areaEnd:
      return selection_.selectArea(ordered(window_.selection().beginNs, ns), selection_.areaRows());
    case TimelineDrag::zoom:
      return selection_.setZoomRange(ordered(pressedNs_, ns));
    case TimelineDrag::measure:
      return selection_.setMeasured(ordered(pressedNs_, ns));
    case TimelineDrag::pan:
      return panTo(at);
  }
}

void TimelineInput::panTo(QPoint at) {
  const double perPixel = static_cast<double>(pressedWindow_.lengthNs()) / layout_.lanes().width();
  const auto by = static_cast<std::int64_t>(std::llround((pressedAt_.x() - at.x()) * perPixel));
  window_.setVisible({pressedWindow_.beginNs + by, pressedWindow_.endNs + by}, Move::pan);
  layout_.setScroll(pressedScroll_ + pressedAt_.y() - at.y());
}

void TimelineInput::release(const QMouseEvent& event) {
  if (event.button() != button_) return;
  const TimelineDrag drag = std::exchange(drag_, TimelineDrag::none);
  button_ = Qt::NoButton;
  if (!moved_) {
    if (event.button() == Qt::RightButton) emit menuRequested(event.globalPosition().toPoint());
    if (event.button() == Qt::LeftButton) click(event.pos(), event.modifiers());
    return;
  }
  const auto range = selection_.zoomRange();
  if (drag != TimelineDrag::zoom || !range) return;
  selection_.setZoomRange(std::nullopt);
  if (!range->empty()) window_.setVisible(*range, Move::jump);
}

/// The left half of a rank's name folds it; that of its transfers opens them.
void TimelineInput::clickHeader(QPoint at) {
  const auto row = layout_.rowAt(at.y());
  if (!row) return;
  TimelineModel& model = blocks_.modelOf(*row);
  const RowEntry* entry = model.find(*row);
  if (entry != nullptr && entry->firstOfRank && at.x() < layout_.frame().headerWidth / 2)
    model.setCollapsed(row->rank, !model.collapsed(row->rank));
  else if (entry != nullptr && entry->inFlight)
    model.setLinkOpen(row->rank, !model.linkOpen(row->rank));
  selection_.setCurrentRow(row);
}

void TimelineInput::click(QPoint at, Qt::KeyboardModifiers modifiers) {
  if (at.y() < layout_.frame().rulerHeight) return;
  if (at.x() < layout_.frame().headerWidth) return clickHeader(at);
  selection_.setCurrentRow(layout_.rowAt(at.y()));
  selection_.setMeasured(std::nullopt);
  const bool add = (modifiers & Qt::ControlModifier) != 0;
  const auto span = layout_.spanAt(at);
  if (!add) {
    window_.select({});
    if (!span) selection_.selectSpan(std::nullopt);
  }
  if (span) selection_.selectSpan(span, add);
}

void TimelineInput::doubleClick(const QMouseEvent& event) {
  if (event.button() != Qt::LeftButton) return;
  const auto span = layout_.spanAt(event.pos());
  const SpanRow* spans = span ? selection_.spansOf(span->row) : nullptr;
  if (spans == nullptr) return;
  selection_.selectSpan(span);
  window_.setVisible(fitted(TimeRange{spans->beginNs(span->index), spans->endNs(span->index)}), Move::jump);
}

}  // namespace halo
