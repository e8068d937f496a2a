#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "app/window/runs/run_follower.h"
#include "app/window/runs/started_runs.h"

namespace halo {

/// The recording that is shown, and which of its runs. That is the last run, one that a person chooses, or
/// those that were started here as they come. Looks at the recording twice a second.
class RecordingDesk : public QObject {
  Q_OBJECT
 public:
  /// Both outlive the desk.
  RecordingDesk(Session& session, StartedRuns& started, QObject* parent = nullptr);

  /// Shows a run of a recording, the last where `run` is not there; the recording before is forgotten. A
  /// missing or unreadable file is told of in the session's state.
  void open(const QString& file, std::int64_t run = 0);
  /// Shows the runs that a process just started records into `file`, each as it comes, until a person chooses
  /// another or the process ends. `log` tells why where none comes.
  void await(const QString& file, const QString& log);
  /// Tells of a start that came to nothing; `log` is shown in place of that of the shown run.
  void failStart(const QString& why, const QString& log);
  /// Gives up the recording that is being opened: none is then.
  void stopOpening();
  /// Tells why a recording cannot be shown, as if it had been opened.
  void refuse(const QString& why);
  /// As a person does: it stays shown whatever starts later. A run that there is not is passed over.
  void choose(std::int64_t run);

  /// Draws nothing more of the shown run and of those beside it, and follows none, until it goes on; the runs
  /// themselves do.
  void setPaused(bool paused) { follower_.setPaused(paused); }
  bool paused() const { return follower_.paused(); }
  /// The shown run as it is by now, also in a pause.
  const RunData& newest() const { return follower_.newest(); }

  RecordingReader& reader() { return reader_; }
  QString file() const { return reader_.file(); }
  /// Why it cannot be shown; empty: it can.
  const QString& failure() const { return failure_; }
  /// Nothing asked for is still being read.
  bool settled() const { return reader_.settled() && follower_.settled(); }

 signals:
  void opened(const QString& file);  // empty: none is any more
  void runsShown();
  void looked();                            // at the recording again, whether or not anything changed
  void recordingMade(const QString& file);  // by a run that was started here
  void startFailed(const QString& why);
  void pausedChanged(bool paused);
  void said(const QString& sentence);
  void problemFound(const QString& problem);

 private:
  void beginRecording(const QString& file);
  void beginRun(std::int64_t run);
  void show(std::int64_t run);
  void chooseAmong(const RunsData& runs, bool grown, bool couldNotBeRead);
  void leaveDeleted();
  void takeRuns(const SharedRuns& runs);
  void takeFailure(const QString& problem, bool needed);
  void retrySoon();
  void lookForFailedStarts();
  void failEnded(const QString& log);
  void tell();

  Session& session_;
  StartedRuns& started_;
  RecordingReader reader_;
  RunFollower follower_;
  QTimer poll_;
  std::int64_t wanted_ = 0;  // the run that is shown first of the recording being opened; 0: the last
  QString failure_;
  std::optional<QString> awaited_;  // the log of the process whose runs are shown as they come
  std::optional<QString>
      failedLog_;  // of the last start, where it came to nothing, until another run is shown
};

}  // namespace halo
