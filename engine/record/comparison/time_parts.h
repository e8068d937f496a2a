#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

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

/// Of one rank: the sums of its parts over the epochs.
using PartSums = std::array<std::int64_t, kTimeParts>;

/// Of each rank: the parts of its mean epoch, ns.
using RankParts = std::vector<std::array<double, kTimeParts>>;

/// The parts of a run by the spans of its ranks, by interval unions within each epoch's window (breakdown.h).
/// What lies between epochs (scope.h) is idle time there.
class PartsBySpans {
 public:
  /// `epochs` outlives it.
  PartsBySpans(std::int64_t ranks, const std::vector<EpochRow>& epochs);
  /// One rank: its spans of lane main and of lane wait, each by begin. Cost: linear, where few reach far.
  void addRank(std::span<const Span> main, std::span<const Span> wait);
  /// The ranks that another one was given.
  void add(const PartsBySpans& others);
  /// None where a rank has no spans in some epoch, or some ranks were not added.
  std::optional<RunParts> parts() const;
  /// Of the ranks that were added, together. None where one of them has no spans in some epoch.
  std::optional<PartSums> sums() const;

 private:
  const std::vector<EpochRow>& epochs_;
  RunParts parts_;
  std::int64_t added_ = 0;
  bool covered_ = true;
};

/// By the rows of table `layer`: all of one run. None where an epoch has none.
std::optional<RunParts> partsByRows(std::span<const LayerRow> rows, std::int64_t ranks,
                                    const std::vector<EpochRow>& epochs);
/// The same rank by rank. Empty where an epoch has none.
std::vector<PartSums> sumsByRows(std::span<const LayerRow> rows, std::int64_t ranks,
                                 const std::vector<EpochRow>& epochs);

}  // namespace halo
