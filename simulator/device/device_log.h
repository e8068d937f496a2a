#pragma once

#include <span>

#include "simulator/device/component.h"
#include "simulator/device/intervals.h"

namespace halo::sim {

/// What the engines of a device and the causes they wait for are called, in words and in the timeline.
struct EngineNames {
  std::span<const char*const> engines, causes;
  std::span<const Name> busy, waiting;  // of an engine; for a cause
};

inline void addComponents(const EngineNames& names, DeviceResult& to) {
  for (const char* name : names.engines) {
    to.components.push_back({name, 0, 0, {}, 0, 0});
    for (const char* cause : names.causes) to.components.back().stalls.push_back({cause, 0});
  }
}

/// Appends what the engines did in a pass to the result, from where it ends: spans, and the components' sums.
/// Engine 0 is DRAM. The result's cycles grow by the log's.
template <std::size_t E, std::size_t C>
void append(const IntervalLog<E, C>& log, const EngineNames& names, const SlicePass& pass, DeviceResult& to) {
  std::int64_t begin = to.cycles;
  for (const auto& interval : log.kept()) {
    for (std::size_t e = 0; e < E; ++e) {
      std::int64_t at = begin;
      const auto span = [&](std::int64_t cycles, std::int64_t bytes, Name name, Kind kind) {
        if (cycles > 0)
          to.spans.push_back(
              {e, at, cycles, bytes, name, kind, static_cast<std::int16_t>(pass.layer), pass.direction});
        at += cycles;
      };
      span(interval.busy[e], interval.bytes[e], names.busy[e], e == 0 ? Kind::communication : Kind::compute);
      for (std::size_t c = 0; c < C; ++c) span(interval.stalled[e][c], 0, names.waiting[c], Kind::idle);
    }
    begin += interval.cycles;
  }
  const auto& total = log.total();
  for (std::size_t e = 0; e < E; ++e) {
    Component& component = to.components[e];
    component.busyCycles += total.busy[e];
    component.idleCycles += total.idle[e];
    component.bytes += total.bytes[e];
    for (std::size_t c = 0; c < C; ++c) component.stalls[c].value += total.stalled[e][c];
  }
  to.cycles += total.cycles;
}

}  // namespace halo::sim
