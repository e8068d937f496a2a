#pragma once

#include <QVariantAnimation>

#include "views/timeline/timeline_layout.h"

namespace halo {

/// Takes the time that the layout shows to where the window has gone: at once, or over 120 ms.
class TimelineMotion : public QObject {
 public:
  /// `layout` outlives it.
  explicit TimelineMotion(TimelineLayout& layout, QObject* parent = nullptr);
  /// Slowly, unless the target lies beside what is shown.
  void glideTo(TimeRange target);
  void jumpTo(TimeRange target);

 private:
  TimelineLayout& layout_;
  QVariantAnimation motion_;
  TimeRange from_, target_;
};

}  // namespace halo
