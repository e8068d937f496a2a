#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/comm/link/link.h"

namespace halo {

/// On an emulated link each message is accompanied by another that tells when it departed, its stamp. Kept
/// here until a wait has taken the message. The incoming side serves messages in the order in which they
/// departed, whatever the order of the waits. When a message is waited for, those that departed before it go
/// first, as far as their receives are posted and their stamps are here. Stamps of one tag from one peer come
/// in the order in which they departed. Each such queue is therefore asked only up to the first that is not
/// here. Where ranks share a card, that serves the messages (host_cards.h), and the stamp tells where it has
/// them. One thread.
class Stamps {
 public:
  struct Stamp {
    MPI_Request request = MPI_REQUEST_NULL;  // MPI_REQUEST_NULL: it is here
    std::int64_t departsNs = 0;
    std::int64_t place = -1;     // at the card that the receiver shares; −1: it takes no such card
    std::int64_t arrivesNs = 0;  // 0: not served yet
    std::int64_t bytes = 0;      // of the message
    std::int32_t peer = -1, tag = -1;
    bool receives = false;    // by a card of this rank's own
    std::int64_t number = 0;  // in the order in which they were posted; given by Stamps

    /// What the sender tells: departsNs and place.
    static constexpr int kTold = 2;
    std::int64_t* told() { return &departsNs; }
  };
  using IsHere = std::function<bool(const Stamp&)>;

  /// Stays where it is until it is removed.
  Stamp& add(const Stamp& stamp);
  /// Of a receive: after it was served.
  void remove(Stamp& stamp) { free_.push_back(&stamp); }
  /// Serves `last`, a receive whose stamp is here, and what departed before it, unless it was served already:
  /// sets arrivesNs. `isHere` asks MPI.
  void serve(Link& link, Stamp& last, const IsHere& isHere);

 private:
  std::vector<std::unique_ptr<Stamp>> stamps_;
  std::vector<Stamp*> free_;  // those of stamps_ that were removed: the next ones, so that none is allocated
  std::vector<Stamp*> due_;   // of the call under way
  std::int64_t added_ = 0;
  // receives that were not served, in the order in which they were posted
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Stamp*>> unserved_;  // by peer and tag
};

static_assert(offsetof(Stamps::Stamp, place) == offsetof(Stamps::Stamp, departsNs) + sizeof(std::int64_t));

/// The only handle of a stamp; the stamp itself stays with Stamps.
struct LeaveToStamps {
  void operator()(Stamps::Stamp* /*stamp*/) const {}
};
using StampHandle = std::unique_ptr<Stamps::Stamp, LeaveToStamps>;

/// In the order of departure, then of peers, then of posting.
bool departsBefore(const Stamps::Stamp& a, const Stamps::Stamp& b);

/// The position of the one that is served first, of equals the first; nullptr: not here. −1: none is.
int firstToServe(std::span<const Stamps::Stamp* const> stamps);

}  // namespace halo
