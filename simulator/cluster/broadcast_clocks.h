#pragma once

#include <vector>

#include "simulator/cluster/costs.h"

namespace halo::cluster {

/// Whether the machine sends the broadcasts message by message, each root to all others itself.
bool sentFlat(const Traffic& broadcasts, const Machine& machine);

/// Flat broadcasts that follow one another, each rank's in turn, without events: what engine C0 makes of
/// them. A rank begins its own when the messages of the roots before it have come, while those of earlier
/// roots to later ranks still leave. So a root costs those that follow it not its P − 1 messages, but as many
/// as leave before the one to its successor: k + 1 in ascending order, 1 next-first.
class BroadcastClocks {
 public:
  BroadcastClocks(const Machine& machine, int ranks);

  /// Moves when each rank is ready for the step to when it has all that the step sends it, or has sent its
  /// own off. Where only sums are kept, a root's messages are taken to go to all others alike; a receiver
  /// takes them in one after the other from the first root's on. Cost: linear in flows, or in ranks.
  void broadcast(const Traffic& traffic, std::vector<double>& readyNs);

 private:
  /// Until when one direction is taken.
  struct Direction {
    std::vector<double> memoryNs, ownNs, cardNs;  // by rank, within its node and beyond; by node
    Direction(std::size_t ranks, std::size_t nodes) : memoryNs(ranks), ownNs(ranks), cardNs(nodes) {}
  };
  struct Times {
    double beginsNs = 0, endsNs = 0;  // of the bytes
  };
  void pairs(const Traffic& traffic, std::vector<double>& readyNs);
  void sums(const Traffic& traffic, std::vector<double>& readyNs);

  /// A message whose bytes may go from `comesNs` on, but not before the rank's last one is through and the
  /// start is over, takes the rank's memory, or its node's card.
  Times take(Direction& direction, int rank, bool beyond, double comesNs, double startNs, double bytesNs);

  const Machine& machine_;
  int ranks_;
  Direction out_, in_;
};

}  // namespace halo::cluster
