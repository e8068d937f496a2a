#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// Where the time of a rank goes within an epoch. They add up to it.
enum class TimePart : std::uint8_t {
  compute,
  quantise,
  lateSender,
  lateReceiver,
  wire,
  queue,
  peerComputes,
  barrierOrSum,
  quantiser,
  memory,
  unknown,
  unjudged,  // waiting whose reason is not recorded
  other,
  idle,
  rest,  // what no span accounts for, where only sums by layer are recorded: other and idle together
  count
};
inline constexpr std::size_t kTimeParts = static_cast<std::size_t>(TimePart::count);
/// "compute", "wait: late sender", "idle", …
std::string_view text(TimePart part);

/// One epoch's time by its parts, summed over the ranks that train; the parts add up to wallNs × ranks.
struct EpochParts {
  std::int64_t wallNs = 0;
  std::array<std::int64_t, kTimeParts> ns{};
};

/// The epochs of one run.
struct RunParts {
  std::int64_t ranks = 1;
  std::vector<EpochParts> epochs;
  bool bySpans = false;  // else by the sums of table `layer`, which know no reasons and no idle time
};

/// By the spans of every rank, by interval unions within each epoch's window (breakdown.h). What lies between
/// epochs (scope.h) is idle time there. None where an
/// epoch of `epochs` has no spans, or a block of them is damaged. Memory: the spans of one rank.
std::optional<RunParts> partsBySpans(Database& database, std::int64_t run, std::int64_t ranks,
                                     const std::vector<EpochRow>& epochs);
/// By the rows of table `layer`. None where an epoch has no rows.
std::optional<RunParts> partsByRows(Database& database, std::int64_t run, std::int64_t ranks,
                                    const std::vector<EpochRow>& epochs);

}  // namespace halo
