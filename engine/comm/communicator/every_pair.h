#pragma once

#include <string>

#include "engine/comm/communicator/communicator.h"

namespace halo {

/// Control traffic: these bytes to one other rank, and what it has for this one. Who does so with several
/// takes them in ascending order, on every rank, so that nobody waits in a circle.
inline std::string swapBytes(Communicator& comm, int rank, const std::string& bytes) {
  if (comm.rank() < rank) comm.sendBytes(rank, bytes);
  std::string answer = comm.receiveBytes(rank);
  if (comm.rank() > rank) comm.sendBytes(rank, bytes);
  return answer;
}

/// Collective: `encodeFor(rank)` gives the bytes for each other rank, `decodeFrom(rank, bytes)` takes those
/// from it.
template <class Encode, class Decode>
void everyPair(Communicator& comm, const Encode& encodeFor, const Decode& decodeFrom) {
  for (int rank = 0; rank < comm.size(); ++rank)
    if (rank != comm.rank()) decodeFrom(rank, swapBytes(comm, rank, encodeFor(rank)));
}

}  // namespace halo
