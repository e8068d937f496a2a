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

/// The epochs that a method goes through again and again (EpochCycle), or that a run recorded: shown is their
/// mean, since none of them stands for the others.
struct PlanCycle {
  std::vector<PlanTurn> turns;     // one or more
  std::string bound;               // EpochCycle::bound
  std::vector<std::string> notes;  // of the epochs taken

  const Plan& first() const { return turns.front().plan; }
  std::int64_t epochs() const;
  /// Of all ranks, mean of the epochs.
  double bytesSent() const;
  double messagesSent() const;
};

}  // namespace halo::cluster
