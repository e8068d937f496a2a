#include "app/window/run_follower.h"

#include <algorithm>
#include <utility>

namespace halo {

namespace {

constexpr int kPollMs = 500, kRetryMs = 300, kBreakdownMs = 3000;

}  // namespace

RunFollower::RunFollower(Session& session, const StartedRuns& started, QObject* parent)
    : QObject(parent), session_(session), started_(started), feed_(session.lanes()) {
  connect(&reader_, &RecordingReader::runsRead, this, &RunFollower::takeRuns);
  connect(&reader_, &RecordingReader::runRead, this, &RunFollower::takeRun);
  connect(&reader_, &RecordingReader::breakdownRead, this, &RunFollower::takeBreakdown);
  connect(&reader_, &RecordingReader::failed, this, &RunFollower::takeFailure);
  connect(&feed_, &Feed::failed, this, [this](const QString& problem) {
    following_.spansLack = true;
    emit problemFound(problem);
  });
  connect(&feed_, &Feed::complete, this, &RunFollower::tell);
  connect(&feed_, &Feed::directoryRead, this, &RunFollower::tell);
  connect(&session.window(), &TimeWindow::visibleChanged, this, &RunFollower::leaveEpoch);
  connect(&session.window(), &TimeWindow::epochChanged, this, [this] {
    if (session_.run().run.id != 0) askBreakdown(true);
  });
  poll_.setObjectName("poll");
  poll_.setParent(this);
  connect(&poll_, &QTimer::timeout, &reader_, &RecordingReader::refresh);
  connect(&poll_, &QTimer::timeout, this, &RunFollower::looked);
  poll_.start(kPollMs);
}

void RunFollower::open(const QString& file) {
  awaited_.reset();
  beginRecording(file);
}

void RunFollower::await(const QString& file, const QString& log) {
  awaited_ = log;
  if (file != reader_.file() || !failure_.isEmpty()) return beginRecording(file);
  tell();
}

void RunFollower::refuse(const QString& file, const QString& why) {
  takeFailure(file, file + why, reader_.isOpening() || reader_.isReading());
}

void RunFollower::beginRecording(const QString& file) {
  feed_.close();
  failure_.clear();
  following_ = {following_.generation + 1};
  session_.clear();
  reader_.open(file);
  emit opened(file);
  tell();
}

void RunFollower::choose(std::int64_t run) {
  if (run == session_.run().run.id || session_.runs().rowOf(run) < 0) return;
  awaited_.reset();
  beginRun(run);
}

void RunFollower::show(std::int64_t run) {
  if (run != session_.run().run.id && session_.runs().rowOf(run) >= 0) beginRun(run);
}

/// From its first byte, also where it was shown before.
void RunFollower::beginRun(std::int64_t run) {
  const RunRow row = session_.runs().runs().runs[static_cast<std::size_t>(session_.runs().rowOf(run))];
  failure_.clear();
  following_ = {following_.generation + 1};
  session_.chooseRun(row);
  reader_.askRun(run);
  reader_.askBreakdown(run, row.workers, {});
  feed_.open(reader_.file().toStdString(), run);
  tell();
}

/// Somebody took the shown run out of the recording.
void RunFollower::leaveDeleted() {
  emit said(QString("Run %1 was deleted from the recording.").arg(session_.run().run.id));
  feed_.close();
  session_.chooseRun({});
}

void RunFollower::takeRuns(const RunsData& runs) {
  const auto before = static_cast<std::size_t>(session_.runs().rowCount());
  const bool couldNotBeRead = !std::exchange(failure_, QString()).isEmpty();
  session_.setRuns(runs);
  if (awaited_ && before == 0) emit recordingMade(reader_.file());
  emit runsShown();
  if (session_.run().run.id != 0 && session_.runs().rowOf(session_.run().run.id) < 0) leaveDeleted();
  if (!runs.runs.empty()) chooseAmong(runs, runs.runs.size() > before, couldNotBeRead);
  tell();
}

void RunFollower::chooseAmong(const RunsData& runs, bool grown, bool couldNotBeRead) {
  const RunRow* live = runningRun(runs);
  if (awaited_ && live)
    show(live->id);  // the batch started here: always its current run
  else if (session_.run().run.id == 0 || (awaited_ && grown))
    show(runs.runs.back().id);
  else if (couldNotBeRead)
    beginRun(session_.run().run.id);
  if (awaited_ && !live && !started_.anyLives()) awaited_.reset();
}

void RunFollower::takeRun(const RunData& run) {
  const RunRow& before = session_.run().run;
  if (run.run.id != before.id) return;
  const bool ended = before.status == "running" && run.run.status != "running";
  session_.setRun(run);
  tell();
  if (ended && session_.window().following())
    session_.window().home();  // a person who looks elsewhere is left there
  showNewest();
  // adding up every span again costs more than reading the epochs
  if (run.run.status == "running" || ended) askBreakdown(ended);
}

/// The whole of a young run, which the window shows by itself while it grows; from eight epochs and two
/// seconds of spans on the last of them, following. A person who has looked elsewhere before is left there.
void RunFollower::showNewest() {
  const auto newest = session_.lanes().newestNs();
  if (session_.run().run.status != "running" || following_.newestShown || !newest) return;
  // spans come in lumps of many epochs: less than two seconds would be all of another place each time
  constexpr std::int64_t kLeastNs = 2'000'000'000;
  const std::int64_t epochs = 8 * medianEpochNs(session_.run()),
                     length = epochs > 0 ? std::max(epochs, kLeastNs) : 0;
  const TimeRange all = session_.window().extent();
  if (length <= 0 || length >= *newest - all.beginNs) return;
  following_.newestShown = true;
  if (session_.window().visible() != all) return;
  session_.window().setVisible({*newest - length, *newest});
  session_.window().setFollowing(true);
}

/// At most every three seconds, unless it must be soon.
void RunFollower::askBreakdown(bool soon) {
  QElapsedTimer& since = following_.sinceBreakdown;
  if (!soon && since.isValid() && since.elapsed() < kBreakdownMs) return;
  since.restart();
  reader_.askBreakdown(session_.run().run.id, session_.run().run.workers, session_.epochRange());
}

void RunFollower::takeBreakdown(std::int64_t run, const BreakdownData& measured) {
  if (run != session_.run().run.id) return;
  for (const std::string& sentence : measured.leftOut) emit problemFound(QString::fromStdString(sentence));
  session_.setBreakdown(measured);
}

/// Back at the whole run, no epoch is chosen any more.
void RunFollower::leaveEpoch() {
  TimeWindow& window = session_.window();
  if (window.epoch() && session_.run().epochs.size() > 1 && window.visible() == window.extent())
    window.setEpoch({});
}

void RunFollower::takeFailure(const QString& file, const QString& message, bool needed) {
  const bool noRuns = session_.runs().rowCount() == 0;
  // the recording of a run that is only just starting is not there yet, or not whole
  if (awaited_ && noRuns && started_.anyLives()) {
    QTimer::singleShot(kRetryMs, this, [this, file] {
      if (reader_.file() == file && session_.runs().rowCount() == 0) reader_.open(file);
    });
    return;
  }
  emit problemFound(message);
  if (!needed && !noRuns) return;  // what was read before stays
  failure_ = message + "\n\n`haloscope check` says what can be read of it.";
  if (awaited_)
    failure_ = "The run ended before it recorded anything. Its last words:\n\n" + lastWords(*awaited_, 5);
  awaited_.reset();
  tell();
}

/// The log is that of the shown run while it goes on, or of one started here whose run is still to come.
void RunFollower::tell() {
  const RunRow& run = session_.run().run;
  OpenState state{!reader_.file().isEmpty(),
                  reader_.isOpening(),
                  awaited_.has_value(),
                  reader_.isReading(),
                  failure_,
                  {}};
  const QString log = started_.logOf(run.supervisorPid);
  if (log.isEmpty())
    state.log = awaited_.value_or(QString());
  else if (run.status == "running")
    state.log = log;
  session_.setState(state);
}

bool RunFollower::settled() const {
  const bool asked =
      reader_.isOpening() || reader_.isReading() || reader_.isMeasuring() || reader_.isDrawing();
  const TimelineModel& lanes = session_.lanes();
  const bool shown =
      following_.spansLack ||
      (lanes.rows().empty() ? session_.run().spans == 0 : qint64(lanes.spans()) >= session_.run().spans);
  return !asked && (session_.run().run.id == 0 || shown);
}

}  // namespace halo
