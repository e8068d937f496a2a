#pragma once

namespace halo {

/// A figure that was measured in several rounds: their median, and the middle half of them.
struct Rounds {
  double median = 0, low = 0, high = 0;
};

/// What the network between two ranks takes, measured with messages of our own. Without MPI: it is told to
/// programs that have none.
struct LinkSpeed {
  int first = 0, second = 0;
  Rounds latencyUs;     // half a round trip of 8 bytes
  Rounds oneWayGbit;    // of long messages from the first to the second
  Rounds bothWaysGbit;  // each way, while as long a message travels the other way
};

}  // namespace halo
