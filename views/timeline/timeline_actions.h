#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>
#include <span>

class QKeyEvent;

namespace halo {

/// Everything the timeline does by a key; each is also meant for a menu.
enum class TimelineAction {
  zoomIn,
  zoomOut,
  panLeft,
  panRight,
  laneUp,
  laneDown,
  fit,
  selectArea,
  clear,
  nextSpan,
  previousSpan,
  nextSame,
  previousSame,
  nextEpoch,
  previousEpoch,
  nextPhase,
  previousPhase,
  undoZoom,
  back,
  forward,
  up,
  home,
  follow,
  foldAll,
  openLink,
  foldEpochs,
  search,
  statistics,
  laneOrder,
  pin,
  arrows,
  clock
};

struct TimelineActionInfo {
  TimelineAction action;
  const char* text;          // as a menu says it
  QList<QKeySequence> keys;  // the first is the one shown
};

/// In the order of a menu.
std::span<const TimelineActionInfo> timelineActions();
/// The action of a key press, if it is one. The letters around W go by the place of the key, not by what is
/// printed on it.
const TimelineActionInfo* timelineActionOf(const QKeyEvent& event);

}  // namespace halo
