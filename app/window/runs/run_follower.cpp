#include "app/window/runs/run_follower.h"

#include <algorithm>
#include <utility>

namespace halo {

RunFollower::RunFollower(Session& session, RecordingReader& reader)
    : session_(session), reader_(reader), feed_(session.lanes()) {
  connect(&reader, &RecordingReader::runRead, this, &RunFollower::takeRun);
  connect(&reader, &RecordingReader::breakdownRead, this, &RunFollower::takeBreakdown);
  connect(&feed_, &Feed::failed, this, [this](const QString& problem) {
    progress_.spansLack = true;
    emit problemFound(problem);
  });
  connect(&feed_, &Feed::complete, this, &RunFollower::advanced);
  connect(&feed_, &Feed::directoryRead, this, &RunFollower::lookAgain);
  connect(&feed_, &Feed::directoryRead, this, &RunFollower::advanced);
  connect(&session.scene(), &Scene::changed, this, &RunFollower::takeClock);
  connect(&session.window(), &TimeWindow::visibleChanged, this, &RunFollower::leaveEpoch);
  connect(&session.window(), &TimeWindow::epochChanged, this, [this] {
    if (session_.run().run.id != 0) askBreakdown(true);
  });
}

void RunFollower::leave() {
  endPause();
  feed_.close();
}

void RunFollower::follow(const RunRow& run) {
  endPause();
  session_.chooseRun(run);
  progress_ = {};
  looked_.reset();
  reader_.askRun(run.id);
  reader_.askBreakdown(run.id, run.workers, {});
  openFeed();
}

void RunFollower::setPaused(bool paused) {
  if (paused == this->paused()) return;
  if (paused) {
    pause_ = Pause{session_.window().following(), {}};
    session_.window().setFollowing(false);
    feed_.setPaused(true);
    session_.sceneLanes().setPaused(true);
  } else {
    const Pause before = *std::exchange(pause_, std::nullopt);
    feed_.setPaused(false);
    session_.sceneLanes().setPaused(false);
    if (before.newest) takeRun(*before.newest);
    if (before.followed) session_.window().setFollowing(true);
  }
  emit pausedChanged(paused);
}

const RunData& RunFollower::newest() const {
  return pause_ && pause_->newest ? *pause_->newest : session_.run();
}

void RunFollower::openFeed() { feed_.open(reader_.file().toStdString(), session_.run().run.id, {}, clock_); }

/// Spans are read again, in the time of the other clock; what is in view stays so.
void RunFollower::takeClock() {
  const TimeClock before = std::exchange(clock_, session_.scene().state().clock);
  const RunData& run = session_.run();
  if (before != clock_) setPaused(false);
  if (before == clock_ || run.run.id == 0) return;
  const RunClock recorded = run.clock();
  if (!run.parameters.empty() && !recorded.hasBoth()) return;  // it is shown as before
  const TimeWindow& window = session_.window();
  const double longer = recorded.divisor(clock_) / recorded.divisor(before);
  const auto inNew = [longer](TimeRange range) {
    return TimeRange{dividedNs(range.beginNs, longer), dividedNs(range.endNs, longer)};
  };
  const bool showsAll = window.visible() == window.extent();
  looked_ = {showsAll ? TimeRange{} : inNew(window.visible()), inNew(window.selection()), window.epoch(),
             window.following()};
  openFeed();
}

void RunFollower::lookAgain() {
  if (!looked_) return;
  const Looked looked = *std::exchange(looked_, std::nullopt);
  if (!looked.visible.empty()) session_.window().setVisible(looked.visible);
  session_.window().setEpoch(looked.epoch);
  if (!looked.selection.empty()) session_.window().select(looked.selection);
  if (looked.following) session_.window().setFollowing(true);
}

void RunFollower::takeRun(const RunData& run) {
  const RunRow& before = session_.run().run;
  if (run.run.id != before.id) return;
  const bool ended = before.status == "running" && run.run.status != "running";
  if (pause_ && !ended) {
    pause_->newest = run;
    return emit advanced();
  }
  endPause();
  session_.setRun(run);
  emit advanced();
  if (ended) leaveNewest(run.run);
  showNewest();
  // adding up every span again costs more than reading the epochs
  if (run.run.status == "running" || ended) askBreakdown(ended);
}

/// What waited is of no use any more, or comes all the same; what is in view stays there.
void RunFollower::endPause() {
  if (!pause_) return;
  *pause_ = {};
  setPaused(false);
}

/// Of a run that was followed to its end all is shown. One that did not get there stays in view as it is: its
/// last moments are what a person looks for. So does what a person looks at elsewhere.
void RunFollower::leaveNewest(const RunRow& ended) {
  if (!session_.window().following()) return;
  if (ended.status == "failed" || ended.status == "interrupted")
    session_.window().setFollowing(false);
  else
    session_.window().home();
}

/// The window shows the whole of a young run by itself while it grows. From eight epochs and two seconds of
/// spans on, it shows the last of them, following. A person who has looked elsewhere before is left there.
void RunFollower::showNewest() {
  const auto newest = session_.lanes().newestNs();
  if (session_.run().run.status != "running" || progress_.newestShown || !newest) return;
  // spans come in lumps of many epochs: less than two seconds would be all of another place each time
  constexpr std::int64_t kLeastNs = 2'000'000'000;
  const std::int64_t epochs = 8 * medianEpochNs(session_.run()),
                     recorded = epochs > 0 ? std::max(epochs, kLeastNs) : 0,
                     length = dividedNs(recorded, session_.run().clock().divisor(clock_));
  const TimeRange all = session_.window().extent();
  if (length <= 0 || length >= *newest - all.beginNs) return;
  progress_.newestShown = true;
  if (session_.window().visible() != all) return;
  session_.window().setVisible({*newest - length, *newest});
  session_.window().setFollowing(true);
}

/// At most every three seconds, unless it must be soon.
void RunFollower::askBreakdown(bool soon) {
  constexpr qint64 kSeldomMs = 3000;
  QElapsedTimer& since = progress_.sinceBreakdown;
  if (!soon && since.isValid() && since.elapsed() < kSeldomMs) return;
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

bool RunFollower::settled() const {
  const TimelineModel& lanes = session_.lanes();
  return session_.run().run.id == 0 || progress_.spansLack || paused() ||
         (lanes.rows().empty() ? session_.run().spans == 0 : qint64(lanes.spans()) >= session_.run().spans);
}

}  // namespace halo
