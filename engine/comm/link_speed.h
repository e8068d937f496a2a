#pragma once

#include <mpi.h>

#include <vector>

namespace halo {

/// What the network between two ranks takes, measured with messages of our own.
struct LinkSpeed {
  int one = 0, other = 0;
  double latencyUs = 0;     // half a round trip of 8 bytes, median
  double oneWayGbit = 0;    // of long messages from the one to the other, median
  double bothWaysGbit = 0;  // each way, while as long a message travels the other way
};

/// Of every two of the ranks, one pair after the other, so that none slows another; the same on all.
/// Collective. Takes some seconds a pair. Nothing else may be under way.
std::vector<LinkSpeed> measureLinks(MPI_Comm ranks);

}  // namespace halo
