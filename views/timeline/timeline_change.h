#pragma once

#include <QImage>
#include <QString>
#include <map>
#include <vector>

#include "engine/record/comparison/rank_map.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

/// Of blocks whose ranks are not as many as those of the topmost one, which are held against each other.
using RankMaps = std::map<std::int32_t, RankMap>;

/// How much more of each column of pixels the ranks of `other` compute and quantise than those of `first`, −1
/// to 1. It is the difference of means over the main lanes of each. NaN where one of them has no spans.
std::vector<float> changeOf(const TimelineModel& first, const TimelineModel& other, const PixelGrid& grid);
/// The same of the ranks of a group.
std::vector<float> changeOf(const TimelineModel& first, const TimelineModel& other, const PixelGrid& grid,
                            const RankGroup& ranks);

/// Paints what changes from the topmost run, between heading and rows of each run below. A run is blue where
/// it is at work less, orange where more. Where ranks are not equally many, each group of them has a band.
/// Pictures are kept from frame to frame.
class TimelineChange {
 public:
  void paint(QPainter& painter, const TimelineLayout& layout, const RankMaps& maps,
             const TimelineStyle& style);

 private:
  struct Shown {
    std::uint64_t first = 0, other = 0;  // versions
    PixelGrid grid;
    TimelineStyle style;
    std::vector<RankGroup> groups;
    bool operator==(const Shown&) const = default;
  };
  struct Kept {
    Shown shown;
    QImage lines;  // a pixel high each band
  };

  std::vector<Kept> kept_;  // of each block; the topmost has none
};

/// What a pointer there is told; empty elsewhere.
QString changeTooltip(const TimelineLayout& layout, const RankMaps& maps, QPoint at);

}  // namespace halo
