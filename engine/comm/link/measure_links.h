#pragma once

#include <mpi.h>

#include <vector>

#include "engine/comm/link/link_speed.h"

namespace halo {

/// Of every two of the ranks, one pair after the other, so that none slows another; the same on all.
/// Collective. Takes some seconds a pair. Nothing else may be under way.
std::vector<LinkSpeed> measureLinks(MPI_Comm ranks);

}  // namespace halo
