#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "engine/base/index.h"
#include "simulator/device/device_log.h"

namespace halo::sim {

/// What one pass takes on a device of E engines, of which the first is its memory. There are C causes to wait
/// for, and S streams to and from memory.
template <std::size_t E, std::size_t C, std::size_t S>
struct PassResult {
  std::int64_t additions = 0;  // or multiplications with one each
  std::array<std::int64_t, S> bytes{};
  IntervalLog<E, C> log;
  std::int64_t cycles() const { return log.total().cycles; }
  std::int64_t dramBytes() const { return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}); }
};

/// Engines that work side by side: as long as the slowest takes, for which the others wait. causeOf: what
/// waiting for an engine is.
template <std::size_t C, std::size_t E>
Interval<E, C> sideBySide(const std::array<std::int64_t, E>& busy, const std::array<std::int64_t, E>& bytes,
                          const std::array<std::size_t, E>& causeOf) {
  const auto slowest = at(std::ranges::max_element(busy) - busy.begin());
  Interval<E, C> now;
  now.cycles = busy[slowest];
  now.busy = busy;
  now.bytes = bytes;
  for (std::size_t e = 0; e < E; ++e) now.stalled[e][causeOf[slowest]] = now.cycles - busy[e];
  return now;
}

/// A result with every engine, cause and stream, and nothing done.
inline DeviceResult nothingDone(const EngineNames& names, std::span<const char* const> streams) {
  DeviceResult result;
  for (const char* name : streams) result.streams.push_back({name, 0});
  addComponents(names, result);
  return result;
}

/// Appends a pass to a result that began as nothingDone().
template <std::size_t E, std::size_t C, std::size_t S>
void append(const PassResult<E, C, S>& pass, const EngineNames& names, const SlicePass& slice,
            DeviceResult& to) {
  append(pass.log, names, slice, to);
  for (std::size_t s = 0; s < S; ++s) to.streams[s].value += pass.bytes[s];
  to.operations += pass.additions;
}

}  // namespace halo::sim
