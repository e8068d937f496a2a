#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <optional>

#include "app/window/started_runs.h"
#include "views/session/feed.h"
#include "views/session/recording_reader.h"
#include "views/session/session.h"

namespace halo {

/// Follows one run of one recording into a session, whether it goes on or is over: the tables by a reader,
/// the spans by a feed, each on threads of its own. What is known of a run begins anew with each generation.
class RunFollower : public QObject {
  Q_OBJECT
 public:
  /// `started` tells the logs of runs that were started here. Both outlive the follower.
  RunFollower(Session& session, const StartedRuns& started, QObject* parent = nullptr);

  /// Shows the last run of a recording; the one before is forgotten. A missing or unreadable file is told of
  /// in the session's state.
  void open(const QString& file);
  /// Shows the runs that a process just started records into `file`, each as it comes, until a person chooses
  /// another or the process ends. `log` tells why where none comes.
  void await(const QString& file, const QString& log);
  /// Tells why a recording cannot be shown, as if it had been opened.
  void refuse(const QString& file, const QString& why);
  /// As a person does: it stays shown whatever starts later. A run that there is not is passed over.
  void choose(std::int64_t run);
  /// Grows with every run that is begun, and with every recording.
  std::uint64_t generation() const { return following_.generation; }

  RecordingReader& reader() { return reader_; }
  QString file() const { return reader_.file(); }
  /// Why the recording asked for cannot be shown; empty: it can.
  const QString& failure() const { return failure_; }
  /// Nothing asked for is still being read.
  bool settled() const;

 signals:
  void opened(const QString& file);
  void runsShown();
  void looked();                            // at the recording again, whether or not anything changed
  void recordingMade(const QString& file);  // by a run that was started here
  void said(const QString& sentence);
  void problemFound(const QString& message);

 private:
  /// What is known of the followed run besides what the session holds.
  struct Following {
    std::uint64_t generation = 0;
    bool spansLack = false;        // some cannot be read
    bool newestShown = false;      // the timeline was once set to its newest epochs
    QElapsedTimer sinceBreakdown;  // was asked for
  };

  void beginRecording(const QString& file);
  void beginRun(std::int64_t run);
  void show(std::int64_t run);
  void chooseAmong(const RunsData& runs, bool grown, bool couldNotBeRead);
  void leaveDeleted();
  void takeRuns(const RunsData& runs);
  void takeRun(const RunData& run);
  void takeBreakdown(std::int64_t run, const BreakdownData& measured);
  void takeFailure(const QString& file, const QString& message, bool needed);
  void showNewest();
  void askBreakdown(bool soon);
  void leaveEpoch();
  void tell();

  Session& session_;
  const StartedRuns& started_;
  RecordingReader reader_;
  Feed feed_;
  QTimer poll_;
  Following following_;
  QString failure_;
  std::optional<QString> awaited_;  // the log of the process whose runs are shown as they come
};

}  // namespace halo
