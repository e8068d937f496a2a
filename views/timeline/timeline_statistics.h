#pragma once

#include <QSortFilterProxyModel>
#include <QTimer>
#include <QWidget>

#include "views/tally/duration_histogram.h"
#include "views/tally/span_groups_model.h"
#include "views/timeline/timeline_selection.h"

class QLabel;
class QTableView;

namespace halo {

/// Statistics by name and layer of the area that is selected, else of what is in view. They are of one run:
/// the topmost of the area, else the run that keys go from. A click on a row selects the next such span;
/// beside it stands how long they are. Counts while it is shown. What it is made of outlives it.
class TimelineStatistics : public QWidget {
  Q_OBJECT
 public:
  TimelineStatistics(const TimelineBlocks& blocks, const TimeWindow& window,
                     const TimelineSelection& selection, QWidget* parent = nullptr);

  /// All was counted.
  bool settled() const { return !next_.isActive(); }
  const SpanGroupsModel& model() const { return model_; }
  QTableView& table() { return *table_; }
  DurationHistogram& histogram() { return *histogram_; }
  QString text() const;  // what is counted

 signals:
  void spanWanted(halo::SpanId span);
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  /// What is counted.
  struct Scope {
    TimeRange range;
    std::int32_t block = 0;
    std::set<RowId> rows;  // of an area; empty: all
    bool operator==(const Scope&) const = default;
  };
  Scope scope() const;
  std::vector<RowEntry> rowsIn(const Scope& scope) const;
  void makeTable();
  void begin();
  void beginAgain();
  void takeScope();
  void readMore();
  void step(const QModelIndex& row);
  void showHistogram();

  const TimelineBlocks& blocks_;
  const TimeWindow& window_;
  const TimelineSelection& selection_;
  Scope counted_;
  SpanGrouping grouping_;
  QTimer next_;
  bool again_ = false;  // something changed since it began
  SpanGroupsModel model_;
  QSortFilterProxyModel sorted_;
  QLabel* words_;
  QTableView* table_;
  DurationHistogram* histogram_;
};

}  // namespace halo
