#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStatusBar>
#include <algorithm>
#include <utility>

#include "app/window/main_window.h"
#include "app/window/run_process.h"
#include "views/experiment/experiment_form.h"
#include "views/look/figure_text.h"
#include "views/look/units.h"
#include "views/scene/scene_file.h"

namespace halo {

namespace {

constexpr std::int64_t kBehindNs = 500'000'000;  // so far spans may be behind their epochs without a word

bool isScene(const QString& file) { return file.endsWith(kSceneEnding); }
bool isExperiment(const QString& file) { return file.endsWith(".toml") && !isScene(file); }

}  // namespace

void MainWindow::openFile(const QString& file) {
  if (isScene(file))
    openScene(file);
  else if (isExperiment(file))
    openExperiment(file);
  else
    openRecording(file);
}

void MainWindow::openFiles(const QStringList& files) {
  QStringList opened, left;
  for (const QString& file : files) {
    const auto alike = [&](const QString& other) { return isExperiment(other) == isExperiment(file); };
    const auto before = std::ranges::find_if(opened, alike);
    if (before == opened.end())
      opened << file;
    else if (QFileInfo(file).absoluteFilePath() != QFileInfo(*before).absoluteFilePath() &&
             !left.contains(file))
      left << file;
  }
  for (const QString& file : opened) openFile(file);
  for (const QString& file : left)
    sayProblem(file + (isExperiment(file)
                           ? ": not opened, as the form holds one experiment at a time; File ▸ Open… opens "
                             "it in place of the other."
                           : ": not shown yet, as the window shows one recording at a time; File ▸ Open… "
                             "shows it in place of the other."));
}

void MainWindow::openExperiment(const QString& file) {
  if (!mayLoseChanges()) return;
  try {
    form_->load(file);
    remember(file);
    setPerspective(Perspective::setUp);
  } catch (const std::exception& error) {
    addProblem(QString::fromUtf8(error.what()));
  }
}

void MainWindow::openRecording(const QString& file) {
  followNewRun_ = false;
  beginReading(QFileInfo(file).absoluteFilePath());
  if (QFileInfo::exists(file)) remember(file);
}

void MainWindow::beginReading(const QString& file) {
  feed_.close();
  failure_.clear();
  stops_.clear();
  failedLog_.reset();
  session_.clear();
  banner_->hide();
  opening_ = true;
  reading_ = measuring_ = false;
  exporting_.reset();
  setWindowTitle(QFileInfo(file).fileName() + " – Haloscope");
  state_->setToolTip(plainRich("State of the shown run of " + file));
  reader_.open(file);
  tellState();
  showStatus();
}

/// The bundled recording is copied first: runs may then be added to it. Where nothing can be kept it is only
/// read.
void MainWindow::openSample() {
  if (!QFileInfo::exists(places_.sample)) {
    showFailure(places_.sample, places_.sample +
                                    ": the sample recording is not there; make one with `haloscope run " +
                                    places_.experiments + "/sample.toml`.");
    return;
  }
  const QString copy = QDir(places_.data).filePath("sample.db");
  if (!QFileInfo::exists(copy)) {
    QDir().mkpath(places_.data);
    if (!QFile::copy(places_.sample, copy)) {
      openRecording(places_.sample);
      const QString why = places_.data + ": cannot be written, so the sample is opened where it is, to read.";
      addProblem(why);
      statusBar()->showMessage(why, kMessageMs);
      return;
    }
    QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
  }
  openRecording(copy);
}

void MainWindow::openLast() {
  QStringList recent = settings_.value("recent").toStringList();
  recent.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  const auto recording = std::ranges::find_if_not(recent, isExperiment);
  if (recent.isEmpty()) return openSample();
  if (recording != recent.end()) openRecording(*recording);
  if (isExperiment(recent.first())) openExperiment(recent.first());
}

void MainWindow::remember(const QString& file) {
  const QString path = QFileInfo(file).absoluteFilePath();
  QStringList recent = settings_.value("recent").toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  recent = recent.mid(0, 8);
  settings_.setValue("recent", recent);
  emit session_.recentChanged(recent);
}

void MainWindow::chooseRun(std::int64_t run) {
  if (run == session_.run().run.id || session_.runs().rowOf(run) < 0) return;
  followNewRun_ = false;
  showRunOf(run);
}

void MainWindow::showRunOf(std::int64_t run) {
  if (run != session_.run().run.id && session_.runs().rowOf(run) >= 0) beginRun(run);
}

/// From its first byte, also where it was shown before.
void MainWindow::beginRun(std::int64_t run) {
  const RunRow row = session_.runs().runs().runs[static_cast<std::size_t>(session_.runs().rowOf(run))];
  failure_.clear();
  failedLog_.reset();
  session_.chooseRun(row);
  reading_ = measuring_ = true;
  sinceBreakdown_.invalidate();
  reader_.askRun(run);
  reader_.askBreakdown(run, row.workers, {});
  feed_.open(reader_.file().toStdString(), run);
  live_ = lacking_ = false;
  runChoice_->setCurrentIndex(session_.runs().rowOf(run));
  tellState();
  showStatus();
}

/// Somebody took the shown run out of the recording.
void MainWindow::leaveDeleted() {
  statusBar()->showMessage(QString("Run %1 was deleted from the recording.").arg(session_.run().run.id),
                           kMessageMs);
  feed_.close();
  banner_->hide();
  session_.chooseRun({});
}

void MainWindow::takeRuns(const RunsData& found) {
  const auto before = static_cast<std::size_t>(session_.runs().rowCount());
  const bool couldNotBeRead = !std::exchange(failure_, QString()).isEmpty();
  opening_ = false;
  session_.setRuns(found);
  if (followNewRun_ && before == 0) remember(reader_.file());  // made by the run that was started here
  if (isStale(session_.sceneData(), reader_.file(), found.runs)) sceneReader_.read();
  emit runsShown();
  if (session_.run().run.id != 0 && session_.runs().rowOf(session_.run().run.id) < 0) leaveDeleted();
  if (found.runs.empty()) {
    tellState();
    showStatus();
    return;
  }
  const bool grown = found.runs.size() > before;
  const RunRow* live = running();
  if (followNewRun_ && live)
    showRunOf(live->id);  // the batch started here: always its current run
  else if (session_.run().run.id == 0 || (followNewRun_ && grown))
    showRunOf(found.runs.back().id);
  else if (couldNotBeRead)
    beginRun(session_.run().run.id);
  if (followNewRun_ && !live && !startedLives()) followNewRun_ = false;
  if (const int row = session_.runs().rowOf(session_.run().run.id);
      row >= 0 && runChoice_->currentIndex() != row)
    runChoice_->setCurrentIndex(row);
  tellState();
  showStatus();
}

void MainWindow::takeRun(const RunData& read) {
  const RunRow& before = session_.run().run;
  if (read.run.id != before.id) return;
  reading_ = false;
  const bool ended = before.status == "running" && read.run.status != "running";
  session_.setRun(read);
  tellState();
  if (ended && session_.window().following())
    session_.window().home();  // a person who looks elsewhere is left there
  followLive();
  {
    const QSignalBlocker quiet(epoch_);
    epoch_->setRange(-1, static_cast<int>(read.epochs.size()) - 1);
  }
  showBanner(read.run);
  // adding up every span again costs more than reading the epochs: at most every three seconds, and at the
  // end
  if (read.run.status == "running" || ended) askBreakdown(ended);
  showStatus();
}

/// Nothing but what the run itself says: that also tells what is kept.
void MainWindow::showBanner(const RunRow& run) {
  if (failedLog_) return;  // newer than what the shown run came to
  const bool bad = run.status == "failed" || run.status == "interrupted";
  QString why = QString::fromStdString(run.error).trimmed().toHtmlEscaped();
  if (!why.isEmpty() && !why.endsWith('.')) why += '.';
  if (bad)
    banner_->setText(QString("✗ Run %1 %2: %3 <a href=\"log\">Show its log</a>")
                         .arg(run.id)
                         .arg(QString::fromStdString(run.status), why));
  banner_->setVisible(bad);
}

/// The whole of a young run, which the window shows by itself while it grows; from eight epochs and two
/// seconds of spans on the last of them, following. A person who has looked elsewhere before is left there.
void MainWindow::followLive() {
  const auto newest = session_.lanes().newestNs();
  if (session_.run().run.status != "running" || live_ || !newest) return;
  // spans come in lumps of many epochs: less than two seconds would be all of another place each time
  constexpr std::int64_t kLeastNs = 2'000'000'000;
  const std::int64_t epochs = 8 * medianEpochNs(session_.run()),
                     length = epochs > 0 ? std::max(epochs, kLeastNs) : 0;
  const TimeRange all = session_.window().extent();
  if (length <= 0 || length >= *newest - all.beginNs) return;
  live_ = true;
  if (session_.window().visible() != all) return;
  session_.window().setVisible({*newest - length, *newest});
  session_.window().setFollowing(true);
}

void MainWindow::askBreakdown(bool soon) {
  if (!soon && sinceBreakdown_.isValid() && sinceBreakdown_.elapsed() < 3000) return;
  sinceBreakdown_.restart();
  reader_.askBreakdown(session_.run().run.id, session_.run().run.workers, session_.epochRange());
}

void MainWindow::takeBreakdown(std::int64_t run, const BreakdownData& measured) {
  if (run != session_.run().run.id) return;
  measuring_ = false;
  for (const std::string& sentence : measured.leftOut) addProblem(QString::fromStdString(sentence));
  session_.setBreakdown(measured);
}

/// By the box or its arrows. The timeline's own steps bring their own window.
void MainWindow::chooseEpoch(int epoch) {
  session_.window().setEpoch(epoch < 0 ? std::nullopt : std::optional<std::int64_t>(epoch));
  if (const TimeRange range = session_.epochRange(); !range.empty()) session_.window().setVisible(range);
}

void MainWindow::showEpoch() {
  const QSignalBlocker quiet(epoch_);
  epoch_->setValue(static_cast<int>(session_.window().epoch().value_or(-1)));
  if (session_.run().run.id != 0) askBreakdown(true);
}

/// Back at the whole run, no epoch is chosen any more.
void MainWindow::showVisible() {
  showSelection();
  if (session_.window().epoch() && session_.run().epochs.size() > 1 &&
      session_.window().visible() == session_.window().extent())
    session_.window().setEpoch({});
}

void MainWindow::showFailure(const QString& file, const QString& message) {
  // the recording of a run that is only just starting is not there yet, or not whole
  if (followNewRun_ && session_.runs().rowCount() == 0 && startedLives()) {
    opening_ = false;
    QTimer::singleShot(300, this, [this, file] {
      if (reader_.file() == file && session_.runs().rowCount() == 0) reader_.open(file);
    });
    return;
  }
  const bool whole = opening_ || reading_ || session_.runs().rowCount() == 0;
  opening_ = reading_ = measuring_ = false;
  exporting_.reset();
  const bool started = whole && followNewRun_ && !startedLives();
  if (!started) addProblem(message);
  if (!whole) return;  // what was read before stays
  failure_ = message + "\n\n`haloscope check` says what can be read of it.";
  if (started) {
    failure_ = "The run ended before it recorded anything. Its last words:\n\n" + lastWords(newestLog_, 5);
    tellFailedEnd(newestLog_);
  }
  followNewRun_ = false;
  tellState();
}

/// The log is that of the shown run while it goes on, or of one started here whose run is still to come or
/// never came.
void MainWindow::tellState() {
  const RunRow& run = session_.run().run;
  const auto started = started_.find(run.supervisorPid);
  OpenState state{!reader_.file().isEmpty(), opening_, followNewRun_, reading_, failure_, {}};
  if (started == started_.end())
    state.log = followNewRun_ ? newestLog_ : QString();
  else if (run.status == "running")
    state.log = started->second.log;
  if (failedLog_) state.log = *failedLog_;
  session_.setState(state);
  offerExperiment();
}

void MainWindow::showStatus() {
  const RunRow& run = session_.run().run;
  if (run.id == 0) {
    state_->setText(reader_.file().isEmpty() ? "No recording" : "No run chosen");
    for (QLabel* label : {ranks_, spans_, dropped_, recorder_}) label->clear();
  } else {
    const auto asked = stops_.find(run.id);
    const QString stopping =
        asked == stops_.end() ? "" : stopText(asked->second.times, asked->second.since.elapsed());
    const bool live = run.status == "running";
    state_->setText(QString("%1%2").arg(QString::fromStdString(run.status), live ? stopping : ""));
    ranks_->setText(QString("· %1 %2%3")
                        .arg(run.workers)
                        .arg(run.kind == "simulation" ? "lane" : "worker", run.workers == 1 ? "" : "s"));
    const std::int64_t end = session_.window().extent().endNs,
                       behind = live ? end - session_.lanes().newestNs().value_or(end) : 0;
    spans_->setText("· " + formatCount(session_.run().spans) + " spans" +
                    (behind > kBehindNs ? ", " + formatNs(behind, 2) + " behind" : QString()));
    std::int64_t dropped = 0;
    for (const WorkerRow& worker : session_.run().workers) dropped += worker.droppedSpans;
    dropped_->setText("· dropped " + formatCount(dropped));
    const auto cost = session_.run().latest.find("recorder_share");
    recorder_->setText(cost == session_.run().latest.end() ? "" : "· recorder " + formatShare(cost->second));
  }
  stop_->setEnabled(toStop() != nullptr);
}

void MainWindow::showSelection() {
  const TimeRange selected = session_.window().selection(), visible = session_.window().visible();
  selection_->setText(selected.empty() ? (visible.empty() ? "" : "· visible " + formatNs(visible.lengthNs()))
                                       : "· selected Δ " + formatNs(selected.lengthNs()));
}

void MainWindow::addProblem(const QString& message) {
  for (const Problem& known : problems_)
    if (known.message == message.toStdString()) return;
  problems_.push_back({"", 0, 0, "", message.toStdString()});
  listProblems({});
}

/// Also at once, in the status bar.
void MainWindow::sayProblem(const QString& message) {
  addProblem(message);
  statusBar()->showMessage(message, kMessageMs);
}

void MainWindow::listProblems(const std::vector<Problem>& ofExperiment) {
  std::vector<Problem> all = ofExperiment;
  all.insert(all.end(), problems_.begin(), problems_.end());
  emit session_.problemsFound(all);
}

bool MainWindow::settled() const {
  const bool lanes = lacking_ || (session_.lanes().rows().empty()
                                      ? session_.run().spans == 0
                                      : qint64(session_.lanes().spans()) >= session_.run().spans);
  return !opening_ && !reading_ && !measuring_ && !exporting_ && sceneReader_.settled() &&
         (session_.run().run.id == 0 || lanes);
}

}  // namespace halo
