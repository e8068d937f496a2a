#pragma once

#include <QObject>

#include "views/timeline/timeline_actions.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_selection.h"

namespace halo {

/// Carries out what keys and menus ask for. It moves the window, steps from span to span, lane to lane, epoch
/// to epoch, and keeps what is selected in view. All that it is made of outlives it.
class TimelineCommands : public QObject {
  Q_OBJECT
 public:
  TimelineCommands(TimelineBlocks& blocks, TimeWindow& window, TimelineLayout& layout,
                   TimelineSelection& selection, QObject* parent = nullptr);

  /// `anchorNs` keeps its place on the screen where the action zooms.
  void perform(TimelineAction action, std::int64_t anchorNs);
  /// Selects a span of a row that may not be listed, and brings both into view.
  void goTo(SpanId span);

 signals:
  void aroundWanted(halo::TimelineAction action);  // of what stands around the lanes

 private:
  void pan(double share);
  void step(std::optional<std::size_t> (*next)(const SpanRow&, std::size_t, int), int by);
  void selectFirstInView();
  void stepLane(int by);
  void foldAll();
  void openLink();
  void nextOrder();
  void pinLane();
  void stepEpoch(int by);
  void stepPhase(int by);
  void makeArea();
  void fitSelection();
  void show(TimeRange range);  // scrolls a range into the window

  TimelineBlocks& blocks_;
  TimeWindow& window_;
  TimelineLayout& layout_;
  TimelineSelection& selection_;
  bool centred_ = false;  // the last action was to centre the selection: the next fits it
};

}  // namespace halo
