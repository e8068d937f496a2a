#pragma once

#include <QString>
#include <optional>

#include "views/spans/timeline_model.h"

namespace halo {

/// Who came last where all ranks met, and how long a rank waited for it.
struct LastThere {
  std::int64_t rank = 0;
  std::int64_t waitedNs = 0;
};

/// The barrier, sum or collective that a span of a rank is, or that a piece of its lane wait lies in.
std::optional<Span> meetingOf(const TimelineModel& model, std::int64_t rank, const Span& span);

/// Of a meeting of the rank's main lane. None while a lane is not read, and where the spans of the ranks do
/// not tell which of them belong together.
std::optional<LastThere> lastThere(const TimelineModel& model, std::int64_t rank, const Span& meeting);

/// For whom the rank waited in a span: "all ranks; last: rank 2, 3 ms later"; empty where that is no meeting.
QString lastThereText(const TimelineModel& model, std::int64_t rank, const Span& span);

/// The longest span of lane wait with a reason, peer (−1: all) and layer; none where there is no such. Cost:
/// reads all of that lane.
std::optional<SpanId> longestWait(const TimelineModel& model, Name reason, std::int32_t peer,
                                  std::int16_t layer);

}  // namespace halo
