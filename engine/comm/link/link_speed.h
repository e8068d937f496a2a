#pragma once

namespace halo {

/// What the network between two ranks takes, measured with messages of our own. Without MPI: it is told to
/// programs that have none.
struct LinkSpeed {
  int one = 0, other = 0;
  double latencyUs = 0;     // half a round trip of 8 bytes, median
  double oneWayGbit = 0;    // of long messages from the one to the other, median
  double bothWaysGbit = 0;  // each way, while as long a message travels the other way
};

}  // namespace halo
