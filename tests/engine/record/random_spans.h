#pragma once

#include <algorithm>
#include <vector>

#include "engine/base/philox.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Spans as a run makes them, or, when `wild`, with any value a field can hold.
inline std::vector<Span> randomSpans(std::size_t count, std::uint64_t seed, Lane lane, bool wild) {
  PhiloxStream random(seed, Purpose::generate, 0);
  std::vector<Span> spans(count);
  std::int64_t at = 1'000'000;
  for (Span& span : spans) {
    at += static_cast<std::int64_t>(random.below(100'000));
    span.beginNs = wild ? static_cast<std::int64_t>(random.next64()) : at;
    span.durationNs = wild ? static_cast<std::int64_t>(random.next64() >> random.below(64))
                           : static_cast<std::int64_t>(random.below(500'000));
    if (wild) span.durationNs = std::min(span.durationNs, std::int64_t{1} << 62);
    span.bytes =
        wild ? static_cast<std::int64_t>(random.next64()) : static_cast<std::int64_t>(random.below(1 << 20));
    span.epoch = wild ? static_cast<std::int32_t>(random.next()) : 3;
    span.peer = wild ? static_cast<std::int32_t>(random.next()) : static_cast<std::int32_t>(random.below(8));
    span.layer = wild ? static_cast<std::int16_t>(random.next()) : static_cast<std::int16_t>(random.below(3));
    // those of lanes main, link and phase
    span.name = static_cast<Name>(random.below(static_cast<std::uint64_t>(Name::queued)));
    span.kind = static_cast<Kind>(random.below(kKinds));
    span.lane = lane;
    span.pass = static_cast<Pass>(random.below(3));
    if (wild) span.message = static_cast<std::int64_t>(random.next64());
  }
  return spans;
}

}  // namespace halo
