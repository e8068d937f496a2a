#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>

#include "engine/comm/link.h"

namespace halo {

/// On an emulated link each message is accompanied by another that tells when it departed, its stamp. Kept
/// here until a wait has taken the message. The incoming side serves messages in the order in which they
/// departed, whatever the order of the waits: when one is waited for, those that departed before it go first,
/// as far as their receives are posted and their stamps are here. One thread.
class Stamps {
 public:
  struct Stamp {
    MPI_Request request = MPI_REQUEST_NULL;     // MPI_REQUEST_NULL: it is here
    std::int64_t departsNs = 0, arrivesNs = 0;  // arrivesNs 0: not served yet
    std::int64_t bytes = 0;                     // of the message
    std::int32_t peer = -1;
    bool receives = false;
  };

  /// Stays where it is until it is removed.
  Stamp& add(const Stamp& stamp) { return stamps_.emplace_back(stamp); }
  void remove(const Stamp& stamp);
  /// Serves `last`, a receive whose stamp is here, and what departed before it, unless it was served already:
  /// sets arrivesNs.
  void serve(Link& link, const Stamp& last);

 private:
  std::list<Stamp> stamps_;
};

/// In the order of departure, then of peers.
bool departsBefore(const Stamps::Stamp& a, const Stamps::Stamp& b);

}  // namespace halo
