#pragma once

#include <optional>

#include "simulator/cluster/machines/machine.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// The plan with what consists of messages laid out as such; nothing where nothing does.
///
/// flat broadcasts  each root's messages to all others, one root after the other
/// sums             where ranks move their messages themselves (Looks): before each sum the messages that
///                  bring it about, Traffic::offLink, up a binomial tree and down again, as Open MPI's
///                  all-reduce does that does not block and is in place
std::optional<Plan> asMessages(const Plan& plan, const Machine& machine);

}  // namespace halo::cluster
