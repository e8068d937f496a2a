#pragma once

#include <QImage>
#include <QRegion>
#include <QWidget>
#include <optional>

#include "views/timeline/timeline_raster.h"

namespace halo {

/// Paints the lanes of all blocks. What does not change from frame to frame is kept as a picture. A whole
/// frame goes straight into the window's backing store where that is an image.
class TimelineLanes {
 public:
  /// `dirty`: what has to be painted, in pixels of `widget`, which `painter` paints.
  void paint(QPainter& painter, const QWidget& widget, const QRegion& dirty, const TimelineLayout& layout,
             const TimelineStyle& style);
  /// Every pixel of `picture` (Format_RGB32, as large as the lanes in device pixels).
  void draw(QImage& picture, const TimelineLayout& layout, const TimelineStyle& style);

 private:
  /// Rows in a picture of their own; `places` from its top.
  void drawBlocks(QImage& picture, const TimelineLayout& layout, std::vector<RowPlace> places,
                  const TimelineStyle& style);
  void drawMixed(QImage& picture, const TimelineLayout& layout, const std::vector<RowPlace>& places,
                 const TimelineStyle& style);
  /// All that a picture of the lanes depends on.
  struct Shown {
    std::vector<std::uint64_t> versions;  // of the blocks
    PixelGrid grid;
    int height = 0, scroll = 0, rowHeight = 0;
    std::uint64_t placing = 0;
    TimelineStyle style;
    bool operator==(const Shown&) const = default;
  };

  std::vector<TimelineRaster> rasters_;  // one a block
  QImage picture_;
  std::optional<Shown> pictured_;  // what picture_ shows
};

}  // namespace halo
