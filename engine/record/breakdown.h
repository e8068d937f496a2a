#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/record/span.h"

namespace halo {

/// Where one rank's time went within a window, by interval unions over the main lane: the parts before
/// `hidden` add up to the window to the nanosecond.
struct Breakdown {
  std::int64_t computeNs = 0, exposedNs = 0, quantiseNs = 0, synchroniseNs = 0, otherNs = 0, idleNs = 0;
  std::int64_t hiddenNs =
      0;  // transfers under way while the main lane computed: a part of computeNs, not of the sum
  std::map<Name, std::int64_t> waitedNs =
      {};  // of idleNs, where a span of kind idle says what was waited for
  std::int64_t totalNs() const {
    return computeNs + exposedNs + quantiseNs + synchroniseNs + otherNs + idleNs;
  }
};

/// `spans`: one rank's, any order, any lanes; only what lies in [beginNs, endNs) counts. Where main-lane
/// spans overlap, the earlier kind of this order wins: compute, quantise, exposed, synchronise, other; so
/// nothing counts twice. Of several waits at once the one whose name has the lowest number counts.
Breakdown breakdown(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs);

}  // namespace halo
