#include "engine/record/comparison/scope.h"

#include <limits>

namespace halo {

std::vector<EpochRow> epochsIn(std::span<const EpochRow> epochs, const Scope& scope) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::vector<EpochRow> chosen;
  for (const EpochRow& row : epochs) {
    const bool warmsUp =
        &row == &epochs.front() && epochs.size() > 1 && scope.first.value_or(kNever) > row.epoch;
    if (isWithin(scope, row.epoch) && !warmsUp && !row.filling) chosen.push_back(row);
  }
  return chosen;
}

}  // namespace halo
