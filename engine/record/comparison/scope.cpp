#include "engine/record/comparison/scope.h"

#include <limits>

namespace halo {

namespace {

bool warmsUp(std::span<const EpochRow> epochs, const EpochRow& row, const Scope& scope) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  return &row == &epochs.front() && epochs.size() > 1 && scope.first.value_or(kNever) > row.epoch;
}

}  // namespace

std::vector<EpochRow> epochsIn(std::span<const EpochRow> epochs, const Scope& scope) {
  std::vector<EpochRow> chosen;
  for (const EpochRow& row : epochs)
    if (isWithin(scope, row.epoch) && !warmsUp(epochs, row, scope) && !row.filling) chosen.push_back(row);
  return chosen;
}

LeftOut leftOut(std::span<const EpochRow> epochs, const Scope& scope) {
  LeftOut left;
  for (const EpochRow& row : epochs) {
    if (!isWithin(scope, row.epoch)) continue;
    if (warmsUp(epochs, row, scope))
      ++left.firsts;
    else if (row.filling)
      ++left.filling;
  }
  return left;
}

}  // namespace halo
