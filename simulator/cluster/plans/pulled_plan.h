#pragma once

#include "simulator/cluster/plans/counted_plan.h"

namespace halo::cluster {

/// Iterations of a method that trains on mini-batches (MethodEntry::sampled): `draws` of the epoch, drawn as
/// a run draws them, each a turn. What they send is what the method's own predictor says of what was drawn.
///
/// Throws InputError where the method refuses the run or its batches, or the ranks are more than
/// kPairwiseRanks.
PlanCycle pulledCycle(const PlanRequest& request);

/// The same for more ranks, of vertices that ranks own by chance, in sums of each rank. Where batches are
/// asked of owners, a few of the ranks are drawn and stand for all (spread_traffic.h). Sets that all ranks
/// draw are drawn for up to kMostSetRanks.
///
/// Time: of so many batches as kDrawnRanks times `draws`, and linear in ranks.
PlanCycle expectedPulls(const PlanRequest& request);

inline constexpr int kDrawnRanks = 64;
/// A set's rows are counted pair by pair: 16 bytes a pair.
inline constexpr int kMostSetRanks = 4096;

}  // namespace halo::cluster
