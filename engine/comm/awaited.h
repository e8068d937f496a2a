#pragma once

#include <span>

#include "engine/comm/communicator.h"

namespace halo {

/// The ranks at the other end of those transfers that no wait has taken.
inline Awaited awaitedBy(std::span<const Transfer> transfers) {
  Awaited awaited;
  for (const Transfer& transfer : transfers)
    if (!transfer.taken) awaited.add(transfer.peer);
  return awaited;
}

}  // namespace halo
