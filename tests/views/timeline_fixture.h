#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "engine/record/trace/span.h"

namespace halo {

/// Spans one after another with gaps, bursts, instants and, now and then, one longer than 32 bits hold.
inline std::vector<Span> randomSpans(std::size_t count, std::uint64_t seed, Lane lane = Lane::main,
                                     std::int64_t begin = 1'000'000'007) {
  std::mt19937_64 random(seed);
  std::vector<Span> spans;
  std::int64_t at = begin;
  for (std::size_t i = 0; i < count; ++i) {
    Span span;
    const bool burst = (i / 100) % 3 == 0;
    at += random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % (burst ? 50 : 200'000));
    span.beginNs = at;
    span.durationNs = random() % 50 == 0 ? 0 : static_cast<std::int64_t>(random() % (burst ? 300 : 100'000));
    if (random() % 700 == 0) span.durationNs = 5'000'000'000;
    span.kind = static_cast<Kind>(random() % kKinds);
    span.name = static_cast<Name>(random() % static_cast<std::uint64_t>(Name::queued));
    span.lane = lane;
    span.epoch = static_cast<std::int32_t>(i / 500) - 1;
    span.layer = static_cast<std::int16_t>(i % 4) - 1;
    span.pass = static_cast<Pass>(i % 3);
    if (lane == Lane::link) {
      span.peer = static_cast<std::int32_t>(random() % 8);
      span.bytes =
          static_cast<std::int64_t>(random() % 3 == 0 ? random() % 100'000'000'000 : 4096 * (random() % 9));
    }
    at = span.endNs();
    spans.push_back(span);
  }
  return spans;
}

/// Transfers that overlap one another, in order of begin.
inline std::vector<Span> overlappingSpans(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Span> spans(count);
  std::int64_t at = 1'000;
  for (Span& span : spans) {
    at += static_cast<std::int64_t>(random() % 1'000);
    span.beginNs = at;
    span.durationNs = static_cast<std::int64_t>(random() % 5'000);
    span.kind = Kind::communication;
    span.name = Name::send;
    span.lane = Lane::link;
    span.peer = static_cast<std::int32_t>(random() % 4);
    span.bytes = static_cast<std::int64_t>(random() % 100'000);
  }
  return spans;
}

}  // namespace halo
