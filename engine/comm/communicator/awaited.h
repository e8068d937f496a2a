#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "engine/comm/communicator/communicator.h"

namespace halo {

/// The ranks at the other end of those transfers that no wait has taken.
inline Awaited awaitedBy(std::span<const Transfer> transfers) {
  Awaited awaited;
  for (const Transfer& transfer : transfers)
    if (!transfer.taken) awaited.add(transfer.peer);
  return awaited;
}

/// The transfer whose end ended a wait for all. Where a message that came and a message that was taken are
/// noticed at once, it is the one that came. Of that message it is known what its sender did.
inline Transfer& endOf(std::span<Transfer> transfers) {
  return *std::ranges::max_element(transfers, {}, [](const Transfer& transfer) {
    return std::pair(transfer.arrivedNs, transfer.receives);
  });
}

}  // namespace halo
