#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/cluster/engines/projection.h"
#include "simulator/cluster/engines/result.h"
#include "simulator/cluster/plans/plan_cycle.h"

namespace halo::cluster {

/// Each turn by itself, in its steady state, and the mean of what they take; volumes rounded; lanes of the
/// first turn.
ClusterResult simulateCycle(const PlanCycle& cycle, const Machine& machine, const Engine& engine,
                            const SimulateOptions& options = {});

std::vector<Sensitivity> sensitivity(const PlanCycle& cycle, const Machine& machine, const Engine& engine,
                                     const SimulateOptions& options, double factor);

}  // namespace halo::cluster
