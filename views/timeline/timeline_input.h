#pragma once

#include <QObject>
#include <QPoint>
#include <optional>

#include "views/timeline/timeline_commands.h"
#include "views/timeline/timeline_motion.h"

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace halo {

/// What dragging the mouse does.
enum class TimelineDrag { none, area, areaBegin, areaEnd, zoom, pan, measure };

/// A button that goes down: which, where, and what is held beside it.
struct TimelinePress {
  Qt::MouseButton button = Qt::LeftButton;
  QPoint at;
  Qt::KeyboardModifiers modifiers = {};
  bool space = false;
};
/// `area`: the selected one, whose edges can be taken hold of.
TimelineDrag dragOf(const TimelinePress& press, const TimelineLayout& layout, TimeRange area);

/// What a turn of the wheel does, in notches away from the person.
enum class WheelAction { rowHeight, pan, zoom, scroll };
struct WheelTurn {
  WheelAction action = WheelAction::scroll;
  double notches = 0;
};
/// `angleDelta` as in QWheelEvent; `wheelZooms`: the plain wheel zooms and Ctrl+wheel scrolls.
WheelTurn wheelTurnOf(QPoint angleDelta, Qt::KeyboardModifiers modifiers, bool wheelZooms);

/// Turns mouse, wheel and keys into changes of window, layout and selection. Knows no widget; what it is made
/// of outlives it.
class TimelineInput : public QObject {
  Q_OBJECT
 public:
  TimelineInput(TimelineBlocks& blocks, TimeWindow& window, TimelineLayout& layout,
                TimelineSelection& selection, TimelineMotion& motion, QObject* parent = nullptr);

  /// By key or menu; zooms about the pointer. `clear` ends a drag before anything else.
  void perform(TimelineAction action);
  void goTo(SpanId span) { commands_.goTo(span); }
  void setWheelZooms(bool zooms) { wheelZooms_ = zooms; }
  bool dragging() const { return drag_ != TimelineDrag::none; }
  /// While it is held, dragging pans.
  void holdSpace(bool held) { space_ = held; }

  void press(const QMouseEvent& event);
  void move(const QMouseEvent& event);
  void release(const QMouseEvent& event);
  void doubleClick(const QMouseEvent& event);
  void wheel(const QWheelEvent& event);
  /// The pointer has left.
  void leave() { pointer_.reset(); }

 signals:
  void menuRequested(QPoint global);
  void aroundWanted(halo::TimelineAction action);

 private:
  bool cancelDrag();
  void dragTo(QPoint at);
  void panTo(QPoint at);
  void click(QPoint at, Qt::KeyboardModifiers modifiers);
  void clickHeader(QPoint at);
  std::int64_t zoomAnchor() const;

  TimelineBlocks& blocks_;
  TimeWindow& window_;
  TimelineLayout& layout_;
  TimelineSelection& selection_;
  TimelineMotion& motion_;
  TimelineCommands commands_;

  bool wheelZooms_ = false;
  bool space_ = false;
  std::optional<QPoint> pointer_;
  TimelineDrag drag_ = TimelineDrag::none;
  Qt::MouseButton button_ = Qt::NoButton;
  bool moved_ = false;
  // as the button went down
  QPoint pressedAt_;
  TimeRange pressedWindow_;
  std::int64_t pressedNs_ = 0;
  int pressedScroll_ = 0;
};

}  // namespace halo
