#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/record/trace/span.h"

namespace halo {

/// Where one rank's time went within a window, by interval unions over the main lane. Compute, quantise,
/// wait, other and idle add up to the window to the nanosecond.
struct Breakdown {
  std::int64_t computeNs = 0, quantiseNs = 0;
  std::int64_t exchangeWaitNs = 0, synchroniseNs = 0;  // waiting for what is exchanged, and where all meet
  std::int64_t otherNs = 0, idleNs = 0;
  std::int64_t hiddenNs =
      0;  // transfers under way while the main lane computed: a part of computeNs, not of the sum
  std::map<Name, std::int64_t> waitedNs =
      {};  // of idleNs, where a span of kind idle says what was waited for
  /// Of the waiting, by its reason (lane wait). What no reason covers is in none: older recordings have none.
  std::map<Name, std::int64_t> reasonNs = {};
  std::int64_t waitNs() const { return exchangeWaitNs + synchroniseNs; }
  std::int64_t totalNs() const { return computeNs + quantiseNs + waitNs() + otherNs + idleNs; }
};

/// `spans`: one rank's, any order, any lanes; only what lies in [beginNs, endNs) counts. Where main-lane
/// spans overlap, the earlier kind of this order wins: compute, quantise, exchange, synchronise, other; so
/// nothing counts twice. Of several waits or reasons at once the one whose name has the lowest number counts.
Breakdown breakdown(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs);

}  // namespace halo
