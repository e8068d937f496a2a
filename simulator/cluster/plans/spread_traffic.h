#pragma once

#include <vector>

#include "engine/methods/contract/predictions.h"
#include "simulator/cluster/plans/plan.h"
#include "simulator/cluster/plans/stand_ins.h"

namespace halo::cluster {

/// What workers send in an exchange that some of them were drawn in. The vertices of both belong to ranks by
/// chance, equally many to each.
///
/// Where a rank sends all others the same, or gets the same from all, it does so from each: those that it
/// stands for are others too. Otherwise what a batch reads of others is spread over more of them, each drawn
/// owner by the ranks that it stands for. Bytes are then (1 − 1/P) of what is read beside the seeds, which
/// are own. A pair has a message with the probability 1 − exp(−λ) of a Poisson number of rows.
///
/// flows  between pairs of the drawn, each pair once
Traffic spreadTraffic(const std::vector<Flow>& flows, const StandIns& standIns);

}  // namespace halo::cluster
