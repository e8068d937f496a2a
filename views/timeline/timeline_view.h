#pragma once

#include <QScrollBar>
#include <QWidget>

#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_fold.h"
#include "views/timeline/timeline_legend.h"
#include "views/timeline/timeline_overview.h"
#include "views/timeline/timeline_search.h"
#include "views/timeline/timeline_statistics.h"

class QMenu;
class QToolButton;

namespace halo {

/// The timeline of a run, with others below it where they are compared. It has an overview strip, ruler and
/// lanes with their scroll bar, and a legend with the statistics of the selection. Keeps `window`'s extent at
/// that of the blocks. Models and `window` outlive it.
class TimelineView : public QWidget {
  Q_OBJECT
 public:
  TimelineView(TimelineModel& model, TimeWindow& window, QWidget* parent = nullptr);

  /// The runs below the first, from the top; empty: it stands alone, without a heading.
  void setOthers(const TimelineBlock& first, std::vector<TimelineBlock> others);

  TimelineCanvas& canvas() { return *canvas_; }
  TimelineOverview& overview() { return *overview_; }
  TimelineLegend& legend() { return *legend_; }
  TimelineFold& fold() { return *fold_; }
  TimelineSearch& search() { return *search_; }
  TimelineStatistics& statistics() { return *statistics_; }
  /// Which time the first run is shown in, and where it has both, the way to the other; hidden without.
  QToolButton& clock() { return *clock_; }
  /// Epochs laid over each other in the place of the lanes, or these again.
  void setFolded(bool folded);
  bool isFolded() const { return !fold_->isHidden(); }
  /// The context menu of a place of the canvas, or without one of what is selected; the caller's. A span
  /// there becomes the selected one.
  QMenu* makeMenu(std::optional<QPoint> place);

 signals:
  void spanSelected(qint64 rank, const halo::Span& span);
  void areaSelected(qint64 beginNs, qint64 endNs, const std::set<halo::RowId>& rows);
  void epochsChanged();                     // of any run
  void clockWanted(halo::TimeClock clock);  // the other than is shown now
  void arrowsWanted(bool shown);            // of messages, see TimelineCanvas::setArrows()

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void follow();
  void showAround(TimelineAction action);
  void takeExtent();
  void updateLayout();
  void updateClock();
  void askClock();
  void updateStatistics();
  void describe();
  void unfold(std::int32_t block, std::int64_t epoch);

  TimelineBlocks blocks_;
  TimeWindow& window_;
  TimelineOverview* overview_;
  TimelineCanvas* canvas_;
  QScrollBar* bar_;
  TimelineLegend* legend_;
  TimelineFold* fold_;
  TimelineSearch* search_;
  TimelineStatistics* statistics_;
  QToolButton* clock_;  // left of the ruler
};

}  // namespace halo
