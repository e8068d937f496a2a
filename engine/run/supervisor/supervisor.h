#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>

#include "engine/experiment/experiment.h"
#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// How a run ended. `exitStatus` is what `haloscope run` ends with for this run alone.
struct RunOutcome {
  std::int64_t run = 0;
  std::string status;  // completed | failed | cancelled
  std::string error;   // what, where, what to do; empty when completed
  int exitStatus = 0;
  std::string remark = {};  // of a run that did not fail: what of it is no number (LostNumbers)
  bool unrecorded = false;  // the recording can no longer be written: no further run can be recorded there
};

/// Follows a run; called on the supervising thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void onProgress(const RunRow&, const std::string& /*what*/, double /*share*/) {}
  /// Of the data set, before onStart.
  virtual void onRemark(const RunRow&, const std::string& /*remark*/) {}
  virtual void onStart(const RunRow&) {}
  virtual void onEpoch(const RunRow&, const EpochRow&, std::int64_t /*epochsTotal*/) {}
  virtual void onLog(const RunRow&, const std::string& /*line*/) {}
  virtual void onFinish(const RunRow&, const RunOutcome&) {}
};

struct SuperviseOptions {
  std::filesystem::path worker;  // the haloscope-worker program
  /// 0: go on; 1: stop after this epoch; 2: stop now; set by a signal handler.
  const std::atomic<int>* stop = nullptr;
  /// The signal that asked to stop: a cancelled run's exit status is 128 above it. nullptr: an interrupt.
  const std::atomic<int>* stopSignal = nullptr;
  std::string tags;  // of the run from its first moment, separated by commas
  /// A run of the recording that is gone on with (resumableRun), in place of a new one; 0: none.
  std::int64_t goesOn = 0;

  int cancelledStatus() const;
};

/// Starts the workers of one run, writes what they send into the recording (one transaction a batch of
/// epochs), and returns when they have ended. Never throws for what happens to the run: that is in the
/// outcome and in the recording. Throws RecordError only if the run cannot even begin to be recorded.
RunOutcome superviseRun(Database& database, std::int64_t experimentId, const RunSettings& run,
                        const SuperviseOptions& options, RunObserver& observer);

/// A run of this fingerprint that ended early and has what it can go on from; 0: there is none.
std::int64_t resumableRun(Database& database, const RunSettings& run);

/// A row for a run about to start, every column that the settings decide filled in.
RunRow plannedRun(std::int64_t experimentId, const RunSettings& run);

/// Its keys as they are recorded before it starts: those of the experiment, and what they come to.
std::map<std::string, std::string> plannedKeys(const RunSettings& run);

}  // namespace halo
