#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// One epoch of a period, and how many of the period are like it.
struct PlanTurn {
  Plan plan;
  std::int64_t count = 1;
};

/// The epochs that a method goes through again and again (EpochCycle), or that a run recorded. Their mean is
/// shown, since none of them stands for the others.
struct PlanCycle {
  std::vector<PlanTurn> turns;     // one or more
  std::string bound;               // EpochCycle::bound
  std::vector<std::string> notes;  // of the epochs taken
  /// Of a method that trains on mini-batches: turns are iterations that were drawn, and an epoch is so many
  /// times their mean. 0: turns are epochs.
  std::int64_t iterations = 0;
  std::int64_t drawn = 0;  // iterations that the turns are of; each has two where the first is unlike others

  const Plan& first() const { return turns.front().plan; }
  /// Of a period; where turns are iterations, those drawn.
  std::int64_t epochs() const;
  /// What the mean of the turns is multiplied with to get an epoch.
  double scale() const { return iterations > 0 ? static_cast<double>(iterations) : 1; }
  /// Of all ranks in an epoch, mean of the period.
  double bytesSent() const;
  double messagesSent() const;
};

}  // namespace halo::cluster
