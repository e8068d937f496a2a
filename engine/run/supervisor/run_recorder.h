#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/analysis/card_load.h"
#include "engine/record/analysis/iteration_summary.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/tables/cut_back.h"
#include "engine/record/tables/runs.h"
#include "engine/run/protocol/frame.h"
#include "engine/run/protocol/lost_numbers.h"
#include "engine/run/supervisor/supervisor.h"
#include "engine/run/supervisor/wait_recorder.h"

namespace halo {

/// Writes what the workers of a run send into its recording, and tells the observer. Every function throws
/// RecordError where it cannot be written.
class RunRecorder {
 public:
  /// `row`: of a run that is in the database. All but that outlive this.
  RunRecorder(Database& database, RunRow row, const RunSettings& settings, RunObserver& observer);

  /// Goes on with what the recording has of the run before that. What stands after it goes once the workers
  /// have started, so that none is lost where they do not.
  void goOn(const CutAt& at) { cut_ = at; }
  const RunRow& row() const { return row_; }
  /// A frame that says something of the run; others are left alone.
  void take(const Frame& frame);
  /// What no later epoch will change, and marks; of a run that ended before its end, too.
  void finish();
  void addArtifact(const ArtifactRow& artifact) { runs_.addArtifact(row_.id, artifact); }
  /// Whether the workers have begun with it.
  bool started() const { return !workers_.empty(); }
  void dropArtifact(const std::string& name) { runs_.dropArtifact(row_.id, name); }
  /// How the run ended; the row is then as it is stored. `last`: what ranks did in an epoch that did not end.
  void end(const RunOutcome& outcome, std::span<const SpanBatch> last);
  /// False once somebody has deleted the run.
  bool isThere() const;

  /// Whether the workers said that they are done, and whether before their last epoch.
  bool finished() const { return finished_; }
  bool stoppedEarly() const { return stoppedEarly_; }
  const Summary& summary() const { return summary_; }
  const LostNumbers& lost() const { return lost_; }

 private:
  void takeStarted(const nlohmann::json& started);
  void takeEpochs(const EpochBatch& batch);
  void takeFinished(const nlohmann::json& finished);
  void restore();
  void restoreEpoch(const std::vector<EpochRow>& epochs);
  void markTimes();
  void updateLatest();
  void append(std::span<const SpanBatch> last);

  Database& db_;
  Runs runs_;
  RunRow row_;
  const RunSettings& settings_;
  RunObserver& observer_;
  Summary summary_;
  WaitRecorder waits_;
  LostNumbers lost_;
  BusiestCard busiest_{{}};
  IterationSummary iterations_;
  std::vector<SpanBatch> spans_;  // of the flush whose epochs are still to come, as the next
  std::int64_t spansTo_ = -1;     // the newest epoch whose spans came
  BatchRows batches_;
  std::vector<WorkerRow> workers_;
  std::map<std::string, double> extraLatest_;
  std::optional<CutAt> cut_;  // none: the run begins
  bool finished_ = false, stoppedEarly_ = false;
};

}  // namespace halo
