#include "views/spans/layer_lanes.h"

#include <algorithm>

namespace halo {

bool LayerLanes::advance(std::span<const std::unique_ptr<TimelineLane>> lanes, std::size_t spans) {
  const std::size_t each = std::max<std::size_t>(1, spans / std::max<std::size_t>(1, lanes.size()));
  bool more = false;
  for (const auto& lane : lanes) more = advance(*lane, each) || more;
  return more;
}

bool LayerLanes::advance(const TimelineLane& lane, std::size_t spans) {
  std::vector<std::size_t>& copied = copied_[{lane.rank(), lane.lane()}];
  copied.resize(lane.rows().size());
  // rows go on together in time: what overlaps must come at once to find its own rows
  std::int64_t until = INT64_MAX;
  for (std::size_t r = 0; r < copied.size(); ++r) {
    const SpanRow& row = lane.rows()[r].row->spans;
    const std::size_t last = copied[r] + std::max<std::size_t>(1, spans / copied.size());
    if (last < row.size()) until = std::min(until, row.beginNs(last) + 1);
  }
  std::map<std::int16_t, std::vector<Span>> byLayer;
  bool more = false;
  for (std::size_t r = 0; r < copied.size(); ++r) {
    const SpanRow& row = lane.rows()[r].row->spans;
    for (; copied[r] < row.size() && row.beginNs(copied[r]) < until; ++copied[r])
      byLayer[row.layer(copied[r])].push_back(row.at(copied[r]));
    more = more || copied[r] < row.size();
  }
  for (const auto& [layer, its] : byLayer) partOf(layer, lane).append(its);
  return more;
}

TimelineLane& LayerLanes::partOf(std::int16_t layer, const TimelineLane& lane) {
  const auto part = std::ranges::find_if(parts_, [&](const Part& each) {
    return each.layer == layer && each.lane->rank() == lane.rank() && each.lane->lane() == lane.lane();
  });
  if (part != parts_.end()) return *part->lane;
  return *parts_.emplace_back(layer, std::make_unique<TimelineLane>(lane.rank(), lane.lane())).lane;
}

void LayerLanes::clear() {
  parts_.clear();
  copied_.clear();
}

std::size_t LayerLanes::bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) bytes += part.lane->bytes();
  return bytes;
}

}  // namespace halo
