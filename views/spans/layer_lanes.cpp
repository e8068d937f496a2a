#include "views/spans/layer_lanes.h"

#include <algorithm>

namespace halo {

bool LayerLanes::advance(std::span<const std::unique_ptr<TimelineLane>> lanes, std::size_t spans) {
  for (const auto& lane : lanes)
    if (copy(*lane, spans)) return true;
  return false;
}

bool LayerLanes::copy(const TimelineLane& lane, std::size_t& spans) {
  Copied& copied = copied_[{lane.rank(), lane.lane()}];
  if (copied.spans == lane.size()) return false;
  copied.ofRow.resize(lane.rows().size());
  // rows go on together in time: what overlaps must come at once to find its own rows
  std::int64_t until = INT64_MAX;
  for (std::size_t r = 0; r < copied.ofRow.size(); ++r) {
    const SpanRow& row = lane.rows()[r].row->spans;
    const std::size_t last = copied.ofRow[r] + std::max<std::size_t>(1, spans / copied.ofRow.size());
    if (last < row.size()) until = std::min(until, row.beginNs(last) + 1);
  }
  std::map<std::int16_t, std::vector<Span>> byLayer;
  for (std::size_t r = 0; r < copied.ofRow.size(); ++r) {
    const SpanRow& row = lane.rows()[r].row->spans;
    std::size_t& next = copied.ofRow[r];
    for (; next < row.size() && row.beginNs(next) < until; ++next, ++copied.spans, spans -= spans > 0)
      byLayer[row.layer(next)].push_back(row.at(next));
  }
  for (const auto& [layer, its] : byLayer) partOf(layer, lane).append(its);
  return copied.spans < lane.size();
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
