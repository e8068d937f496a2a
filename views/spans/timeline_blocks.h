#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// A run of the timeline, and what stands above its rows where there are several.
struct TimelineBlock {
  TimelineModel* model = nullptr;
  QString name;           // with the letter of its chip
  QString note;           // where it stands on the axis, or why it cannot be shown
  int color = 0;          // of its chip, see seriesColor()
  bool modelled = false;  // simulated or replayed
  bool replays = false;   // below the first: its run trained
  std::size_t place = 0;  // among the chips, whose order the timeline has
};

/// The runs that the timeline shows below each other on one axis of time, that of the first, which need not
/// be the topmost. The times of the others were moved onto it when they were read. Rows of all of them are
/// told apart by RowId::block. Models outlive it.
class TimelineBlocks : public QObject {
  Q_OBJECT
 public:
  /// A lone run, without a heading.
  explicit TimelineBlocks(TimelineModel& first, QObject* parent = nullptr);

  const std::vector<TimelineBlock>& all() const { return blocks_; }
  bool several() const { return blocks_.size() > 1; }
  TimelineModel& first() { return *blocks_.front().model; }
  const TimelineModel& first() const { return *blocks_.front().model; }
  /// Their numbers as they stand below each other: in the order of their chips.
  std::vector<std::size_t> fromTop() const;
  /// Of those that `rows` are of, the number of the topmost; 0 without rows.
  std::int32_t topmostOf(const std::set<RowId>& rows) const;
  /// What the first one's heading says, and the others; empty `others`: none.
  void set(TimelineBlock first, std::vector<TimelineBlock> others);

  /// Lists the rows of all by the layers of their spans, those of runs that are set later too.
  void setByLayer(bool byLayer);
  /// No span is still to be copied to the row of its layer.
  bool settled() const;

  /// The run that a row is of; the first where it is of none.
  TimelineModel& modelOf(RowId row) const;
  /// Null where the row is not listed.
  const RowEntry* find(RowId row) const { return modelOf(row).find(row); }
  /// Listed rows of all, block by block.
  std::vector<RowEntry> rows() const;
  /// Those that are not listed too, see TimelineModel::everyRow().
  std::vector<RowEntry> everyRow() const;
  /// Of every one, all ranks.
  bool allCollapsed() const;
  /// What the spans of any wait for, in the order of their numbers.
  std::vector<Name> waits() const;
  /// From the first begin to the last end of any.
  TimeRange extent() const;

 signals:
  void rowsChanged();  // which blocks and rows there are
  void spansChanged();
  void epochsChanged();
  void timeChanged();
  void extentChanged(halo::TimeRange extent);

 private:
  void follow(TimelineModel& model);

  std::vector<TimelineBlock> blocks_;
  bool byLayer_ = false;
};

}  // namespace halo
