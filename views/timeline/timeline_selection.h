#pragma once

#include <QObject>
#include <optional>
#include <set>
#include <vector>

#include "views/recording/time_window.h"
#include "views/spans/timeline_blocks.h"
#include "views/timeline/timeline_layout.h"

namespace halo {

/// What is selected in the timeline: spans, the rows of an area, the row that keys go from. Also what is
/// measured, and what a zoom that is being drawn would show. The area's time and the current span stand in
/// the TimeWindow, for all views; this follows it and sets it. `blocks` and `window` outlive it.
class TimelineSelection : public QObject {
  Q_OBJECT
 public:
  TimelineSelection(const TimelineBlocks& blocks, TimeWindow& window, QObject* parent = nullptr);

  const std::vector<SpanId>& spans() const { return spans_; }  // the last is the current one
  std::optional<SpanId> current() const;
  /// Nothing, or a span that is not there any more: none. `add`: those selected before stay so.
  void selectSpan(std::optional<SpanId> span, bool add = false);
  /// Several at once, told of once; not empty, the last becomes the current one.
  void selectSpans(std::vector<SpanId> spans);
  /// An empty range: no area.
  void selectArea(TimeRange range, std::set<RowId> rows);
  const std::set<RowId>& areaRows() const { return areaRows_; }
  /// From the first begin to the last end of the selected spans, or the area.
  std::optional<TimeRange> range() const;

  /// The row that keys go from.
  std::optional<RowId> currentRow() const { return currentRow_; }
  void setCurrentRow(std::optional<RowId> row);
  /// The first listed row of the rank that another view chose, if it is not one of its rows already.
  void followLane();
  /// By the ruler.
  std::optional<TimeRange> measured() const { return measured_; }
  void setMeasured(std::optional<TimeRange> range);
  /// While one is being drawn.
  std::optional<TimeRange> zoomRange() const { return zoomRange_; }
  void setZoomRange(std::optional<TimeRange> range);

  /// Takes back what was selected last: what is measured, the area, all spans but the current one, that one.
  void clearStep();

  /// What to select again where rows were divided otherwise: the same spans, and the lanes of the area.
  struct Kept {
    struct ChosenSpan {
      std::int32_t block = 0;
      std::int64_t rank = 0;
      Span span;
    };
    std::vector<ChosenSpan> spans;
    std::set<RowId> areaRows;
  };
  Kept kept() const;
  void restore(const Kept& kept);

  /// Forgets what is selected of the runs below the first: others stand there now.
  void forgetOthers();

  /// The spans of a row that is read; else null.
  const SpanRow* spansOf(RowId row) const;

 signals:
  void changed();  // anything above
  void spanSelected(qint64 rank, const halo::Span& span);
  void areaSelected(qint64 beginNs, qint64 endNs, const std::set<halo::RowId>& rows);
  void measuredChanged();
  void laneFollowed(halo::RowId row);  // another view chose its rank

 private:
  void dropGone();

  const TimelineBlocks& blocks_;
  TimeWindow& window_;
  std::vector<SpanId> spans_;
  std::set<RowId> areaRows_;
  std::optional<RowId> currentRow_;
  std::optional<TimeRange> measured_;
  std::optional<TimeRange> zoomRange_;
};

}  // namespace halo
