#include "views/spans/meetings.h"

#include <algorithm>

#include "engine/record/trace/meeting.h"

namespace halo {
namespace {

struct Attendance {
  std::int64_t rank = 0;
  Span span;
};

void addArrows(const std::vector<Attendance>& ranks, std::vector<MessageArrow>& arrows) {
  const auto last =
      std::ranges::max_element(ranks, {}, [](const Attendance& each) { return each.span.beginNs; });
  const bool together = std::ranges::all_of(
      ranks, [&](const Attendance& each) { return each.span.endNs() >= last->span.beginNs; });
  if (!together) return;
  for (const auto& [rank, span] : ranks) {
    if (rank == last->rank) continue;
    MessageArrow arrow;
    arrow.sentNs = last->span.beginNs;
    arrow.arrivedNs = arrow.usedNs = span.endNs();
    arrow.sender = last->rank, arrow.receiver = rank;
    arrow.sentEpoch = arrow.usedEpoch = span.epoch;
    arrow.layer = span.layer, arrow.pass = span.pass, arrow.bytes = span.bytes;
    arrow.meeting = span.name;
    arrow.waitedNs = last->span.beginNs - span.beginNs;
    arrows.push_back(arrow);
  }
}

}  // namespace

void Meetings::add(std::int64_t rank, const Span& span) {
  if (span.lane == Lane::main && isMeeting(span))
    spans_[{span.epoch, span.layer, span.pass, span.name}][rank].push_back(span);
}

std::vector<MessageArrow> Meetings::arrows(const std::set<std::int32_t>& epochs) {
  std::vector<MessageArrow> arrows;
  for (auto& [key, byRank] : spans_) {
    const std::size_t count = byRank.begin()->second.size();
    const bool alike =
        std::ranges::all_of(byRank, [&](const auto& its) { return its.second.size() == count; });
    if (!epochs.contains(std::get<0>(key)) || byRank.size() < 2 || !alike) continue;
    for (auto& [rank, spans] : byRank) std::ranges::sort(spans, {}, &Span::beginNs);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Attendance> ranks;
      for (const auto& [rank, spans] : byRank) ranks.push_back({rank, spans[i]});
      addArrows(ranks, arrows);
    }
  }
  return arrows;
}

}  // namespace halo
