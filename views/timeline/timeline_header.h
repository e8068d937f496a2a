#pragma once

#include <QPixmap>
#include <optional>

#include "views/recording/lane_badges.h"
#include "views/spans/timeline_blocks.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

/// How wide the longest name of a rank and lane is in these letters.
int headerWidthFor(const QFont& font);

/// Paints the names of ranks and lanes left of the lanes. What does not change from frame to frame is kept as
/// a picture.
class TimelineHeader {
 public:
  /// `current`: the row that is marked; `badges`: of the first block.
  /// `blocks`: those of the layout, whose letters and colours stand where lanes of several mix.
  void paint(QPainter& painter, const TimelineLayout& layout, const TimelineBlocks& blocks,
             std::optional<RowId> current, const LaneBadges& badges, const TimelineStyle& style);

 private:
  /// All that a picture of the names depends on.
  struct Shown {
    std::vector<std::uint64_t> versions;  // of the blocks
    TimelineLayout::Frame frame;
    int scroll = 0, rowHeight = 0;
    std::uint64_t placing = 0;
    std::vector<int> blockColors;
    std::optional<RowId> current;
    LaneBadges badges;
    TimelineStyle style;
    bool operator==(const Shown&) const = default;
  };

  QPixmap picture_;
  std::optional<Shown> pictured_;  // what picture_ shows
};

}  // namespace halo
