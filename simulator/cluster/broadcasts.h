#pragma once

#include <optional>

#include "simulator/cluster/machine.h"
#include "simulator/cluster/plan.h"

namespace halo::cluster {

/// The plan with broadcasts as the messages that they consist of where the machine's algorithm is "flat":
/// each root sends to all others by itself, and nobody waits for ranks that have theirs. For engines with
/// clocks. None where there is nothing to change.
std::optional<Plan> withFlatBroadcasts(const Plan& plan, const Machine& machine);

}  // namespace halo::cluster
