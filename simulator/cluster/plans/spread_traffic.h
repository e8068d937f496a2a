#pragma once

#include <vector>

#include "engine/methods/contract/predictions.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// What `ranks` workers send in an exchange that some of them, `drawn`, were drawn in. Each rank stands for
/// one of these, in turn. The vertices of both belong to ranks by chance, equally many to each.
///
/// Where a rank sends all others the same, or gets the same from all, it does so from more: bytes grow with
/// ranks − 1. Otherwise what a batch reads of others is spread over more of them. Bytes are then (1 − 1/P) of
/// what is read. A pair has a message with the probability 1 − exp(−λ) of a Poisson number of rows.
///
/// flows  between pairs of the drawn, each pair once
Traffic spreadTraffic(const std::vector<Flow>& flows, int drawn, int ranks);

}  // namespace halo::cluster
