#pragma once

#include <span>
#include <vector>

#include "engine/base/index.h"
#include "simulator/cluster/engines/costs.h"

namespace halo::cluster {

/// Whether the machine sends the broadcasts message by message, each root to all others itself.
bool sentFlat(const Traffic& broadcasts, const Machine& machine);

/// Flat broadcasts that follow one another, each rank's in turn, without events: what engine C0 makes of
/// them. A rank begins its own when the messages of the roots before it have come, while those of earlier
/// roots to later ranks still leave. So a root does not cost those that follow it its P − 1 messages. It
/// costs as many as leave before the one to its successor: k + 1 in ascending order, 1 next-first.
class BroadcastClocks {
 public:
  BroadcastClocks(const Machine& machine, int ranks);

  /// Moves when each rank is ready for the step to when it has all that the step sends it, or has sent its
  /// own off. Where only sums are kept, a root's messages are taken to go to all others alike. A receiver
  /// then takes them in one after the other from the first root's on. Cost: flows · ranks of a node; of sums
  /// P · log P · ranks of a node.
  void broadcast(const Traffic& traffic, std::vector<double>& readyNs);

 private:
  /// The outgoing side of a node's card. Roots that have starts come to it in turn, as many as are there; the
  /// others one after the other (card_side.h). Of pairs only `freeNs` is used.
  struct Card {
    double roots = 0;                // that take turns
    double turnNs = 0;               // when they began
    std::size_t turn = 0;            // their place in turnBytesNs_
    double bytesNs = 0, freeNs = 0;  // until when their bytes alone take the card, and all of it does
  };
  Card& cardOf(int rank) { return cards_[at(machine_.nodeOf(rank))]; }
  void sums(const Traffic& traffic, std::vector<double>& readyNs);
  /// When the first of the root's messages beyond its node, posted at `postedNs`, begins. Each takes a start
  /// and bytes.
  double onCardNs(int root, double postedNs, double messages, double startNs, double bytesNs);

  /// What a root has for other nodes: where pairs are known, the card is followed message by message.
  struct Root {
    int rank = 0;
    double postedNs = 0, freeNs = 0;  // all of it; its last message was through
    std::vector<const Flow*> messages;
    std::size_t sent = 0;
  };
  void pairs(const Traffic& traffic, std::vector<double>& readyNs);
  Root post(std::span<const Flow> flows, std::vector<double>& readyNs);
  void leaveNode(std::vector<Root>& roots, std::vector<double>& readyNs);
  void taken(const Flow& flow, double comesNs, std::vector<double>& readyNs);

  const Machine& machine_;
  int ranks_;
  std::vector<Card> cards_;          // by node
  std::vector<double> turnBytesNs_;  // of one message of each of the roots that take turns
  // until when a rank's memory is taken either way, and what it has of a card; and a card's incoming side
  std::vector<double> outNs_, outBeyondNs_, inNs_, inBeyondNs_, cardInNs_;
};

}  // namespace halo::cluster
