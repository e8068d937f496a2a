#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "engine/comm/link/host_card.h"
#include "engine/comm/link/link.h"
#include "engine/comm/link/link_clock.h"
#include "engine/comm/link/shared_memory.h"

namespace halo {

/// The cards of an emulated link whose hosts have several ranks each, in memory that all ranks share. Host h
/// has ranks h·n to h·n + n − 1, the last maybe fewer. Messages between hosts depart when the sender's card
/// is free, and arrive as the receiver's serves them (link.h); those within a host take neither.
///
/// The clock is read under the lock, so whoever reads it later enters what departs later. What has reached a
/// card by the clock can therefore be served there for good.
class HostCards {
 public:
  /// Collective.
  HostCards(MPI_Comm comm, std::int64_t ranksPerHost);

  bool sharesHost(int peer) const { return hostOf(peer) == host_; }
  struct Departure {
    std::int64_t ns = 0, place = HostCard::kNoPlace;  // place: at the receiver's card, for take()
  };
  /// Of a message to another host that may depart at `readyNs`. Throws where too many are under way.
  Departure send(const Link& link, const LinkClock& clock, std::int64_t readyNs, std::int64_t bytes,
                 int peer);
  /// When the message at the place of this host's card has arrived. To be called once, when it has reached
  /// the card.
  std::int64_t take(std::int64_t place);
  /// Link::allReduce as a ring over the ranks passes the cards, which is host by host. Each card sends and
  /// gets in every step what one rank does. Returns when it ends; all ranks call it.
  std::int64_t allReduce(const Link& link, std::int64_t enteredNs, std::int64_t bytes);
  /// Link::allGatherNs, likewise.
  std::int64_t allGatherNs(const Link& link, std::int64_t bytes) const;

 private:
  std::int64_t hostOf(int rank) const { return rank / ranksPerHost_; }

  int rank_ = 0, ranks_ = 1;
  std::int64_t ranksPerHost_, host_ = 0, sums_ = 0;
  SharedMemory memory_;
  std::atomic<std::uint32_t>* lock_;  // the lock
  std::span<HostCard> cards_;         // by host
};

}  // namespace halo
