// Rows by the layers of their spans.
#include <algorithm>
#include <utility>

#include "views/spans/timeline_model.h"

namespace halo {
namespace {

constexpr std::size_t kStretch = 50'000;  // spans copied between two events: some ms
constexpr qint64 kTellEveryMs = 100;
constexpr std::size_t kAsked = 10'000;  // spans that are asked for their layer, of a lane

}  // namespace

void TimelineModel::setByLayer(bool byLayer) {
  if (byLayer == byLayer_) return;
  byLayer_ = byLayer;
  layers_.clear();
  sinceShown_.invalidate();
  toldRows_ = 0;
  dividing_.stop();
  if (byLayer_ && layers_.advance(lanes_, kStretch)) divide();  // small runs are there at once
  list();
}

/// Goes on between events.
void TimelineModel::divide() {
  if (byLayer_) dividing_.start();
}

void TimelineModel::divideMore() {
  const bool more = layers_.advance(lanes_, kStretch);
  version_ = nextVersion();
  if (!more) dividing_.stop();
  if (!more || !sinceShown_.isValid() || sinceShown_.elapsed() >= kTellEveryMs) tellDivided();
}

/// Painting takes as long as copying: most of the time shall be for this.
void TimelineModel::tellDivided() {
  sinceShown_.start();
  std::size_t rows = 0;
  for (const LayerLanes::Part& part : layers_.parts()) rows += part.lane->rows().size();
  if (std::exchange(toldRows_, rows) != rows) return list();
  emit spansChanged();
}

std::vector<TimelineModel::Listed> TimelineModel::listed() const {
  std::vector<Listed> all;
  if (byLayer_)
    for (const LayerLanes::Part& part : layers_.parts()) all.push_back({part.lane.get(), part.layer});
  else
    for (const auto& lane : lanes_) all.push_back({lane.get(), kEveryLayer});
  return all;
}

bool TimelineModel::hasLayers() const {
  return std::ranges::any_of(mainRows(), [](const TimelineRow* row) {
    const std::size_t count = std::min(row->spans.size(), kAsked);
    for (std::size_t i = 0; i < count; ++i)
      if (row->spans.layer(i) >= 0) return true;
    return false;
  });
}

TimelineRow* TimelineModel::mainOf(std::int64_t rank) const {
  const TimelineLane* lane = laneOf(rank, Lane::main);
  return lane == nullptr || lane->rows().empty() ? nullptr : lane->rows().front().row.get();
}

std::vector<const TimelineRow*> TimelineModel::mainRows() const {
  std::vector<const TimelineRow*> rows;
  for (const auto& lane : lanes_)
    if (lane->lane() == Lane::main && !lane->rows().empty()) rows.push_back(lane->rows().front().row.get());
  return rows;
}

std::vector<std::int64_t> TimelineModel::mainRanks() const {
  if (std::ranges::any_of(pending_, [](const auto& lane) { return lane.first.lane == Lane::main; }))
    return {};
  std::vector<std::int64_t> ranks;
  for (const auto& lane : lanes_)
    if (lane->lane() == Lane::main && !lane->rows().empty()) ranks.push_back(lane->rank());
  return ranks;
}

std::optional<SpanId> TimelineModel::locate(std::int64_t rank, const Span& span) const {
  for (const RowEntry& entry : everyRow()) {
    if (entry.id.rank != rank || entry.id.lane != span.lane) continue;
    const SpanRow& spans = entry.row->spans;
    for (std::size_t i = spans.firstFrom(span.beginNs); i < spans.size(); ++i) {
      if (spans.beginNs(i) != span.beginNs) break;
      if (spans.durationNs(i) == span.durationNs && spans.name(i) == span.name &&
          spans.layer(i) == span.layer)
        return SpanId{entry.id, i};
    }
  }
  return std::nullopt;
}

}  // namespace halo
