#pragma once

#include <QObject>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/record/trace/span.h"

namespace halo {

/// [beginNs, endNs) on the run's clock.
struct TimeRange {
  std::int64_t beginNs = 0;
  std::int64_t endNs = 0;

  std::int64_t lengthNs() const { return endNs - beginNs; }
  bool empty() const { return endNs <= beginNs; }
  bool contains(const TimeRange& other) const { return beginNs <= other.beginNs && other.endNs <= endNs; }
  bool operator==(const TimeRange&) const = default;
};

/// What brought the window to a range. Moves of the same kind in a row make one entry of the history, a jump
/// one each.
enum class Move { jump, zoomIn, zoomOut, pan, follow };

/// The lanes of a rank, of the run at a place below each other in the timeline.
struct LaneChoice {
  std::int32_t block = 0;  // 0: the run that all views show
  std::int64_t rank = 0;
  auto operator<=>(const LaneChoice&) const = default;
};

/// What several views share of one run: visible time, selected area and span, chosen epoch and lane. Setters
/// emit only on change. The visible range always lies within the extent, except that it may be wider by a
/// margin of a half.
class TimeWindow : public QObject {
  Q_OBJECT
 public:
  static constexpr std::int64_t kShortestNs = 20;  // nothing is measured finer

  explicit TimeWindow(QObject* parent = nullptr) : QObject(parent) {}

  /// The whole run. Growing it never touches the history.
  void setExtent(TimeRange extent);
  TimeRange extent() const { return extent_; }
  /// How far there is something to see: spans come later than the epochs they belong to. Growing it moves the
  /// window along when it follows. Until it is set that is the whole run.
  void setNewest(std::int64_t ns);
  std::int64_t newestNs() const { return newest_.value_or(extent_.endNs); }

  void setVisible(TimeRange range, Move move = Move::jump);
  TimeRange visible() const { return visible_; }
  /// factor < 1 zooms in; `anchorNs` keeps its place on the screen.
  void zoom(double factor, std::int64_t anchorNs);
  void pan(std::int64_t byNs);

  // History of ranges, each with the epoch that was chosen as it came into view.
  bool canBack() const { return at_ > 0; }
  bool canForward() const { return at_ + 1 < history_.size(); }
  void back();
  void forward();
  void undoZoom();  // back to the last range of another length
  void up();        // to the nearest earlier range that holds this one, or four times as wide
  void home();      // the whole run

  /// Follow the newest: the window keeps its length and its end stays at newestNs(). Any other move ends it.
  void setFollowing(bool following);
  bool following() const { return following_; }

  /// Selected time, empty for none.
  void select(TimeRange range);
  TimeRange selection() const { return selection_; }
  /// The rank that keys of the timeline go from, and whose part others show.
  void chooseLane(std::optional<LaneChoice> lane);
  std::optional<LaneChoice> lane() const { return lane_; }
  void setEpoch(std::optional<std::int64_t> epoch);
  std::optional<std::int64_t> epoch() const { return epoch_; }
  /// `block`: of the runs below each other in the timeline, 0 being the one that all views show.
  void selectSpan(std::int64_t rank, std::optional<Span> span, std::int32_t block = 0);
  std::optional<Span> selectedSpan() const { return span_; }
  std::int64_t selectedRank() const { return spanRank_; }
  std::int32_t selectedBlock() const { return spanBlock_; }

  /// Another run: everything forgotten.
  void reset(TimeRange extent);

 signals:
  void visibleChanged(halo::TimeRange range);
  void extentChanged(halo::TimeRange extent);
  void selectionChanged(halo::TimeRange range);
  void laneChanged();
  void epochChanged();
  void spanChanged();
  void historyChanged();

 private:
  TimeRange fitted(TimeRange range) const;
  void show(TimeRange range);
  void showNewest();
  void remember(TimeRange range, Move move);
  void revisit(std::size_t entry);

  TimeRange extent_;
  std::optional<std::int64_t> newest_;
  TimeRange visible_;
  TimeRange selection_;
  struct Visited {
    TimeRange range;
    std::optional<std::int64_t> epoch;
  };
  std::vector<Visited> history_;
  std::size_t at_ = 0;
  Move lastMove_ = Move::jump;
  bool following_ = false;
  std::optional<LaneChoice> lane_;
  std::optional<std::int64_t> epoch_;
  std::optional<Span> span_;
  std::int64_t spanRank_ = -1;
  std::int32_t spanBlock_ = 0;
};

}  // namespace halo

Q_DECLARE_METATYPE(halo::TimeRange)
