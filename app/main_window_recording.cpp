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
#include <QStandardPaths>
#include <QSysInfo>
#include <QTreeView>

#include "app/main_window.h"
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
  feed_.close();
  timelineModel_.clear();
  shown_ = {};
  runsModel_->setRuns({});
  experimentsModel_->setRuns({});
  inspector_->clearRun();
  opening_ = QFileInfo::exists(file);
  const QString name = QFileInfo(file).absoluteFilePath();
  setWindowTitle(QFileInfo(file).fileName() + " – Haloscope");
  if (opening_ || followNewRun_)
    reader_.open(name);
  else
    showFailure(file, file + ": there is no such recording.");
  if (opening_) remember(name);
  showTimelineState();
}

/// The bundled recording is copied first: SQLite writes beside a recording, and its folder may not be ours.
void MainWindow::openSample() {
  if (!QFileInfo::exists(places_.sample)) {
    showFailure(places_.sample, places_.sample +
                                    ": the sample recording is not there; make one with `haloscope run " +
                                    places_.experiments + "/sample.toml`.");
    return;
  }
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  const QString copy = QDir(folder).filePath("sample.db");
  QDir().mkpath(folder);
  if (!QFileInfo::exists(copy)) {
    QFile::copy(places_.sample, copy);
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
  shown_ = {};
  shown_.run = runsModel_->runs().runs[static_cast<std::size_t>(runsModel_->rowOf(run))];
  window_.setEpoch({});
  inspector_->showSpan(-1, nullptr, 0);
  reading_ = measuring_ = true;
  sinceBreakdown_.invalidate();
  reader_.askRun(run);
  reader_.askBreakdown(run, shown_.run.workers, {});
  feed_.open(reader_.file().toStdString(), run);
  live_ = false;
  runs_->chooseRun(run);
  tree_->setCurrentIndex(experimentsModel_->indexOf(run));
  runChoice_->setCurrentIndex(runsModel_->rowOf(run));
}

const RunRow* MainWindow::running() const {
  for (auto run = runsModel_->runs().runs.rbegin(); run != runsModel_->runs().runs.rend(); ++run)
    if (run->status == "running" || run->status == "queued") return &*run;
  return nullptr;
}

void MainWindow::showRuns(const RunsData& found) {
  const auto before = static_cast<std::size_t>(runsModel_->rowCount());
  opening_ = false;
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
    chooseRun(live->id);  // the batch started here: always its current run
  else if (shown_.run.id == 0 || (followNewRun_ && grown))
    chooseRun(found.runs.back().id);
  if (const int row = runsModel_->rowOf(shown_.run.id); row >= 0 && runChoice_->currentIndex() != row)
    runChoice_->setCurrentIndex(row);
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
  if (ended) {
    window_.setFollowing(false);
    window_.home();
  }
  followLive();
  inspector_->showRun(shown_);
  convergence_->show({shown_});
  ledger_->show(shown_);
  {
    const QSignalBlocker quiet(epoch_);
    epoch_->setRange(-1, static_cast<int>(shown_.epochs.size()) - 1);
  }
  if (!startedLog_.isEmpty() && read.run.status == "running")
    log_->follow(startedLog_);
  else if (!read.log.empty())
    log_->showText(QString::fromStdString(read.log));
  else if (startedLog_.isEmpty())
    log_->showText("");
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

/// The whole of a young run; from eight epochs on the last eight of them, following, until a person looks
/// elsewhere.
void MainWindow::followLive() {
  if (shown_.run.status != "running" || live_ || window_.extent().empty()) return;
  const std::int64_t length = 8 * medianEpochNs(shown_);
  const TimeRange all = window_.extent();
  if (length <= 0 || length >= all.lengthNs()) {
    window_.home();
    return;
  }
  window_.setVisible({all.endNs - length, all.endNs});
  window_.setFollowing(true);
  live_ = true;
}

void MainWindow::askBreakdown(bool soon) {
  if (!soon && sinceBreakdown_.isValid() && sinceBreakdown_.elapsed() < 3000) return;
  sinceBreakdown_.restart();
  TimeRange range;
  if (const auto epoch = window_.epoch())
    for (const EpochRow& row : shown_.epochs)
      if (row.epoch == *epoch) range = {row.beginNs, row.beginNs + row.wallNs};
  reader_.askBreakdown(shown_.run.id, shown_.run.workers, range);
}

void MainWindow::showBreakdown(std::int64_t run, const BreakdownData& measured) {
  if (run != shown_.run.id) return;
  measuring_ = false;
  shown_.breakdown = measured;
  breakdown_->show(shown_,
                   window_.epoch() ? QString("Epoch %1").arg(*window_.epoch()) : QString("The whole run"));
}

void MainWindow::showEpoch() {
  const QSignalBlocker quiet(epoch_);
  epoch_->setValue(static_cast<int>(window_.epoch().value_or(-1)));
  if (shown_.run.id == 0) return;
  askBreakdown(true);
  if (const auto epoch = window_.epoch())
    for (const EpochRow& row : shown_.epochs)
      if (row.epoch == *epoch) window_.setVisible({row.beginNs, row.beginNs + row.wallNs});
}

void MainWindow::showFailure(const QString& file, const QString& message) {
  // the recording of a run that is only just starting is not there yet, or not whole
  if (followNewRun_ && runsModel_->rowCount() == 0 && sinceStart_.isValid() &&
      sinceStart_.elapsed() < kStartingMs) {
    QTimer::singleShot(300, this, [this, file] {
      if (reader_.file() == file && runsModel_->rowCount() == 0) reader_.open(file);
    });
    return;
  }
  opening_ = reading_ = measuring_ = false;
  addProblem(message);
  notice_->tell(message + "\n\n`haloscope check` says what can be read of it.", "Open another file…");
  notice_->setProperty("opens", true);
  stage_->setCurrentWidget(notice_);
}

void MainWindow::showTimelineState() {
  const auto say = [this](const QString& sentence, const QString& button, bool opens) {
    notice_->tell(sentence, button);
    notice_->setProperty("opens", opens);
    stage_->setCurrentWidget(notice_);
  };
  if (reader_.file().isEmpty() && !followNewRun_)
    stage_->setCurrentWidget(start_);
  else if (opening_)
    say("Opening the recording…", "", false);
  else if (runsModel_->rowCount() == 0 && followNewRun_)
    say("Starting the workers; their lanes appear here with the first epoch. The log below tells how far "
        "they are.",
        "", false);
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
    const QString stopping = stopsAsked_ == 0   ? ""
                             : stopsAsked_ == 1 ? " · stopping after this epoch"
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
  stop_->setEnabled(running() != nullptr);
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
  problemsView_->showProblems(problems_);
  docks_["Problems"]->setWindowTitle(QString("Problems (%1)").arg(problems_.size()));
}

bool MainWindow::settled() const {
  const bool lanes =
      timelineModel_.rows().empty() ? shown_.spans == 0 : qint64(timelineModel_.spans()) >= shown_.spans;
  return !opening_ && !reading_ && !measuring_ && (shown_.run.id == 0 || lanes) &&
         !findChild<QProcess*>("methods");
}

}  // namespace halo
