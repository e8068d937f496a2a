#pragma once

#include "simulator/cluster/plans/plan.h"
#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {

/// Sets what each rank keeps. What it keeps of rows, by what for, is as after some epochs and an evaluation.
/// It is the input, activations and sums of full-graph training in closed form, and what the method's own
/// file says it keeps besides (MethodEntry::memory). Of layers that attend, clones of vertices and labels
/// that are shown it is less than a run has. The sum also has four copies of the weights (gradients and the
/// optimiser's two) and the stored entries of the rank's rows. With a transposed method these are those of
/// the whole matrix of its group.
///
/// traffic  what the plan's passes send: memory of rows that a rank gets is by the rows of its messages
void setMemory(const RunSettings& run, const ModelShape& shape, const MethodStyle& style, const Loads& loads,
               const TrafficOf& traffic, Plan& plan);

}  // namespace halo::cluster
