#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>

#include "app/window/runs/run_process.h"
#include "views/recording/run_data.h"

namespace halo {

/// The runs that were started here: their supervisors, the logs they write, what came of them, and which runs
/// were asked to stop.
class StartedRuns {
 public:
  /// The log of the next run into `recording`: two at once do not write into each other's.
  QString freeLog(const QString& recording) const;
  /// Notes in the log where it records, and starts it; its supervisor. Throws EnvironmentError with what is
  /// missing.
  qint64 start(const RunRequest& request);
  /// Whether any of their supervisors is still there.
  bool anyLives() const;
  /// Empty: this supervisor was not started here.
  QString logOf(qint64 supervisor) const;

  /// The logs of those that ended without a run in `recording`, each once. By the second look at its `runs`
  /// since they ended: the first may have begun before.
  QStringList comeToNothing(const QString& recording, const RunsData& runs);
  /// comeToNothing() leaves out those that write this log.
  void markTold(const QString& log);

  /// The first time after the epoch, then now. False: there is no process on this machine to ask.
  bool stop(const RunRow& run);
  /// What is said of a run that was asked to stop; empty of another.
  QString stopping(std::int64_t run) const;
  /// Runs have their numbers in one recording alone.
  void forgetStops() { stops_.clear(); }

 private:
  struct Start {
    QString log, recording;
    int looks = 0;         // at the recording, since it ended
    bool settled = false;  // that it came to nothing, or it came to a run
  };
  struct Stop {
    int times = 0;
    QElapsedTimer since;  // the last
  };

  std::map<qint64, Start> starts_;      // by supervisor
  std::map<std::int64_t, Stop> stops_;  // by run
};

/// The newest that is under way or waits to be; nullptr: none is.
const RunRow* runningRun(const RunsData& runs);
/// The one with this number while it is under way, else the newest that is.
const RunRow* runToStop(const RunsData& runs, std::int64_t visibleRun);

}  // namespace halo
