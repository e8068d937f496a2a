#pragma once

#include <array>
#include <cstdint>

#include "engine/comm/link/link_card.h"

namespace halo {

/// The card that the ranks of one host share, and the messages that will arrive by it. They are served in the
/// order in which they depart, then of their senders, then of being entered. Whichever rank waits serves what
/// departed before its own message. So no message may be taken while one that departs before it may still be
/// entered. Pure arithmetic over times in ns; holds no pointers, so that it may lie in memory that processes
/// share. What is not used of the arrays is never written, so that it takes no memory there.
class HostCard {
 public:
  static constexpr std::int64_t kPlaces = 1 << 14;
  static constexpr std::int64_t kNoPlace = -1;

  HostCard() {}  // NOLINT(modernize-use-equals-default): the arrays stay as they are

  /// Takes the outgoing side; returns when the message departs.
  std::int64_t send(std::int64_t readyNs, std::int64_t transferNs) { return card_.send(readyNs, transferNs); }
  /// Enters a message for this host; returns its place, or kNoPlace where all are taken.
  std::int64_t enter(std::int64_t departsNs, std::int64_t latencyNs, std::int64_t transferNs, int source);
  /// When the message at `place` has arrived; the place is free again.
  std::int64_t take(std::int64_t place);
  /// The run's `number`-th sum, from 1. Each of the host's ranks tells of it, the first enters it.
  void sum(std::int64_t number, std::int64_t enteredNs, std::int64_t onWireNs);

 private:
  struct Message {
    std::int64_t departsNs, reachesNs, transferNs;
    std::int64_t arrivesNs;  // kNotServed until it is
    std::int64_t number;     // in the order in which they were entered
    std::int64_t source;
  };
  static constexpr std::int64_t kNotServed = -1;
  using Places = std::array<std::int32_t, kPlaces>;

  bool departsAfter(std::int32_t a, std::int32_t b) const;
  void serveFirst();

  LinkCard card_;
  std::int64_t sums_ = 0, entered_ = 0;
  std::int64_t used_ = 0;  // places that were ever taken: the first ones
  std::int64_t freeCount_ = 0, dueCount_ = 0;
  Places free_;  // of those that were, the ones given back
  Places due_;   // not served: a heap whose first departs first
  std::array<Message, kPlaces> messages_;
};

}  // namespace halo
