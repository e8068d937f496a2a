#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_canvas.h"

namespace halo {
namespace {

constexpr double kWheelZoom = 1.25;  // a notch
constexpr double kKeyPan = 0.15;     // of the window
constexpr int kEdgePixels = 4;
constexpr double kNotch = 120;

}  // namespace

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space) {
    spaceHeld_ = true;
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
  spaceHeld_ = false;
  unsetCursor();
}

std::int64_t TimelineCanvas::zoomAnchor() const {
  if (pointer_ && pointer_->x() >= headerWidth()) return nsAt(pointer_->x());
  return shown_.beginNs + shown_.lengthNs() / 2;
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  // Alt turns a vertical wheel into a horizontal one
  const QPoint turned = event->angleDelta();
  const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / kNotch;
  const bool sideways = turned.y() == 0 && turned.x() != 0 && !(event->modifiers() & Qt::AltModifier);
  pointer_ = event->position().toPoint();
  const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
  if (event->modifiers() & Qt::AltModifier)
    setRowHeight(rowHeight_ + static_cast<int>(std::lround(2 * notches)));
  else if (sideways || (event->modifiers() & Qt::ShiftModifier))
    window_.pan(
        static_cast<std::int64_t>(-notches * kKeyPan * static_cast<double>(window_.visible().lengthNs())));
  else if (control != wheelZooms_)
    window_.zoom(std::pow(kWheelZoom, -notches), zoomAnchor());
  else
    setScroll(scroll_ - static_cast<int>(std::lround(notches * 3 * rowHeight_)));
  event->accept();
}

TimelineCanvas::Drag TimelineCanvas::dragFor(const QMouseEvent& event) const {
  if (event.button() == Qt::RightButton) return Drag::pan;
  if (event.button() == Qt::MiddleButton) return Drag::zoom;
  if (event.button() != Qt::LeftButton || event.pos().x() < headerWidth()) return Drag::none;
  if (spaceHeld_) return Drag::pan;
  if (event.modifiers() & Qt::ShiftModifier) return Drag::measure;
  if (event.pos().y() < rulerHeight()) return Drag::zoom;
  const TimeRange area = window_.selection();
  if (!area.empty()) {
    if (std::abs(xOf(area.beginNs) - event.pos().x()) <= kEdgePixels) return Drag::areaBegin;
    if (std::abs(xOf(area.endNs) - event.pos().x()) <= kEdgePixels) return Drag::areaEnd;
  }
  return Drag::area;
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  if (drag_ != Drag::none) return;
  button_ = event->button();
  pressedAt_ = event->pos();
  moved_ = false;
  pressedWindow_ = window_.visible();
  motion_.stop();
  shown_ = pressedWindow_;
  pressedNs_ = nsAt(event->pos().x());
  pressedScroll_ = scroll_;
  drag_ = dragFor(*event);
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->pos();
  if (drag_ == Drag::none) return;
  if (!moved_ && (event->pos() - pressedAt_).manhattanLength() < QApplication::startDragDistance() / 2)
    return;
  moved_ = true;
  dragTo(event->pos());
}

void TimelineCanvas::dragTo(QPoint at) {
  const auto ordered = [](std::int64_t a, std::int64_t b) {
    return TimeRange{std::min(a, b), std::max(a, b)};
  };
  const std::int64_t ns = nsAt(std::max(at.x(), headerWidth()));
  switch (drag_) {
    case Drag::none:
      return;
    case Drag::area:
      selectArea(ordered(pressedNs_, ns), rowsBetween(pressedAt_.y(), at.y()));
      return;
    case Drag::areaBegin:
      selectArea(ordered(ns, window_.selection().endNs), areaRows_);
      break;
    case Drag::areaEnd:
      selectArea(ordered(window_.selection().beginNs, ns), areaRows_);
      break;
    case Drag::zoom:
      zoomRange_ = ordered(pressedNs_, ns);
      break;
    case Drag::measure:
      measured_ = ordered(pressedNs_, ns);
      emit measuredChanged();
      break;
    case Drag::pan: {
      const double perPixel = static_cast<double>(pressedWindow_.lengthNs()) / lanes().width();
      const auto by = static_cast<std::int64_t>(std::llround((pressedAt_.x() - at.x()) * perPixel));
      window_.setVisible({pressedWindow_.beginNs + by, pressedWindow_.endNs + by}, Move::pan);
      setScroll(pressedScroll_ + pressedAt_.y() - at.y());
      break;
    }
  }
  update();
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != button_) return;
  const Drag drag = std::exchange(drag_, Drag::none);
  button_ = Qt::NoButton;
  if (!moved_) {
    if (event->button() == Qt::RightButton) emit menuRequested(event->globalPosition().toPoint());
    if (event->button() == Qt::LeftButton) click(event->pos(), event->modifiers());
    return;
  }
  if (drag == Drag::zoom && zoomRange_) {
    const TimeRange range = *std::exchange(zoomRange_, std::nullopt);
    if (!range.empty()) window_.setVisible(range, Move::jump);
    update();
  }
}

void TimelineCanvas::takeKeys() {
  const QWidget* has = window()->focusWidget();
  if (!has || !has->testAttribute(Qt::WA_InputMethodEnabled)) setFocus(Qt::OtherFocusReason);
}

void TimelineCanvas::enterEvent(QEnterEvent*) { takeKeys(); }

void TimelineCanvas::leaveEvent(QEvent*) { pointer_.reset(); }

std::optional<TimelineCanvas::Selected> TimelineCanvas::spanAtPlace(QPoint at) const {
  const auto row = lanes().contains(at) ? rowAt(at.y()) : std::nullopt;
  const SpanRow* spans = row ? spansOf(*row) : nullptr;
  if (spans == nullptr) return std::nullopt;
  const auto slack = static_cast<std::int64_t>(2 * grid().nsPerColumn * ratio());
  // the middle of the pixel; of several spans in it, the longest
  const TimeRange pixel{nsAt(at.x()), std::max(nsAt(at.x() + 1), nsAt(at.x()) + 1)};
  const PixelFacts facts = factsOf(*spans, pixel);
  if (facts.spans > 0) return Selected{*row, facts.longest};
  const auto index = spanAt(*spans, pixel.beginNs, slack);
  return index ? std::optional(Selected{*row, *index}) : std::nullopt;
}

void TimelineCanvas::click(QPoint at, Qt::KeyboardModifiers modifiers) {
  if (at.x() < headerWidth() && at.y() >= rulerHeight()) {
    if (const auto row = rowAt(at.y())) {
      const RowEntry* entry = model_.find(*row);
      if (entry != nullptr && entry->firstOfRank && at.x() < headerWidth() / 2)
        model_.setCollapsed(row->rank, !model_.collapsed(row->rank));
      currentRow_ = row;
      update();
    }
    return;
  }
  if (at.y() < rulerHeight()) return;
  currentRow_ = rowAt(at.y());
  measured_.reset();
  const bool add = (modifiers & Qt::ControlModifier) != 0;
  const auto span = spanAtPlace(at);
  if (!add) {
    window_.select({});
    if (!span) selectSpan(std::nullopt);
  }
  if (span) selectSpan(span, add);
  update();
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto span = spanAtPlace(event->pos());
  const SpanRow* spans = span ? spansOf(span->row) : nullptr;
  if (spans == nullptr) return;
  selectSpan(span);
  window_.setVisible(fitted(TimeRange{spans->beginNs(span->index), spans->endNs(span->index)}), Move::jump);
}

std::set<RowId> TimelineCanvas::rowsBetween(int top, int bottom) const {
  if (top > bottom) std::swap(top, bottom);
  std::set<RowId> rows;
  for (const RowPlace& place : places_) {
    const double from = rulerHeight() - scroll_ + place.top / ratio();
    if (from <= bottom && from + place.height / ratio() > top) rows.insert(model_.rows()[place.entry].id);
  }
  return rows;
}

}  // namespace halo
