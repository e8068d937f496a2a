#pragma once

#include <cstdint>
#include <vector>

#include "engine/record/tables/spans.h"

namespace halo {

/// Whether an arrow of a trace ends in this span.
inline bool isArrival(Lane lane, const Span& span) {
  return lane == Lane::link && span.name == Name::receive && span.peer >= 0;
}

/// Where the arrow of a receive begins: a moment within a slice of the sender's main lane.
struct ArrowTail {
  std::int64_t atNs = 0;
  std::int64_t row = -1;  // none: the sender has no slice that the arrow could begin in
};

/// One for each arrival of the run, in the order in which forEachSpan gives them. Memory: 56 bytes an
/// arrival.
std::vector<ArrowTail> arrowTails(const Spans& spans, std::int64_t run);

}  // namespace halo
