#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/record/check/checks.h"
#include "engine/record/trace/span.h"

namespace halo {

/// A training run's spans, summed as its rows in `layer`, `epoch` and `message` are, and held against these.
/// All spans of an epoch are recorded together, its own (lane phase) among them. So where a worker has that
/// span, the sums must be the same to the nanosecond and the byte.
class Timeline {
 public:
  /// workers: the run's rows in `worker`.
  Timeline(const CheckedRun& run, const std::vector<WorkerRow>& workers);

  void add(std::int64_t rank, std::span<const Span> spans, Findings& findings);
  /// Of one of the rank's actors. They are of the epoch of their batch, but their times are in the rows of
  /// the epoch in which they were spent. So the sums over all epochs must agree.
  void addOfActor(std::int64_t rank, std::span<const Span> spans, Findings& findings);
  /// late: epochs that messages may be on their way; none: not known.
  void compare(Database& database, std::optional<std::int64_t> late, Findings& findings) const;

 private:
  struct Window {
    std::int64_t beginNs = 0, durationNs = 0;
  };
  struct Key {
    std::int64_t epoch = 0, rank = 0, layer = -1;
    Pass pass = Pass::none;
    auto operator<=>(const Key&) const = default;
  };
  /// What a worker was sent in an epoch by the ledger, and what arrived there by its spans.
  struct Transfer {
    std::int64_t epoch = 0, sent = 0, received = 0;
  };
  using Transfers = std::map<Key, std::vector<Transfer>>;  // by worker, layer and pass, epoch by epoch
  bool recorded(std::int64_t epoch, std::int64_t rank) const { return windows_.contains({epoch, rank}); }
  void checkSpan(std::int64_t rank, const Span& span, Findings& findings) const;
  void compareEpochs(Database& database, Findings& findings) const;
  void compareWindows(const EpochRow& epoch, bool anyone, Findings& findings) const;
  void compareLayers(Database& database, Findings& findings) const;
  void compareSums(Database& database, Findings& findings) const;
  void compareTimes(const LayerRow& row, const LayerRow& sums, const std::string& place,
                    Findings& findings) const;
  Transfers transfers(Database& database) const;
  void compareReceived(Database& database, std::optional<std::int64_t> late, Findings& findings) const;
  void compareArrivals(const Key& to, const std::vector<Transfer>& series, std::int64_t late,
                       Findings& findings) const;

  const CheckedRun& run_;
  std::vector<std::int64_t> ranks_;
  bool dropped_ = false;                       // spans that did not fit
  std::int64_t spanPeriod_ = 0, layers_ = -1;  // record.spans; of the model, −1 where it is not known
  std::map<std::pair<std::int64_t, std::int64_t>, Window> windows_;  // by epoch and rank
  std::map<Key, LayerRow> times_;
  std::map<Key, std::int64_t> received_;
  std::map<Key, LayerRow> actorTimes_;  // of all epochs
};

}  // namespace halo
