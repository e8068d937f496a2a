#pragma once

#include <QImage>
#include <QString>
#include <vector>

#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

/// How much more of each column of pixels the ranks of `other` compute and quantise than those of `first`, −1
/// to 1. It is the difference of means over the main lanes of each. NaN where one of them has no spans.
std::vector<float> changeOf(const TimelineModel& first, const TimelineModel& other, const PixelGrid& grid);

/// Paints what changes from the topmost run, between heading and rows of each run below. A run is blue where
/// it is at work less, orange where more. Pictures are kept from frame to frame.
class TimelineChange {
 public:
  void paint(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style);

 private:
  struct Shown {
    std::uint64_t first = 0, other = 0;  // versions
    PixelGrid grid;
    TimelineStyle style;
    bool operator==(const Shown&) const = default;
  };
  struct Kept {
    Shown shown;
    QImage line;  // a pixel high
  };

  std::vector<Kept> kept_;  // of each block; the topmost has none
};

/// What a pointer there is told; empty elsewhere.
QString changeTooltip(const TimelineLayout& layout, QPoint at);

}  // namespace halo
