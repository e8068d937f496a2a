#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/comparison/bootstrap.h"
#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// What ranks waited for: a layer's rows from a peer (−1: all of them met), for a reason (wait_reasons.h).
struct WaitKind {
  std::int32_t peer = -1;
  std::int16_t layer = -1;
  Name reason = Name::waitsUnknown;
  auto operator<=>(const WaitKind&) const = default;
};

/// A stretch in which some rank waited, within the epoch at a place of RunWaits::epochs.
struct WaitStretch {
  std::size_t epoch = 0;
  std::int64_t beginNs = 0, endNs = 0;
};

/// The waits of one run's epochs in scope.
struct RunWaits {
  std::int64_t ranks = 1;
  std::vector<EpochRow> epochs;         // in which every rank recorded what it did
  std::vector<std::int64_t> busiestNs;  // of each: the most that one rank worked in it
  bool explained = true;  // false: ranks waited, and nothing says why, as in recordings before schema 5
  std::map<WaitKind, std::vector<WaitStretch>> kinds;  // of all ranks, in no order
  /// By how much all epochs together shorten without a kind of waits, and without any, as replays of their
  /// dependencies say (epoch_graph.h). None: not replayed.
  std::map<WaitKind, std::int64_t> gainNs = {};
  std::optional<std::int64_t> gainOfAllNs = {};
};

/// Gathers lane wait, cut to the windows of epochs. Memory: 24 bytes a wait.
class WaitsOfSpans {
 public:
  /// `epochs` outlives it.
  WaitsOfSpans(std::int64_t ranks, const std::vector<EpochRow>& epochs);
  /// One rank: its spans of lane main and of lane wait, each by begin.
  void addRank(std::span<const Span> main, std::span<const Span> wait);
  /// The ranks that another one was given.
  void add(WaitsOfSpans others);
  RunWaits waits();

 private:
  const std::vector<EpochRow>& epochs_;
  RunWaits read_;
  std::vector<std::int64_t> activeRanks_;  // of each epoch: how many ranks did something in it
  bool waited_ = false;
};

/// The waits of one kind in one configuration. NaN but for the total: no run of it recorded its waits.
struct WaitFigures {
  std::int64_t totalNs = 0;  // over its runs, their ranks and epochs in scope
  double meanNs = 0;         // an epoch and rank: the mean of the runs' means
  double share = 0;          // that over the mean epoch
  /// At most this share of the epoch is gained where nobody waits for it and all else lasts as long as it
  /// did. It is the longest path through the epochs' dependencies without these waits (epoch_graph.h), where
  /// that was replayed. It is never more than min(|W|, wall − busiest). W is the time in which at least one
  /// rank waits for it; `busiest` is the most that one rank works. For one chain of work, messages and waits
  /// leads to the epoch's end. Its end comes earlier by no more than the waits on that chain. These follow
  /// each other in time, so together they are no longer than W. And no epoch is shorter than what one rank
  /// works in it.
  double ceiling = 0;
};

struct WaitChange {
  double deltaNs = 0;  // of meanNs, from the first configuration's
  std::optional<Interval> interval = {};
};

/// One kind of waits over all configurations.
struct Wait {
  WaitKind kind;
  std::vector<WaitFigures> figures;  // of each configuration
  std::vector<std::optional<WaitChange>>
      changes;  // from the first to each; none of the first and of other data
};

struct WaitTable {
  std::vector<Wait> waits;            // the longest first, in whichever configuration that is
  std::vector<WaitFigures> together;  // all of a configuration
};

/// "within noise", "shorter" or "longer", and "added" or "removed" of waits that only one of the two has; ""
/// where nothing says how sure it is.
std::string verdict(const Wait& wait, std::size_t configuration);

/// `configurations`: the runs of each; those without recorded waits count nothing. `comparable`: whether a
/// configuration is of the same data as the first. Cost: n log n in the waits, and 2,000 resamples a kind.
WaitTable waitsOf(const std::vector<std::vector<RunWaits>>& configurations,
                  const std::vector<bool>& comparable);

}  // namespace halo
