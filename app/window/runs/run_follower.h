#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <optional>

#include "views/session/feed.h"
#include "views/session/recording_reader.h"
#include "views/session/session.h"

namespace halo {

/// Follows one run of a recording into a session, whether the run goes on or is over. Its tables come by a
/// reader and its spans by a feed, each on threads of its own.
class RunFollower : public QObject {
  Q_OBJECT
 public:
  /// Both outlive the follower.
  RunFollower(Session& session, RecordingReader& reader);

  /// A run of the reader's recording, from its first byte, also where it was followed before.
  void follow(const RunRow& run);
  void leave();
  /// Nothing more of the run and of those beside it is shown, and its newest is not followed, until it goes
  /// on. A pause ends with the run, and with another one.
  void setPaused(bool paused);
  bool paused() const { return pause_.has_value(); }
  /// The run as it is by now; in a pause further than the session's.
  const RunData& newest() const;
  /// All spans that the run has recorded are shown, as far as they can be.
  bool settled() const;

 signals:
  void advanced();  // more of the run is known
  void pausedChanged(bool paused);
  void problemFound(const QString& problem);

 private:
  /// What is known of the followed run besides what the session holds.
  struct Progress {
    bool spansLack = false;        // some cannot be read
    bool newestShown = false;      // the timeline was once set to its newest epochs
    QElapsedTimer sinceBreakdown;  // was asked for
  };

  void openFeed();
  void takeClock();
  void lookAgain();
  void takeRun(const RunData& run);
  void endPause();
  void leaveNewest(const RunRow& ended);
  void takeBreakdown(std::int64_t run, const BreakdownData& measured);
  void showNewest();
  void askBreakdown(bool soon);
  void leaveEpoch();

  Session& session_;
  RecordingReader& reader_;
  Feed feed_;
  Progress progress_;
  TimeClock clock_ = TimeClock::modelled;
  /// What was looked at before the clock changed, in the time of the new one.
  struct Looked {
    TimeRange visible, selection;
    std::optional<std::int64_t> epoch;
    bool following = false;
  };
  std::optional<Looked> looked_;
  struct Pause {
    bool followed = false;          // the newest, before
    std::optional<RunData> newest;  // that was read since
  };
  std::optional<Pause> pause_;
};

}  // namespace halo
