#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/record/check/checks.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Whether the spans of a training run can be on one clock. Each worker's are held against its own epochs
/// (lane phase). The workers' are held against each other where all of them meet (the gradients' sum, the
/// loss's). Nobody leaves before everyone has come. So one worker's times cannot be shifted by more than such
/// a meeting takes. Off by `clock_uncertainty_ns` is within what is known.
class Clocks {
 public:
  /// workers: the run's rows in `worker`.
  Clocks(const CheckedRun& run, const std::vector<WorkerRow>& workers);

  void add(std::int64_t rank, std::span<const Span> spans);
  /// late: epochs that messages may be on their way; none: not known.
  void compare(std::optional<std::int64_t> late, Findings& findings) const;

 private:
  struct Stretch {
    std::int64_t beginNs = INT64_MAX, endNs = INT64_MIN;
    void take(const Span& span);
    bool empty() const { return beginNs > endNs; }
  };
  /// Of a worker's epoch: itself, and what its lanes main and link hold of it.
  struct Extent {
    Stretch epoch, main, link;
  };
  using Place = std::pair<std::int64_t, std::int64_t>;  // epoch and rank
  /// The how many-eth of a name in an epoch.
  struct Key {
    std::int64_t epoch = 0;
    Name name = Name::count;
    std::int64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Meeting {
    std::int64_t came = 0;
    std::int64_t lastRank = 0, lastBeginNs = INT64_MIN;
    std::int64_t firstRank = 0, firstEndNs = INT64_MAX;
  };
  /// Meetings of the epoch that a worker's spans are in.
  struct Met {
    std::int64_t epoch = -1;
    std::map<Name, std::int64_t> times;
  };
  void meet(std::int64_t rank, const Span& span);
  /// When each epoch was begun by the first of the workers, as far as their clocks are known.
  std::map<std::int64_t, std::int64_t> begins() const;
  void compareLanes(std::optional<std::int64_t> late, Findings& findings) const;
  void compareMeetings(Findings& findings) const;

  const CheckedRun& run_;
  bool dropped_ = false;  // spans that did not fit: the how many-eth is not known
  std::map<std::int64_t, std::int64_t> uncertaintyNs_;  // by rank
  std::map<Place, Extent> extents_;
  std::map<std::int64_t, Met> met_;  // by rank
  std::map<Key, Meeting> meetings_;
};

}  // namespace halo
