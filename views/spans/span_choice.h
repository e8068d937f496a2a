#pragma once

#include <optional>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// Which spans of a run are meant; what is absent may be anything.
struct SpanChoice {
  Lane lane = Lane::main;
  std::optional<std::int64_t> rank = {}, epoch = {};
  std::optional<std::int32_t> peer = {};
  std::optional<std::int16_t> layer = {};
  std::optional<Pass> pass = {};
  std::optional<Kind> kind = {};
  bool operator==(const SpanChoice&) const = default;
};

inline constexpr std::size_t kMostChosen = 1000;  // every selected span is framed one by one

/// The chosen spans of one epoch, row by row, kMostChosen at most. Where none is named that is the first
/// epoch from `fromNs` on that has any, of the next kMostEpochs.
inline constexpr std::size_t kMostEpochs = 100;
std::vector<SpanId> chosenSpans(const TimelineModel& model, const SpanChoice& choice, std::int64_t fromNs);

}  // namespace halo
