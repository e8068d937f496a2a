#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "engine/record/analysis/wait_reasons.h"
#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"
#include "engine/record/tables/waiting.h"

namespace halo {

/// Finds why a run's ranks wait while it is recorded, and records it: spans of lane wait and rows of table
/// `waiting`. All inside the caller's transaction.
class WaitRecorder {
 public:
  WaitRecorder(Database& database, std::int64_t run, std::int64_t workers)
      : db_(database), run_(run), shares_(workers) {}

  /// Before the first spans. late: epochs that messages may be on their way. spansEvery: of how many epochs
  /// spans are recorded of one.
  void start(std::int64_t late, bool emulated, std::span<const WorkerRow> workers,
             std::int64_t spansEvery = 1) {
    reasons_.emplace(late, emulated, workers);
    sendersKnown_ = late == 0 || spansEvery == 1;
  }
  /// What was recorded before of a run that goes on.
  void restore(std::span<const EpochRow> epochs, std::span<const WaitRow> rows);
  void add(std::int64_t rank, std::span<const Span> spans);
  /// Epochs that were recorded, perhaps none, with the spans that all ranks added before. Records the waits
  /// of which enough is known.
  void add(std::span<const EpochRow> epochs);
  /// No more comes: records what is left. An epoch of whose spans only some came has no rows.
  void finish();
  /// For table `latest`.
  std::map<std::string, double> metrics() const;

 private:
  void record(const std::vector<WaitReasons::Judged>& all);
  void recordRows(std::int64_t upTo);

  Database& db_;
  std::int64_t run_;
  WaitShares shares_;
  std::optional<WaitReasons> reasons_;
  bool sendersKnown_ = true;  // false: of what is waited for, the sender's epoch is not among those recorded
  std::int64_t newest_ = -1;  // epoch that was recorded
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, Pass>, WaitRow>
      rows_;  // by epoch, rank, layer, pass: of epochs that go on
};

}  // namespace halo
