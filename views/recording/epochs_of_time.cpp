#include "views/recording/epochs_of_time.h"

#include <algorithm>

namespace halo {

Scope epochsOfTime(std::span<const EpochRow> epochs, TimeRange time) {
  Scope inside, touched;
  const auto take = [](Scope& scope, std::int64_t epoch) {
    scope.first = std::min(scope.first.value_or(epoch), epoch);
    scope.last = std::max(scope.last.value_or(epoch), epoch);
  };
  for (const EpochRow& row : epochs) {
    const TimeRange own{row.beginNs, row.beginNs + row.wallNs};
    if (time.contains(own)) take(inside, row.epoch);
    if (own.beginNs < time.endNs && own.endNs > time.beginNs) take(touched, row.epoch);
  }
  return inside.first ? inside : touched;
}

}  // namespace halo
