#include "views/figure/range_brush.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/look/palette.h"

namespace halo {
namespace {

constexpr double kLeastDrag = 3;   // pixels: less is a click
constexpr double kLeastWidth = 2;  // of what is marked

}  // namespace

RangeBrush::RangeBrush(QWidget* figure) : QWidget(figure) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  setGeometry(figure->rect());
}

void RangeBrush::setRange(std::optional<FigureRange> range) {
  if (range == range_) return;
  range_ = range;
  update();
}

void RangeBrush::setPlot(const std::optional<Plot>& plot) {
  if (plot == plot_) return;
  plot_ = plot;
  if (!plot_) pressed_.reset(), dragged_.reset();
  update();
}

/// What is dragged now, else what other views show, in pixels; empty: nothing, or all there is.
QRectF RangeBrush::marked() const {
  const std::optional<FigureRange>& range = dragged_ ? dragged_ : range_;
  if (!plot_ || !range || (range->low <= plot_->x.low && range->high >= plot_->x.high)) return {};
  const QRectF& box = plot_->box;
  double left = std::clamp(plot_->x.at(range->low), box.left(), box.right());
  double right = std::clamp(plot_->x.at(range->high), box.left(), box.right());
  if (right - left < kLeastWidth) {
    left = std::clamp((left + right - kLeastWidth) / 2, box.left(), box.right() - kLeastWidth);
    right = left + kLeastWidth;
  }
  return {left, box.top(), right - left, box.height()};
}

void RangeBrush::paintEvent(QPaintEvent*) {
  const QRectF range = marked();
  if (range.isEmpty()) return;
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  QPainter painter(this);
  QColor shade = QColor::fromRgb(colors.background);
  shade.setAlpha(170);  // as in the timeline's overview
  painter.fillRect(QRectF(plot_->box.topLeft(), range.bottomLeft()), shade);
  painter.fillRect(QRectF(range.topRight(), plot_->box.bottomRight()), shade);
  painter.setPen(QPen(QColor::fromRgb(colors.accent), 2));
  painter.drawRect(range);
}

bool RangeBrush::eventFilter(QObject* watched, QEvent* event) {
  const auto* widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || !plot_) return false;
  const auto type = event->type();
  if (type != QEvent::MouseButtonPress && type != QEvent::MouseMove && type != QEvent::MouseButtonRelease &&
      type != QEvent::MouseButtonDblClick)
    return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  const QPointF at = widget->mapTo(parentWidget(), mouse->pos());
  if (type == QEvent::MouseMove) return drag(at.x());
  if (mouse->button() != Qt::LeftButton || (type != QEvent::MouseButtonRelease && !plot_->box.contains(at)))
    return false;
  if (type == QEvent::MouseButtonPress) return press(at.x());
  if (type == QEvent::MouseButtonRelease) return release();
  emit brushed({plot_->x.low, plot_->x.high});
  return true;
}

/// A click stays the figure's own.
bool RangeBrush::press(double x) {
  pressed_ = x;
  return false;
}

bool RangeBrush::drag(double x) {
  if (!pressed_ || (!dragged_ && std::abs(x - *pressed_) < kLeastDrag)) return false;
  const auto valueAt = [&](double place) {
    return plot_->x.valueAt(std::clamp(place, plot_->box.left(), plot_->box.right()));
  };
  dragged_ = {valueAt(std::min(x, *pressed_)), valueAt(std::max(x, *pressed_))};
  update();
  return true;
}

bool RangeBrush::release() {
  pressed_.reset();
  const std::optional<FigureRange> range = std::exchange(dragged_, std::nullopt);
  if (!range) return false;
  update();
  emit brushed(*range);
  return true;
}

}  // namespace halo
