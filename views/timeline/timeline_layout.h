#pragma once

#include <QObject>
#include <QRect>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "views/spans/timeline_model.h"
#include "views/timeline/lane_order.h"
#include "views/timeline/timeline_lines.h"

namespace halo {

/// Only those that show in a view of `viewHeight` scrolled down by `scroll`, moved up by it.
std::vector<RowPlace> visiblePlaces(std::span<const RowPlace> places, int scroll, int viewHeight);
/// Index into `places` of the row at `y`, nothing in gaps and below.
std::optional<std::size_t> placeAt(std::span<const RowPlace> places, int y);

/// Where everything of the timeline stands: the ruler above, names of rows at the left, and the lanes. Lanes
/// are of one or several blocks below each other, on one axis of time. Knows models and sizes, and no widget.
/// Lengths are pixels of the widget unless they say otherwise.
class TimelineLayout : public QObject {
  Q_OBJECT
 public:
  static constexpr int kRankGap = 4;        // between the rows of two ranks
  static constexpr int kChangeHeight = 14;  // of the lane of what changes
  static constexpr int kBandHeight = 5;     // more for each band of it after the second, up to
  static constexpr int kMostBands = 8;
  static constexpr int kLowestRow = 4, kTallestRow = 80;
  static constexpr int kUsualRow = 20, kTallestFilling = 64;

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

  /// Time is counted from the begin of the first. They outlive the layout, or the next call. `fromTop`: their
  /// numbers as they stand below each other; empty: in order.
  void setBlocks(std::vector<const TimelineModel*> blocks, std::vector<std::size_t> fromTop = {});
  const std::vector<const TimelineModel*>& blocks() const { return blocks_; }
  /// The number of the topmost, from which changes are counted.
  std::size_t topmost() const { return fromTop_.empty() ? 0 : fromTop_.front(); }
  /// Moves no row by itself: placeAgain() follows where rows may stand elsewhere now.
  void setFrame(const Frame& frame) { frame_ = frame; }
  const Frame& frame() const { return frame_; }
  /// The rows of the blocks, or the room for them, are others now.
  void placeAgain();
  /// Changes whenever a row may stand elsewhere.
  std::uint64_t placing() const { return placing_; }
  void setOrder(LaneOrder order);
  /// In how many bands changes are shown: as many groups of ranks.
  void setChangeBands(int bands);
  LaneOrder order() const { return order_; }
  /// Whether the order makes a difference to what there is.
  bool differs(LaneOrder order) const;
  /// Ranks whose rows stay on top, however far the others are scrolled.
  void setPinned(std::set<LaneChoice> pinned);
  const std::set<LaneChoice>& pinned() const { return pinned_; }
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
  QRect lanes() const;                                // the part of the widget that holds spans
  int pinnedHeight() const { return pinnedHeight_; }  // device pixels, from the top of the lanes
  QRect scrolledLanes() const;                        // below those that stay on top
  bool isPinned(RowId row) const { return pinned_.contains({row.block, row.rank}); }

  PixelGrid grid() const;  // in device pixels
  double xOf(std::int64_t ns) const;
  std::int64_t nsAt(double x) const;

  const std::vector<RowPlace>& places() const { return places_; }  // of all rows, device pixels
  /// Those in view, from the top of the lanes; the pinned ones, which may cover part of the next, first.
  std::vector<RowPlace> visible() const;
  std::vector<RowPlace> visiblePinned() const;
  std::vector<RowPlace> visibleScrolled() const;
  /// Names of hosts, parts or layers, with their tops in the widget.
  std::vector<GroupPlace> groups() const;
  /// Top of a block's heading, of what changes and of what follows below, in the widget; may lie outside.
  /// What there is not has no height. In a mixed order the next heading follows below.
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
  RowBox boxOf(const RowPlace& place) const;  // one of places()
  /// Rows that have a part between two heights of the widget, in any order.
  std::set<RowId> rowsBetween(int top, int bottom) const;
  /// The span at a place of the lanes: of several in its pixel the longest, else one that is two pixels away.
  std::optional<SpanId> spanAt(QPoint place) const;

 signals:
  void changed();  // what rows there are, their height, the scroll
  void orderChanged();
  void pinsChanged();
  void shownChanged();

 private:
  const RowPlace* placeOf(RowId row) const;

  std::vector<const TimelineModel*> blocks_;
  std::vector<std::size_t> fromTop_;
  BlockHeads heads() const;  // device pixels
  BlockPlaces placed(int rowHeight) const;
  int fillingHeight() const;

  std::span<const RowPlace> pinnedPlaces() const { return std::span(places_).first(pinnedRows_); }
  std::span<const RowPlace> scrolledPlaces() const { return std::span(places_).subspan(pinnedRows_); }
  int topOf(const RowPlace& place) const;  // in the widget
  int yOf(int pixel) const;                // of what is scrolled

  LaneOrder order_ = LaneOrder::runs;
  std::set<LaneChoice> pinned_;
  std::vector<RowPlace> places_;  // pinned ones first
  std::size_t pinnedRows_ = 0;
  int pinnedHeight_ = 0;
  std::vector<int> headings_;  // tops, device pixels
  std::vector<GroupPlace> groups_;
  int height_ = 0;  // of all rows and headings, device pixels
  std::uint64_t placing_ = 0;
  Frame frame_;
  TimeRange shown_;
  int rowHeight_ = kUsualRow;
  bool filling_ = false;
  int bands_ = 1;
  int scroll_ = 0;
};

}  // namespace halo
