#pragma once

#include "simulator/cluster/machines/machine.h"
#include "simulator/cluster/plans/plan.h"
#include "simulator/cluster/replay/recorded_times.h"

namespace halo::cluster {

/// Puts times that one worker took into a plan of several. A rank's step takes a share of that worker's time
/// in the same pass of the same layer and kind of work. That is its share of the operations, or of what
/// entries and rows cost by the rates. What the worker did besides (the loss, the optimizer) goes by rows,
/// before the gradients' sum. Packing and coding, which one worker does not do, keep the machine's rate.
///
/// single  the same run's plan on one worker
/// rates   what entries, their elements and those of rows cost beside each other
void calibrate(const Plan& single, const RecordedTimes& times, const ComputeRates& rates, Plan& plan);

}  // namespace halo::cluster
