#pragma once

#include <string>

#include "engine/comm/communicator.h"

namespace halo {

/// Collective control traffic: `encodeFor(rank)` gives the bytes for each other rank, `decodeFrom(rank,
/// bytes)` takes those from it. Pairs go in the same order on both sides, so nobody waits in a circle.
template <class Encode, class Decode>
void everyPair(Communicator& comm, const Encode& encodeFor, const Decode& decodeFrom) {
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    if (comm.rank() < rank) comm.sendBytes(rank, encodeFor(rank));
    decodeFrom(rank, comm.receiveBytes(rank));
    if (comm.rank() > rank) comm.sendBytes(rank, encodeFor(rank));
  }
}

}  // namespace halo
