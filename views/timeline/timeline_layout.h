#pragma once

#include <QObject>
#include <QRect>
#include <optional>
#include <set>
#include <vector>

#include "views/spans/timeline_model.h"
#include "views/timeline/timeline_lines.h"

namespace halo {

/// Where a row stands in a picture, in device pixels; may lie partly outside.
struct RowPlace {
  std::size_t entry = 0;  // of the block's TimelineModel::rows()
  int top = 0, height = 0;
  std::size_t block = 0;
};

/// Heights of the rows from the top, in whatever unit `height` has: main lanes `height`, links and phases
/// three fifths of it, and a gap above each rank.
std::vector<RowPlace> placeRows(const std::vector<RowEntry>& rows, int height, int gap);
/// The rows of several blocks, and where each block's heading begins.
struct BlockPlaces {
  std::vector<RowPlace> rows;
  std::vector<int> headings;  // tops
  int height = 0;             // of all
};
/// What stands above the rows of a block, where there are several.
struct BlockHeads {
  int heading = 0;
  int change = 0;  // below the heading of each but the first: the lane of what changes from that one
};
/// Each block below the one before it.
BlockPlaces placeBlocks(const std::vector<const TimelineModel*>& blocks, int height, int gap,
                        BlockHeads heads);
/// Only those that show in a view of `viewHeight` scrolled down by `scroll`, moved up by it.
std::vector<RowPlace> visiblePlaces(const std::vector<RowPlace>& places, int scroll, int viewHeight);
/// Index into `places` of the row at `y`, nothing in gaps and below.
std::optional<std::size_t> placeAt(const std::vector<RowPlace>& places, int y);

/// Where everything of the timeline stands: the ruler above, names of rows at the left, and the lanes of one
/// or several blocks below each other, on one axis of time. Knows models and sizes, and no widget. Lengths
/// are pixels of the widget unless they say otherwise.
class TimelineLayout : public QObject {
  Q_OBJECT
 public:
  static constexpr int kRankGap = 4;        // between the rows of two ranks
  static constexpr int kChangeHeight = 14;  // of the lane of what changes
  static constexpr int kLowestRow = 4, kTallestRow = 80;
  static constexpr int kUsualRow = 20, kTallestFilling = 40;

  /// The widget, and what its letters take of it.
  struct Frame {
    QSize size;
    int headerWidth = 0;    // names of rows, left of the lanes
    int rulerHeight = 0;    // above them
    double ratio = 1;       // device pixels a pixel
    int headingHeight = 0;  // above each block where there are several
    bool operator==(const Frame&) const = default;
  };

  using QObject::QObject;

  /// From the top; time is counted from the begin of the first. They outlive the layout, or the next call.
  void setBlocks(std::vector<const TimelineModel*> blocks);
  const std::vector<const TimelineModel*>& blocks() const { return blocks_; }
  /// Moves no row by itself: placeAgain() follows where rows may stand elsewhere now.
  void setFrame(const Frame& frame) { frame_ = frame; }
  const Frame& frame() const { return frame_; }
  /// The rows of the blocks, or the room for them, are others now.
  void placeAgain();
  /// From then on rows keep it.
  void setRowHeight(int pixels);
  int rowHeight() const { return rowHeight_; }
  /// Until a height is set, few rows grow to fill the view.
  void setFilling(bool filling);
  /// The time that is drawn.
  void setShown(TimeRange range);
  TimeRange shown() const { return shown_; }

  void setScroll(int y);
  int scroll() const { return scroll_; }
  /// Scrolls until the row is in view.
  void reveal(RowId row);
  int contentHeight() const;  // of all rows
  int viewHeight() const { return frame_.size.height() - frame_.rulerHeight; }
  QRect lanes() const;  // the part of the widget that holds spans

  PixelGrid grid() const;  // in device pixels
  double xOf(std::int64_t ns) const;
  std::int64_t nsAt(double x) const;

  const std::vector<RowPlace>& places() const { return places_; }  // of all rows, device pixels
  /// Those in view, from the top of the lanes.
  std::vector<RowPlace> visible() const;
  /// Top of a block's heading, of what changes and of what follows below, in the widget; may lie outside.
  /// What there is not has no height.
  struct BlockBox {
    int top = 0, change = 0, rows = 0, bottom = 0;
  };
  BlockBox blockBox(std::size_t block) const;
  const TimelineModel& modelOf(const RowPlace& place) const { return *blocks_[place.block]; }
  const RowEntry& entryOf(const RowPlace& place) const { return modelOf(place).rows()[place.entry]; }
  /// The row at a height of the widget; nothing above the lanes, in gaps and below.
  const RowPlace* placeAt(int y) const;
  std::optional<RowId> rowAt(int y) const;
  /// Top and height of a row in the widget; may lie outside.
  struct RowBox {
    int top = 0, height = 0;
  };
  std::optional<RowBox> boxOf(RowId row) const;
  /// Rows that have a part between two heights of the widget, in any order.
  std::set<RowId> rowsBetween(int top, int bottom) const;
  /// The span at a place of the lanes: of several in its pixel the longest, else one that is two pixels away.
  std::optional<SpanId> spanAt(QPoint place) const;

 signals:
  void changed();  // what rows there are, their height, the scroll
  void shownChanged();

 private:
  const RowPlace* placeOf(RowId row) const;

  std::vector<const TimelineModel*> blocks_;
  BlockHeads heads() const;  // device pixels
  BlockPlaces placed(int rowHeight) const;
  int fillingHeight() const;

  std::vector<RowPlace> places_;
  std::vector<int> headings_;  // tops, device pixels
  int height_ = 0;             // of all rows and headings, device pixels
  Frame frame_;
  TimeRange shown_;
  int rowHeight_ = kUsualRow;
  bool filling_ = false;
  int scroll_ = 0;
};

}  // namespace halo
