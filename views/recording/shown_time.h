#pragma once

#include <QString>

#include "engine/record/analysis/run_clock.h"

namespace halo {

/// How the times of a run are shown, as an axis and the pointer say it.
struct ShownTime {
  TimeClock clock = TimeClock::wall;
  double divisor = 1;   // recorded ns in one that is shown
  bool chosen = false;  // the run recorded both
  QString title;        // "modelled time"; empty: of a run that all times of the wall are told of
  QString note;         // a sentence: where the times come from, or why there are no others

  bool operator==(const ShownTime&) const = default;
};

/// `node`: the run has actors, some of which may be modelled.
ShownTime shownTime(const RunClock& clock, TimeClock wanted, bool node);
/// Back from kTimeClocks.
TimeClock clockNamed(std::string_view word);
/// "modelled time", "wall time".
QString clockText(TimeClock clock);

}  // namespace halo
