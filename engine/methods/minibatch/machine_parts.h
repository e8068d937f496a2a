#pragma once

#include "engine/methods/contract/placement.h"

namespace halo {

/// Who owns which vertex where consecutive ranks share a machine: METIS divides the vertices among
/// `machines`, and then those of each among its ranks. Each time parts hold equally many vertices, arcs and
/// training vertices, as far as the run's imbalance lets them, and few arcs are cut. A run of another
/// partitioner than metis goes by that.
Owners placeOnMachines(const PlacementRequest& request);

}  // namespace halo
