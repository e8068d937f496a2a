#pragma once

#include <QElapsedTimer>
#include <QString>
#include <cstdint>
#include <map>

#include "app/window/run_process.h"
#include "views/recording/run_data.h"

namespace halo {

/// The runs that were started here: their supervisors, the logs they write, and which runs were asked to
/// stop.
class StartedRuns {
 public:
  /// Starts the run; the log it writes is chosen so that two at once do not write into each other's. Returns
  /// that log; throws EnvironmentError with what is missing.
  QString start(RunRequest request);
  /// Whether any of their supervisors is still there.
  bool anyLives() const;
  /// Empty: this supervisor was not started here.
  QString logOf(qint64 supervisor) const;

  /// The first time after the epoch, then now. False: there is no process on this machine to ask.
  bool stop(const RunRow& run);
  /// What is said of a run that was asked to stop; empty of another.
  QString stopping(std::int64_t run) const;
  /// Runs have their numbers in one recording alone.
  void forgetStops() { stops_.clear(); }

 private:
  struct Stop {
    int times = 0;
    QElapsedTimer since;  // the last
  };
  QString freeLog(const QString& recording) const;

  std::map<qint64, QString> logs_;      // by supervisor
  std::map<std::int64_t, Stop> stops_;  // by run
};

/// The newest that is under way or waits to be; nullptr: none is.
const RunRow* runningRun(const RunsData& runs);
/// The one with this number while it is under way, else the newest that is.
const RunRow* runToStop(const RunsData& runs, std::int64_t shown);

}  // namespace halo
