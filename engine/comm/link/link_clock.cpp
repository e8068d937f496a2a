#include "engine/comm/link/link_clock.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo {

void LinkClock::stop(std::int64_t wallNs) {
  HALO_CHECK(runs() && (stops_.empty() || wallNs >= stops_.back().endNs));
  stops_.push_back({.beginNs = wallNs, .linkNs = toLink(wallNs)});
}

void LinkClock::start(std::int64_t wallNs) {
  HALO_CHECK(!runs() && wallNs >= stops_.back().beginNs);
  stops_.back().endNs = wallNs;
}

std::int64_t LinkClock::toLink(std::int64_t wallNs) const {
  const auto after = std::ranges::upper_bound(stops_, wallNs, {}, &Stop::beginNs);
  if (after == stops_.begin()) return wallNs + offsetNs_;
  const Stop& last = *std::prev(after);
  return wallNs < last.endNs ? last.linkNs : last.linkNs + (wallNs - last.endNs);
}

std::int64_t LinkClock::toWall(std::int64_t linkNs) const {
  const auto after = std::ranges::lower_bound(stops_, linkNs, {}, &Stop::linkNs);
  if (after == stops_.begin()) return linkNs - offsetNs_;
  const Stop& last = *std::prev(after);
  HALO_CHECK(last.endNs != kOpen);
  return last.endNs + (linkNs - last.linkNs);
}

}  // namespace halo
