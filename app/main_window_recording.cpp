#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QProcess>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTreeView>

#include "app/main_window.h"
#include "app/run_process.h"
#include "views/breakdown_view.h"
#include "views/convergence_view.h"
#include "views/experiment_form.h"
#include "views/experiments_model.h"
#include "views/inspector_view.h"
#include "views/ledger_view.h"
#include "views/log_view.h"
#include "views/notice.h"
#include "views/problems_view.h"
#include "views/runs_view.h"
#include "views/start_view.h"
#include "views/timeline_view.h"
#include "views/units.h"

namespace halo {

namespace {
constexpr qint64 kStartingMs = 30'000;  // by then a run has made its recording, or its log says why not
}

void MainWindow::openFile(const QString& file) {
  if (file.endsWith(".toml"))
    openExperiment(file);
  else
    openRecording(file);
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
  timelineModel_.clear();
  shown_ = {};
  failure_.clear();
  stops_.clear();
  runsModel_->setRuns({});
  experimentsModel_->setRuns({});
  inspector_->clearRun();
  banner_->hide();
  opening_ = true;
  reading_ = measuring_ = false;
  exporting_.reset();
  setWindowTitle(QFileInfo(file).fileName() + " – Haloscope");
  state_->setToolTip("State of the shown run of " + file);
  reader_.open(file);
  showTimelineState();
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

void MainWindow::remember(const QString& file) {
  const QString path = QFileInfo(file).absoluteFilePath();
  QStringList recent = settings_.value("recent").toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  recent = recent.mid(0, 8);
  settings_.setValue("recent", recent);
  start_->setRecent(recent);
}

void MainWindow::chooseRun(std::int64_t run) {
  if (run == shown_.run.id || runsModel_->rowOf(run) < 0) return;
  followNewRun_ = false;
  showRunOf(run);
}

void MainWindow::showRunOf(std::int64_t run) {
  if (run == shown_.run.id || runsModel_->rowOf(run) < 0) return;
  shown_ = {};
  shown_.run = runsModel_->runs().runs[static_cast<std::size_t>(runsModel_->rowOf(run))];
  window_.setEpoch({});
  inspector_->showSpan(-1, nullptr, 0);
  reading_ = measuring_ = true;
  sinceBreakdown_.invalidate();
  reader_.askRun(run);
  reader_.askBreakdown(run, shown_.run.workers, {});
  feed_.open(reader_.file().toStdString(), run);
  live_ = lacking_ = false;
  runs_->chooseRun(run);
  tree_->setCurrentIndex(experimentsModel_->indexOf(run));
  runChoice_->setCurrentIndex(runsModel_->rowOf(run));
  showStatus();
}

void MainWindow::showRuns(const RunsData& found) {
  const auto before = static_cast<std::size_t>(runsModel_->rowCount());
  opening_ = false;
  failure_.clear();
  runsModel_->setRuns(found);
  experimentsModel_->setRuns(found);
  if (found.experiments.size() <= 20) tree_->expandAll();
  emit runsShown();
  if (found.runs.empty()) {
    showTimelineState();
    return;
  }
  const bool grown = found.runs.size() > before;
  const RunRow* live = running();
  if (followNewRun_ && live)
    showRunOf(live->id);  // the batch started here: always its current run
  else if (shown_.run.id == 0 || (followNewRun_ && grown))
    showRunOf(found.runs.back().id);
  if (followNewRun_ && !live && !startedLives()) followNewRun_ = false;
  if (const int row = runsModel_->rowOf(shown_.run.id); row >= 0 && runChoice_->currentIndex() != row)
    runChoice_->setCurrentIndex(row);
  if (!tree_->currentIndex().isValid()) tree_->setCurrentIndex(experimentsModel_->indexOf(shown_.run.id));
  showTimelineState();
  showStatus();
}

void MainWindow::showRun(const RunData& read) {
  if (read.run.id != shown_.run.id) return;
  reading_ = false;
  const bool ended = shown_.run.status == "running" && read.run.status != "running";
  BreakdownData kept = std::move(shown_.breakdown);
  shown_ = read;
  shown_.breakdown = std::move(kept);
  if (ended && window_.following()) window_.home();  // a person who looks elsewhere is left there
  followLive();
  inspector_->showRun(shown_);
  convergence_->show({shown_});
  ledger_->show(shown_);
  {
    const QSignalBlocker quiet(epoch_);
    epoch_->setRange(-1, static_cast<int>(shown_.epochs.size()) - 1);
  }
  showLog(read);
  if (read.run.status == "failed" || read.run.status == "interrupted")
    banner_->setText(QString("✗ Run %1 %2: %3 What it recorded is kept. <a href=\"log\">Show its log</a>")
                         .arg(read.run.id)
                         .arg(QString::fromStdString(read.run.status),
                              QString::fromStdString(read.run.error).toHtmlEscaped()));
  banner_->setVisible(read.run.status == "failed" || read.run.status == "interrupted");
  // adding up every span again costs more than reading the epochs: at most every three seconds, and at the
  // end
  if (read.run.status == "running" || ended) askBreakdown(ended);
  showTimelineState();
  showStatus();
}

void MainWindow::showLog(const RunData& read) {
  const auto started = started_.find(read.run.supervisorPid);
  if (started != started_.end() && read.run.status == "running")
    log_->follow(started->second);
  else if (!read.log.empty())
    log_->showText(QString::fromStdString(read.log));
  else if (!followNewRun_)
    log_->showText("");
}

/// The whole of a young run, which the window shows by itself while it grows; from eight epochs and two
/// seconds on the last of them, following. A person who has looked elsewhere before is left there.
void MainWindow::followLive() {
  if (shown_.run.status != "running" || live_ || window_.extent().empty()) return;
  // spans come some tenths of a second after their epoch: less than two seconds would be mostly empty
  constexpr std::int64_t kLeastNs = 2'000'000'000;
  const std::int64_t epochs = 8 * medianEpochNs(shown_), length = epochs > 0 ? std::max(epochs, kLeastNs) : 0;
  const TimeRange all = window_.extent();
  if (length <= 0 || length >= all.lengthNs()) return;
  live_ = true;
  if (window_.visible() != all) return;
  window_.setVisible({all.endNs - length, all.endNs});
  window_.setFollowing(true);
}

TimeRange MainWindow::epochRange() const {
  if (const auto epoch = window_.epoch())
    for (const EpochRow& row : shown_.epochs)
      if (row.epoch == *epoch) return {row.beginNs, row.beginNs + row.wallNs};
  return {};
}

void MainWindow::askBreakdown(bool soon) {
  if (!soon && sinceBreakdown_.isValid() && sinceBreakdown_.elapsed() < 3000) return;
  sinceBreakdown_.restart();
  reader_.askBreakdown(shown_.run.id, shown_.run.workers, epochRange());
}

void MainWindow::showBreakdown(std::int64_t run, const BreakdownData& measured) {
  if (run != shown_.run.id) return;
  measuring_ = false;
  shown_.breakdown = measured;
  QString what = window_.epoch() ? QString("Epoch %1").arg(*window_.epoch()) : QString("The whole run");
  if (const auto left = measured.leftOut.size(); left > 0) {
    what = QString("%1 worker%2 left out, whose spans cannot be read (see Problems). %3")
               .arg(left)
               .arg(left == 1 ? "" : "s", what);
    for (const std::string& sentence : measured.leftOut) addProblem(QString::fromStdString(sentence));
  }
  breakdown_->show(shown_, what);
}

/// By the box or its arrows. The timeline's own steps bring their own window.
void MainWindow::chooseEpoch(int epoch) {
  window_.setEpoch(epoch < 0 ? std::nullopt : std::optional<std::int64_t>(epoch));
  if (const TimeRange range = epochRange(); !range.empty()) window_.setVisible(range);
}

void MainWindow::showEpoch() {
  const QSignalBlocker quiet(epoch_);
  epoch_->setValue(static_cast<int>(window_.epoch().value_or(-1)));
  if (shown_.run.id != 0) askBreakdown(true);
}

/// Back at the whole run, no epoch is chosen any more.
void MainWindow::showVisible() {
  showSelection();
  if (window_.epoch() && shown_.epochs.size() > 1 && window_.visible() == window_.extent())
    window_.setEpoch({});
}

void MainWindow::showFailure(const QString& file, const QString& message) {
  // the recording of a run that is only just starting is not there yet, or not whole
  if (followNewRun_ && runsModel_->rowCount() == 0 && startedLives()) {
    opening_ = false;
    QTimer::singleShot(300, this, [this, file] {
      if (reader_.file() == file && runsModel_->rowCount() == 0) reader_.open(file);
    });
    return;
  }
  const bool whole = opening_ || runsModel_->rowCount() == 0;
  opening_ = reading_ = measuring_ = false;
  exporting_.reset();
  addProblem(message);
  if (!whole) return;  // what was read before stays
  failure_ = message + "\n\n`haloscope check` says what can be read of it.";
  if (followNewRun_)
    failure_ = "The run ended before it recorded anything. Its last words:\n\n" + lastWords(newestLog_, 5);
  followNewRun_ = false;
  showTimelineState();
}

void MainWindow::showTimelineState() {
  const auto say = [this](const QString& sentence, const QString& button, bool opens) {
    notice_->tell(sentence, button);
    notice_->setProperty("opens", opens);
    stage_->setCurrentWidget(notice_);
  };
  if (!failure_.isEmpty())
    say(failure_, "Open another file…", true);
  else if (reader_.file().isEmpty() && !followNewRun_)
    stage_->setCurrentWidget(start_);
  else if (runsModel_->rowCount() == 0 && followNewRun_)
    say("Starting the workers; their lanes appear here with the first epoch. The log below tells how far "
        "they are.",
        "", false);
  else if (opening_)
    say("Opening the recording…", "", false);
  else if (runsModel_->rowCount() == 0)
    say("This recording holds no runs yet.", "New experiment", false);
  else if (!timelineModel_.rows().empty())
    stage_->setCurrentWidget(timeline_);
  else if (shown_.run.status == "running" || shown_.run.status == "queued")
    say("The run is starting; its lanes appear here with the first epoch.", "", false);
  else if (!reading_ && shown_.spans == 0)
    say("This run recorded no spans, so there is no timeline of it; convergence and ledger are below.",
        "New experiment", false);
}

void MainWindow::showStatus() {
  const RunRow& run = shown_.run;
  if (run.id == 0) {
    state_->setText(reader_.file().isEmpty() ? "No recording" : "No run chosen");
    for (QLabel* label : {ranks_, spans_, dropped_, recorder_}) label->clear();
  } else {
    const auto asked = stops_.find(run.id);
    const QString stopping = asked == stops_.end() ? ""
                             : asked->second == 1  ? " · stopping after this epoch"
                                                   : " · stopping now";
    const bool live = run.status == "running";
    state_->setText(QString("%1%2").arg(QString::fromStdString(run.status), live ? stopping : ""));
    ranks_->setText(QString("· %1 worker%2").arg(run.workers).arg(run.workers == 1 ? "" : "s"));
    spans_->setText("· " + formatCount(shown_.spans) + " spans");
    std::int64_t dropped = 0;
    for (const WorkerRow& worker : shown_.workers) dropped += worker.droppedSpans;
    dropped_->setText("· dropped " + formatCount(dropped));
    const auto cost = shown_.latest.find("recorder_share");
    recorder_->setText(cost == shown_.latest.end() ? "" : "· recorder " + formatShare(cost->second));
  }
  stop_->setEnabled(toStop() != nullptr);
}

void MainWindow::showSelection() {
  const TimeRange selected = window_.selection(), visible = window_.visible();
  selection_->setText(selected.empty() ? (visible.empty() ? "" : "visible " + formatNs(visible.lengthNs()))
                                       : "selected Δ " + formatNs(selected.lengthNs()));
}

void MainWindow::addProblem(const QString& message) {
  for (const Problem& known : problems_)
    if (known.message == message.toStdString()) return;
  problems_.push_back({"", 0, 0, "", message.toStdString()});
  listProblems({});
}

void MainWindow::listProblems(const std::vector<Problem>& ofExperiment) {
  std::vector<Problem> all = ofExperiment;
  all.insert(all.end(), problems_.begin(), problems_.end());
  problemsView_->showProblems(all);
  docks_["Problems"]->setWindowTitle(all.empty() ? QString("Problems")
                                                 : QString("Problems (%1)").arg(all.size()));
}

bool MainWindow::settled() const {
  const bool lanes =
      lacking_ ||
      (timelineModel_.rows().empty() ? shown_.spans == 0 : qint64(timelineModel_.spans()) >= shown_.spans);
  return !opening_ && !reading_ && !measuring_ && !exporting_ && (shown_.run.id == 0 || lanes) &&
         !findChild<QProcess*>("methods");
}

}  // namespace halo
