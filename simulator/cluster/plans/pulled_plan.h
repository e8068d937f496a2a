#pragma once

#include "simulator/cluster/plans/counted_plan.h"

namespace halo::cluster {

/// Iterations of a method that trains on mini-batches (MethodEntry::sampled): `draws` of the epoch, drawn as
/// a run draws them, each a turn. What they send is what the method's own predictor says of what was drawn.
///
/// Throws InputError where the method refuses the run or its batches, or the ranks are more than
/// kPairwiseRanks.
PlanCycle pulledCycle(const PlanRequest& request);

}  // namespace halo::cluster
