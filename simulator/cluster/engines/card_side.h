#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "engine/base/index.h"

namespace halo::cluster {

/// One direction of a card that a node's ranks share: a server of its bandwidth, which takes one message at a
/// time. A rank brings its messages one after the other, each after its start. A start is the rank's own and
/// keeps no other rank from the card. First come, first served: a message comes when its start is over, so
/// that ranks with much to send take turns. One without a start comes when it is added, behind all that its
/// rank added before, as on the emulated card (engine/comm/link/host_card.h).
///
/// Time is an argument. The caller comes back when it is told to: `ready` for a rank, `freed` for the card.
class CardSide {
 public:
  struct Message {
    std::int32_t step = 0, epoch = 0, flow = 0;
    double startNs = 0, takesNs = 0;  // of the rank; of the card
    double comesNs = 0;               // not on the card before this
    std::int64_t number = 0;          // given by add
  };
  /// A message has the card from `beginsNs` on; to be `freed` at `endsNs`.
  struct Service {
    int rank = 0;
    Message message;
    double beginsNs = 0, endsNs = 0;
  };

  /// Ranks are numbered from `firstRank`.
  CardSide(int firstRank, int ranks) : firstRank_(firstRank), ranks_(at(ranks)) {}

  /// Puts a message behind the rank's others. Returns when the caller is to say that the rank is `ready`;
  /// nothing where the rank has others before it.
  std::optional<double> add(int rank, const Message& message, double nowNs);
  /// The start of the rank's first message is over.
  void ready(int rank, double nowNs);
  /// The next message, where the card is free and one has come.
  std::optional<Service> serve(double nowNs);
  /// What has had the card until now; nothing where a sum has put that off. Where the rank has a next
  /// message, `readyNs` is when to say so.
  struct Freed {
    Service service;
    std::optional<double> readyNs;
  };
  std::optional<Freed> freed(double nowNs);
  /// A sum that was entered at `enteredNs` goes before what is under way, for so long. Returns when to say
  /// `freed` instead, where a message has the card.
  std::optional<double> sum(double enteredNs, double onWireNs);
  /// Until when messages of the rank that are here take at least.
  double busyUntilNs(int rank) const;

 private:
  struct Rank {
    std::deque<Message> messages;
    double freeNs = 0, takesNs = 0;  // when its last message was through; of all that are here
  };
  struct Waiting {
    double comesNs = 0;
    std::int64_t number = 0;
    int rank = 0;
    bool operator>(const Waiting& other) const {
      return std::tie(comesNs, number) > std::tie(other.comesNs, other.number);
    }
  };

  Rank& rankAt(int rank) { return ranks_[at(rank - firstRank_)]; }
  static double readyNs(const Rank& rank);

  int firstRank_;
  std::vector<Rank> ranks_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::optional<Service> served_;
  double freeNs_ = 0;  // what has the card is through, or the sum
  double heldNs_ = 0;  // by a sum that begins behind what has the card
  std::int64_t added_ = 0;
};

}  // namespace halo::cluster
