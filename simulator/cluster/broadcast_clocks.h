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
  /// The outgoing side of a node's card. Roots of one node take turns at it, as many together as hide a start
  /// behind the others' bytes; the next ones wait for these.
  struct Card {
    double roots = 0;                // in the turn
    double turnNs = 0;               // when it began
    double bytesNs = 0, freeNs = 0;  // until when its bytes alone take the card, and all of it does
  };
  Card& cardOf(int rank) { return cards_[static_cast<std::size_t>(machine_.nodeOf(rank))]; }
  void pairs(const Traffic& traffic, std::vector<double>& readyNs);
  void sums(const Traffic& traffic, std::vector<double>& readyNs);

  /// When the first of the root's messages beyond its node, posted at `postedNs`, begins. Each takes a start
  /// and bytes.
  double onCardNs(int root, double postedNs, double messages, double startNs, double bytesNs);
  /// A message whose bytes come at `comesNs` takes the target's memory, or its node's card, after a start.
  /// Returns when it is there.
  double takenInNs(int target, bool beyond, double comesNs, double startNs, double bytesNs);

  const Machine& machine_;
  int ranks_;
  std::vector<Card> cards_;  // by node
  // until when a rank's memory is taken either way, its part of a card, and a card's incoming side
  std::vector<double> outNs_, inNs_, inBeyondNs_, cardInNs_;
};

}  // namespace halo::cluster
