#pragma once

#include "simulator/cluster/plan.h"
#include "simulator/cluster/recorded_times.h"

namespace halo::cluster {

/// Puts times that one worker took into a plan of several: a rank's step takes as much of that worker's time
/// in the same pass of the same layer and kind of work as it has of its elements or operations. What the
/// worker did besides (the loss, the optimizer) goes by rows, before the gradients' sum. Packing and coding,
/// which one worker does not do, keep the machine's rate.
///
/// single  the same run's plan on one worker
void calibrate(const Plan& single, const RecordedTimes& times, Plan& plan);

}  // namespace halo::cluster
