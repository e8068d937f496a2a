#include "views/spans/last_there.h"

#include <algorithm>

#include "engine/record/trace/meeting.h"
#include "views/look/units.h"

namespace halo {
namespace {

bool areOfOne(const Span& span, const Span& other) {
  return isMeeting(other) && other.name == span.name && other.epoch == span.epoch &&
         other.layer == span.layer && other.pass == span.pass;
}

/// The span of a row that can be of the same meeting: whoever meets is there when the last comes. None where
/// there is no such, or more than one.
std::optional<Span> partnerIn(const SpanRow& spans, const Span& meeting) {
  std::optional<Span> partner;
  const auto [first, last] = spans.touching(meeting.beginNs, meeting.endNs() + 1);
  for (std::size_t i = first; i < last; ++i)
    if (const Span span = spans.at(i); areOfOne(meeting, span)) {
      if (partner) return std::nullopt;
      partner = span;
    }
  return partner;
}

}  // namespace

std::optional<Span> meetingOf(const TimelineModel& model, std::int64_t rank, const Span& span) {
  if (span.lane == Lane::main) return isMeeting(span) ? std::optional(span) : std::nullopt;
  const TimelineRow* row = model.mainOf(rank);
  if (span.name != Name::waitsBarrierOrSum || row == nullptr) return std::nullopt;
  const auto [first, last] = row->spans.touching(span.beginNs, span.beginNs + 1);
  for (std::size_t i = first; i < last; ++i)
    if (const Span around = row->spans.at(i); isMeeting(around)) return around;
  return std::nullopt;
}

std::optional<LastThere> lastThere(const TimelineModel& model, std::int64_t rank, const Span& meeting) {
  const std::vector<std::int64_t> ranks = model.mainRanks();
  if (ranks.size() < 2) return std::nullopt;
  LastThere last{rank, 0};
  std::int64_t lastNs = meeting.beginNs, firstEndNs = meeting.endNs();
  for (const std::int64_t other : ranks) {
    if (other == rank) continue;
    const TimelineRow* row = model.mainOf(other);
    const auto partner = row == nullptr ? std::nullopt : partnerIn(row->spans, meeting);
    if (!partner) return std::nullopt;
    if (partner->beginNs > lastNs) last.rank = other, lastNs = partner->beginNs;
    firstEndNs = std::min(firstEndNs, partner->endNs());
  }
  if (firstEndNs < lastNs) return std::nullopt;  // who left before the last came was elsewhere
  last.waitedNs = lastNs - meeting.beginNs;
  return last;
}

QString lastThereText(const TimelineModel& model, std::int64_t rank, const Span& span) {
  const auto meeting = meetingOf(model, rank, span);
  if (!meeting) return {};
  const auto last = lastThere(model, rank, *meeting);
  if (!last) return QStringLiteral("all ranks");
  if (last->rank == rank) return QStringLiteral("all ranks; this one came last");
  return QStringLiteral("all ranks; last: %1, %2 later")
      .arg(model.rankName(last->rank), formatNs(last->waitedNs));
}

std::optional<SpanId> longestWait(const TimelineModel& model, Name reason, std::int32_t peer,
                                  std::int16_t layer) {
  std::optional<SpanId> longest;
  std::int64_t ns = 0;
  for (const RowEntry& entry : model.everyRow()) {
    if (entry.id.lane != Lane::wait || entry.row == nullptr) continue;
    const SpanRow& spans = entry.row->spans;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans.name(i) != reason || spans.durationNs(i) <= ns || spans.layer(i) != layer) continue;
      if (spans.at(i).peer != peer) continue;
      ns = spans.durationNs(i);
      longest = SpanId{entry.id, i};
    }
  }
  return longest;
}

}  // namespace halo
