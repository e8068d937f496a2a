#include "views/recording/shown_time.h"

namespace halo {

QString clockText(TimeClock clock) {
  return clock == TimeClock::modelled ? QStringLiteral("modelled time") : QStringLiteral("wall time");
}

TimeClock clockNamed(std::string_view word) {
  return word == kTimeClocks[0] ? TimeClock::modelled : TimeClock::wall;
}

ShownTime shownTime(const RunClock& clock, TimeClock wanted, bool node) {
  ShownTime time{clock.shown(wanted), clock.divisor(wanted), clock.hasBoth(), {}, {}};
  if (!node && !clock.hasBoth()) return time;
  time.title = clockText(time.clock);
  if (!clock.hasModelled)
    time.note = QStringLiteral("Wall time alone: no device of this run is modelled.");
  else if (!clock.hasWall)
    time.note = QStringLiteral("Modelled time alone: on a virtual clock no wall time is recorded.");
  else if (time.clock == TimeClock::modelled)
    time.note = QStringLiteral("Modelled time: the wall time that was recorded, divided by the dilation %1.")
                    .arg(clock.dilation);
  else
    time.note = QStringLiteral("Wall time as recorded: %1 times the modelled time, by the dilation.")
                    .arg(clock.dilation);
  return time;
}

}  // namespace halo
