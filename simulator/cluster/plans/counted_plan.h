#pragma once

#include <functional>
#include <span>
#include <vector>

#include "datasets/graph/csr.h"
#include "simulator/cluster/plans/plan.h"
#include "simulator/cluster/plans/plan_cycle.h"
#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {

/// A run on a graph that is at hand.
struct PlanRequest {
  const Csr& arcs;                   // row v: in-neighbours, no self loops
  const Csr& propagation;            // of the model's kind
  const RunSettings& run;            // method, its parameters, model
  std::vector<std::int64_t> widths;  // d_0 … d_L
  int ranks = 1;
  std::int64_t epoch = 1;  // of countedPlan and summedPlan; 0: with what is sent once
  /// What the run's partitioner gives; not asked for one part.
  std::function<Owners(int parts)> partition;
  std::int64_t ranksPerNode = 1;      // summed: what stays within nodes of so many is kept apart
  std::span<const Split> split = {};  // by vertex, of methods that train on mini-batches
  std::int64_t draws = 8;             // iterations that are drawn of these
};

/// The plan of the method's own placement, rows and predictor, message by message. Its bytes equal those of
/// engine/methods' predictors, which equal the counters of a run. Up to kPairwiseRanks ranks.
/// Throws InputError where the method refuses the run, or the ranks are too many.
Plan countedPlan(const PlanRequest& request);

/// The method's period, epoch by epoch.
PlanCycle countedCycle(const PlanRequest& request);

/// The same as countedPlan from sums of each rank only, for any number of ranks. What each pair of ranks
/// exchanges is asked of the method's predictor with two ranks. So the method's messages must depend on
/// nothing but the pair's halo rows (MethodStyle::pairsAlone), or have closed forms (widePlan).
Plan summedPlan(const PlanRequest& request);

}  // namespace halo::cluster
