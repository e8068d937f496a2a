#pragma once

#include <vector>

#include "simulator/cluster/plans/scaling.h"
#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {

/// A plan from sums of each rank, for any number of ranks. Of methods that exchange halo rows, it has what
/// the method's predictor says of a pair, over all pairs. The rows of pairs are Poisson distributed. Of mop,
/// mop-partition and cagnet in one dimension, it has closed forms that equal their predictors' sums. Memory
/// and time: linear in ranks.
///
/// Throws InputError where the method refuses the run (mop with more workers than columns: use
/// mop-partition), or its messages depend on more than such figures.
Plan widePlan(const RunSettings& run, const std::vector<std::int64_t>& widths, const WideFigures& figures,
              std::int64_t epoch = 1);

/// Whether widePlan can do the run's method.
bool hasClosedForm(const RunSettings& run, int ranks);

}  // namespace halo::cluster
