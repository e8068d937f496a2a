#pragma once

#include <QWidget>

#include "views/recording/lane_notes.h"
#include "views/recording/node_marks.h"
#include "views/spans/span_choice.h"
#include "views/timeline/timeline_arrows.h"
#include "views/timeline/timeline_change.h"
#include "views/timeline/timeline_header.h"
#include "views/timeline/timeline_input.h"
#include "views/timeline/timeline_lanes.h"
#include "views/timeline/timeline_selection.h"

namespace halo {

/// Ruler, lane names and lanes: one widget as large as what is visible, however many lanes there are. It
/// joins what stands where (layout), what is selected, what mouse and keys do (input) and the painters. A
/// change of any of them is painted. Reads `blocks`, reads and moves `window`; both outlive it.
class TimelineCanvas : public QWidget {
  Q_OBJECT
 public:
  TimelineCanvas(TimelineBlocks& blocks, TimeWindow& window, QWidget* parent = nullptr);

  void perform(TimelineAction action) { input_.perform(action); }
  /// Selects a span and brings it into view, whether its row is listed or not.
  void goTo(SpanId span) { input_.goTo(span); }
  /// Keys belong to what is pointed at or has just come into view, unless somebody is typing.
  void takeKeys();
  /// true: the plain wheel zooms and Ctrl+wheel scrolls, as users of some other tools expect.
  void setWheelZooms(bool zooms) { input_.setWheelZooms(zooms); }
  /// Zooms move over 120 ms unless switched off.
  void setAnimated(bool animated) { animated_ = animated; }

  /// What is drawn of messages over the lanes.
  void setArrows(TimelineArrows arrows);
  const TimelineArrows& arrows() const { return arrows_; }
  /// Of the selected wait; empty: none.
  void setChain(WaitChain chain);
  const WaitChain& chain() const { return chain_; }
  /// Goes to the longest wait of such a kind, in the first of the runs from the top that has one. False: none
  /// has.
  bool goToWait(Name reason, std::int32_t peer, std::int16_t layer);
  /// Selects the chosen spans of a run and shows them all. False: there are none.
  bool goToSpans(std::int32_t block, const SpanChoice& choice);
  /// By block: which of its ranks are held against which of the topmost run, where they are not equally many.
  void setRankMaps(RankMaps maps);
  /// What is drawn over the lanes of a node's actors.
  void setNodeMarks(NodeMarks marks);
  const NodeMarks& nodeMarks() const { return node_; }
  void setNotes(std::vector<LaneNote> notes);
  const std::vector<LaneNote>& notes() const { return notes_; }
  /// Signs beside the names of ranks of the first block.
  void setBadges(LaneBadges badges);
  const LaneBadges& badges() const { return badges_; }

  TimelineSelection& selection() { return selection_; }
  const TimelineSelection& selection() const { return selection_; }
  const TimelineLayout& places() const { return layout_; }

  int scroll() const { return layout_.scroll(); }
  void setScroll(int y) { layout_.setScroll(y); }
  int contentHeight() const { return layout_.contentHeight(); }
  int viewHeight() const { return layout_.viewHeight(); }
  int rowHeight() const { return layout_.rowHeight(); }
  void setRowHeight(int pixels) { layout_.setRowHeight(pixels); }
  void setOrder(LaneOrder order) { layout_.setOrder(order); }
  void setPinned(std::set<LaneChoice> pinned) { layout_.setPinned(std::move(pinned)); }
  QRect lanes() const { return layout_.lanes(); }
  int headerWidth() const { return layout_.frame().headerWidth; }
  int rulerHeight() const { return layout_.frame().rulerHeight; }
  double xOf(std::int64_t ns) const { return layout_.xOf(ns); }
  std::int64_t nsAt(double x) const { return layout_.nsAt(x); }
  std::optional<RowId> rowAt(int y) const { return layout_.rowAt(y); }
  /// What the tooltip says at a place; empty where there is nothing.
  QString tooltipAt(QPoint place) const;

 signals:
  void menuRequested(QPoint global);
  void aroundWanted(halo::TimelineAction action);  // of what stands around the lanes
  void layoutChanged();                            // content height or scroll
  void orderChanged();                             // of lanes, see places()
  void pinsChanged();
  void nodeMarksChanged();
  void noteWanted(halo::LaneChoice lane, qint64 ns);  // somebody wants to write one
  void noteUnwanted(const halo::LaneNote& note);      // to take it away
  void whatIfWanted(std::int32_t block);              // of its run, from the selected span
  void framePainted(qint64 ns);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void measure();
  void placeAgain();
  void takeBlocks();
  void takeOrder();
  void moveShown(TimeRange target);
  TimelineStyle timelineStyle() const;
  void paintEmpty(QPainter& painter);

  TimelineBlocks& blocks_;
  const TimeWindow& window_;
  TimelineLayout layout_;
  TimelineSelection selection_;
  TimelineMotion motion_;
  TimelineInput input_;
  TimelineLanes lanes_;
  TimelineHeader header_;
  TimelineChange change_;
  RankMaps rankMaps_;
  TimelineArrows arrows_;
  WaitChain chain_;
  NodeMarks node_;
  LaneBadges badges_;
  std::vector<LaneNote> notes_;
  bool animated_ = true;
};

}  // namespace halo
