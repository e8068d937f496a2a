#include "app/window/runs/recording_desk.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "engine/base/index.h"

namespace halo {

RecordingDesk::RecordingDesk(Session& session, StartedRuns& started, QObject* parent)
    : QObject(parent), session_(session), started_(started), follower_(session, reader_) {
  connect(&reader_, &RecordingReader::runsRead, this, &RecordingDesk::takeRuns);
  connect(&reader_, &RecordingReader::looked, this, &RecordingDesk::lookForFailedStarts);
  connect(&reader_, &RecordingReader::failed, this,
          [this](const QString&, const QString& problem, bool needed) { takeFailure(problem, needed); });
  connect(&follower_, &RunFollower::advanced, this, &RecordingDesk::tell);
  connect(&follower_, &RunFollower::problemFound, this, &RecordingDesk::problemFound);
  connect(&follower_, &RunFollower::pausedChanged, this, &RecordingDesk::pausedChanged);
  constexpr int kPollMs = 500;
  poll_.setObjectName("poll");
  poll_.setParent(this);
  connect(&poll_, &QTimer::timeout, &reader_, &RecordingReader::refresh);
  connect(&poll_, &QTimer::timeout, this, &RecordingDesk::looked);  // also of a run that records nothing
  poll_.start(kPollMs);
}

void RecordingDesk::open(const QString& file, std::int64_t run) {
  awaited_.reset();
  wanted_ = run;
  beginRecording(file);
}

void RecordingDesk::await(const QString& file, const QString& log) {
  awaited_ = log;
  wanted_ = 0;
  failedLog_.reset();
  if (file != reader_.file() || !failure_.isEmpty()) return beginRecording(file);
  tell();
}

void RecordingDesk::failStart(const QString& why, const QString& log) {
  awaited_.reset();
  failedLog_ = log;
  emit startFailed(why);
  tell();
}

void RecordingDesk::refuse(const QString& why) {
  takeFailure(why, reader_.isOpening() || reader_.isReading());
}

void RecordingDesk::beginRecording(const QString& file) {
  follower_.leave();
  failure_.clear();
  failedLog_.reset();
  session_.clear();
  reader_.open(file);
  emit opened(file);
  tell();
}

void RecordingDesk::stopOpening() {
  if (!reader_.isOpening()) return;
  emit said(QFileInfo(reader_.file()).fileName() + " was not opened.");
  awaited_.reset();
  wanted_ = 0;
  reader_.leave();
  emit opened({});
  tell();
}

void RecordingDesk::choose(std::int64_t run) {
  if (run == session_.run().run.id || session_.runs().rowOf(run) < 0) return;
  awaited_.reset();
  beginRun(run);
}

void RecordingDesk::show(std::int64_t run) {
  if (run != session_.run().run.id && session_.runs().rowOf(run) >= 0) beginRun(run);
}

void RecordingDesk::beginRun(std::int64_t run) {
  const RunRow row = session_.runs().runs().runs[at(session_.runs().rowOf(run))];
  failure_.clear();
  failedLog_.reset();
  follower_.follow(row);
  tell();
}

/// Somebody took the shown run out of the recording.
void RecordingDesk::leaveDeleted() {
  emit said(QString("Run %1 was deleted from the recording.").arg(session_.run().run.id));
  follower_.leave();
  session_.chooseRun({});
}

void RecordingDesk::takeRuns(const SharedRuns& runs) {
  const auto before = at(session_.runs().rowCount());
  const bool couldNotBeRead = !std::exchange(failure_, QString()).isEmpty();
  session_.setRuns(runs);
  if (awaited_ && before == 0) emit recordingMade(reader_.file());
  emit runsShown();
  if (session_.run().run.id != 0 && session_.runs().rowOf(session_.run().run.id) < 0) leaveDeleted();
  if (!runs->runs.empty()) chooseAmong(*runs, runs->runs.size() > before, couldNotBeRead);
  tell();
}

void RecordingDesk::chooseAmong(const RunsData& runs, bool grown, bool couldNotBeRead) {
  const RunRow* live = runningRun(runs);
  if (awaited_ && live)
    show(live->id);  // the batch started here: always its current run
  else if (session_.run().run.id == 0 || (awaited_ && grown))
    show(session_.runs().rowOf(wanted_) >= 0 ? std::exchange(wanted_, 0) : runs.runs.back().id);
  else if (couldNotBeRead)
    beginRun(session_.run().run.id);
  if (awaited_ && !live && !started_.anyLives()) awaited_.reset();
}

void RecordingDesk::takeFailure(const QString& problem, bool needed) {
  const bool noRuns = session_.runs().rowCount() == 0, nothingToShow = needed || noRuns,
             mayComeYet = awaited_ && started_.anyLives();
  if (mayComeYet && noRuns) return retrySoon();
  const bool ended = nothingToShow && awaited_ && !mayComeYet;
  if (!ended) emit problemFound(problem);
  if (!nothingToShow) return;  // what was read before stays
  failure_ = problem + "\n\n`haloscope check` says what can be read of it.";
  if (ended) {
    const QString log = *awaited_;
    failure_ = "The run ended before it recorded anything. Its last words:\n\n" + lastWords(log, 5);
    return failEnded(log);
  }
  awaited_.reset();
  tell();
}

/// The recording of a run that is only just starting is not there yet, or not whole.
void RecordingDesk::retrySoon() {
  constexpr int kSoonMs = 300;
  QTimer::singleShot(kSoonMs, this, [this, generation = reader_.generation()] {
    if (generation == reader_.generation() && session_.runs().rowCount() == 0) reader_.open(reader_.file());
  });
}

void RecordingDesk::lookForFailedStarts() {
  for (const QString& log : started_.comeToNothing(reader_.file(), session_.runs().runs())) failEnded(log);
}

/// Of a start that ended without a run; its log has its words.
void RecordingDesk::failEnded(const QString& log) {
  started_.markTold(log);
  const QString words = lastWords(log, 5).replace('\n', "; ");
  failStart("the run ended before it recorded anything" + (words.isEmpty() ? "." : ": " + words), log);
}

/// The log is that of the shown run while it goes on, or of a start whose run is still to come or never came.
void RecordingDesk::tell() {
  const RunRow& run = session_.run().run;
  OpenState state{!reader_.file().isEmpty(),
                  reader_.isOpening(),
                  awaited_.has_value(),
                  reader_.isReading(),
                  failure_,
                  {}};
  const QString log = started_.logOf(run.supervisorPid);
  if (failedLog_)
    state.log = *failedLog_;
  else if (log.isEmpty())
    state.log = awaited_.value_or(QString());
  else if (run.status == "running")
    state.log = log;
  session_.setState(state);
}

}  // namespace halo
