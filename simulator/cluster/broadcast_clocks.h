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
  void pairs(const Traffic& traffic, std::vector<double>& readyNs);
  void sums(const Traffic& traffic, std::vector<double>& readyNs);

  const Machine& machine_;
  int ranks_;
  std::vector<double> outNs_, inNs_;  // until when each side is taken
};

}  // namespace halo::cluster
