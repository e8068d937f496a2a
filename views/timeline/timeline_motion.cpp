#include "views/timeline/timeline_motion.h"

#include <cmath>

namespace halo {
namespace {

constexpr int kMotionMs = 120;

std::int64_t between(std::int64_t a, std::int64_t b, double share) {
  return a + static_cast<std::int64_t>(std::llround(share * static_cast<double>(b - a)));
}

}  // namespace

TimelineMotion::TimelineMotion(TimelineLayout& layout, QObject* parent) : QObject(parent), layout_(layout) {
  motion_.setDuration(kMotionMs);
  motion_.setEasingCurve(QEasingCurve::OutCubic);
  motion_.setStartValue(0.0);
  motion_.setEndValue(1.0);
  connect(&motion_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
    const double progress = value.toDouble();
    layout_.setShown(progress >= 1 ? target_
                                   : TimeRange{between(from_.beginNs, target_.beginNs, progress),
                                               between(from_.endNs, target_.endNs, progress)});
  });
}

void TimelineMotion::glideTo(TimeRange target) {
  const TimeRange visibleRange = layout_.shown();
  if (visibleRange.empty() || target.beginNs > visibleRange.endNs || target.endNs < visibleRange.beginNs)
    return jumpTo(target);
  motion_.stop();
  from_ = visibleRange;
  target_ = target;
  motion_.start();
}

void TimelineMotion::jumpTo(TimeRange target) {
  motion_.stop();
  layout_.setShown(target);
}

}  // namespace halo
