// Times of kinds and of waits in an area.
#include <algorithm>
#include <numeric>

#include "engine/base/index.h"
#include "views/spans/timeline_model.h"

namespace halo {
namespace {

std::int64_t sumOf(const KindTimes& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

}  // namespace

AreaStatistics TimelineModel::statistics(TimeRange range, const std::set<RowId>& rows) const {
  AreaStatistics sum;
  if (range.empty()) return sum;
  const auto add = [&](const TimelineLane& lane, std::int16_t layer) {
    const auto has = [&](std::int32_t sub) {
      return rows.contains({lane.rank(), lane.lane(), sub, block_, layer});
    };
    const auto addNs = [&](const SpanRow::Sum& row) {
      for (std::size_t k = 0; k < row.ns.size(); ++k) sum.ns[k] += row.ns[k];
    };
    const bool together = lane.inFlight() != nullptr && has(0);
    if (rows.empty() || together) {
      const SpanRow::Sum all = lane.sumOf(range.beginNs, range.endNs);
      addNs(together ? lane.inFlight()->spans.sumOf(range.beginNs, range.endNs) : all);
      sum.spans += all.spans;
      return;
    }
    for (const TimelineLane::Row& each : lane.rows()) {
      if (!has(each.sub)) continue;
      const SpanRow::Sum row = each.row->spans.sumOf(range.beginNs, range.endNs);
      addNs(row);
      sum.spans += row.spans;
    }
  };
  for (const auto& lane : lanes_) add(*lane, kEveryLayer);
  if (!rows.empty())
    for (const LayerLanes::Part& part : layers_.parts()) add(*part.lane, part.layer);
  return sum;
}

std::vector<Span> TimelineModel::waitsWithin(std::int64_t rank, TimeRange range) const {
  std::vector<Span> pieces;
  const TimelineLane* lane = laneOf(rank, Lane::wait);
  if (lane == nullptr || range.empty()) return pieces;
  for (const TimelineLane::Row& row : lane->rows()) {
    const auto [first, last] = row.row->spans.touching(range.beginNs, range.endNs);
    for (std::size_t i = first; i < last; ++i) pieces.push_back(row.row->spans.at(i));
  }
  return pieces;
}

SelectionStatistics TimelineModel::selectionStatistics(TimeRange range, const std::set<RowId>& chosen) const {
  std::set<RowId> rows = chosen;
  for (const auto& [lane, layer] : listed()) {
    const RowId together{lane->rank(), lane->lane(), 0, block_, layer};
    if (lane->inFlight() != nullptr && (chosen.empty() || chosen.contains(together))) {
      std::erase_if(rows, [&](const RowId& row) {
        return row.block == block_ && row.rank == together.rank && row.lane == together.lane &&
               row.layer == together.layer;
      });
      rows.insert(together);
    } else if (chosen.empty()) {
      for (const TimelineLane::Row& row : lane->rows())
        rows.insert({lane->rank(), lane->lane(), row.sub, block_, layer});
    }
  }
  std::erase_if(rows, [&](const RowId& row) { return row.block != block_; });
  SelectionStatistics result;
  if (rows.empty()) return result;
  result.lane = std::ranges::min(rows, {}, [](const RowId& row) { return placeOf(row.lane); }).lane;
  std::erase_if(rows, [&](const RowId& row) { return row.lane != result.lane; });
  std::set<RowId> lanes;  // the same lanes, with the spans of all layers
  for (RowId row : rows) {
    row.layer = kEveryLayer;
    lanes.insert(row);
  }
  result.rows = lanes.size();
  static_cast<AreaStatistics&>(result) = statistics(range, rows);
  if (result.lane == Lane::main && !range.empty()) {
    constexpr auto kIdle = at(Kind::idle);
    KindTimes busy = statistics(range, lanes).ns;
    busy[kIdle] = 0;
    const auto all = range.lengthNs() * static_cast<std::int64_t>(result.rows);
    result.ns[kIdle] = std::max<std::int64_t>(0, all - sumOf(busy));
  }
  return result;
}

}  // namespace halo
