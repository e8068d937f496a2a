#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QThread>
#include <algorithm>

#include "app/window/declared_names.h"
#include "app/window/main_window.h"
#include "app/window/run_process.h"
#include "views/experiment/experiment_form.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"

namespace halo {

namespace {

constexpr const char* kNewExperiment =
    "schema = 1\nname = \"My experiment\"\n\n[dataset]\nname = \"karate\"\n\n[model]\nkind = \"gcn\"\n\n"
    "[training]\nepochs = 50\n\n[cluster]\nworkers = 2\n\n[[run]]\nmethod = \"vanilla\"\n";

bool liesIn(const QString& path, const QString& folder) {
  const QString inner = QFileInfo(path).canonicalFilePath(), outer = QFileInfo(folder).canonicalFilePath();
  return !outer.isEmpty() && (inner == outer || inner.startsWith(outer + '/'));
}

bool canRecordBeside(const QString& folder) {
  return QFileInfo(folder).isDir() && QFileInfo(folder).isWritable();
}

}  // namespace

void MainWindow::newExperiment() {
  if (!mayLoseChanges()) return;
  form_->loadText(kNewExperiment);
  offered_.clear();
  setPerspective(Perspective::setUp);
}

/// While no experiment is open the form holds a copy, not saved yet, of that of the shown run; without a run
/// it holds a new one.
void MainWindow::offerExperiment() {
  const bool untouched = form_->file().isEmpty() && !form_->changed() && form_->text() == offered_;
  if (tabs_->currentWidget() != form_ || !untouched || opening_ || reading_) return;
  const std::string& ofRun = session_.run().experimentText;
  offered_ = ofRun.empty() ? QString(kNewExperiment) : QString::fromStdString(ofRun);
  if (form_->text() == offered_) return;
  form_->loadText(offered_);
  if (!ofRun.empty())
    statusBar()->showMessage(
        QString("A copy of the experiment of run %1, not saved yet.").arg(session_.run().run.id), kMessageMs);
}

bool MainWindow::mayLoseChanges() {
  if (!form_->changed()) return true;
  const auto answer = QMessageBox::question(this, "Haloscope", "The experiment was changed. Save it first?",
                                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Save) saveExperiment(false);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !form_->changed());
}

void MainWindow::saveExperiment(bool ask) {
  QString file = form_->file();
  if (ask || file.isEmpty())
    file = askForFile(
        this, {"Save experiment", file.isEmpty() ? "experiment.toml" : file, "Experiments (*.toml)", true});
  if (file.isEmpty()) return;
  try {
    form_->saveAs(file);
    remember(file);
  } catch (const std::exception& error) {
    QMessageBox::warning(this, "Save experiment", plainRich(QString::fromUtf8(error.what())));
  }
}

/// A run is made of a file. An experiment that has none yet is kept under a free name in the person's folder:
/// the first run of a new experiment asks nothing.
bool MainWindow::saveForRun() {
  if (!form_->file().isEmpty()) {
    if (form_->changed()) saveExperiment(false);
    return !form_->changed();
  }
  const QString folder = QDir(places_.data).filePath("experiments");
  QString file = QDir(folder).filePath("experiment.toml");
  for (int i = 2; QFileInfo::exists(file); ++i)
    file = QDir(folder).filePath(QString("experiment-%1.toml").arg(i));
  try {
    QDir().mkpath(folder);
    form_->saveAs(file);
    remember(file);
  } catch (const std::exception&) {
    saveExperiment(true);  // elsewhere, then
  }
  return !form_->file().isEmpty() && !form_->changed();
}

/// Beside what is shown; else beside the experiment, unless that is a bundled one or nothing can be written
/// there: then in the person's own folder.
QString MainWindow::recordingForRuns() const {
  const QFileInfo shown(reader_.file());
  const bool bundled = shown.fileName() == "sample.db" || liesIn(shown.filePath(), places_.sample);
  if (failure_.isEmpty() && shown.isFile() && shown.isWritable() && canRecordBeside(shown.absolutePath()) &&
      !bundled)
    return shown.absoluteFilePath();
  const QString folder = QFileInfo(form_->file()).absolutePath();
  const bool beside =
      canRecordBeside(folder) && !liesIn(folder, places_.experiments) && !liesIn(folder, places_.data);
  return QDir(beside ? folder : places_.data).filePath("recordings.db");
}

/// Why nothing starts: said at once, in front.
void MainWindow::refuse(const std::vector<Problem>& wrong) {
  setPerspective(Perspective::setUp);
  listProblems(wrong);
  raiseDock("Problems");
  statusBar()->showMessage(QString("Not started: the experiment has %1 problem%2, listed below.")
                               .arg(wrong.size())
                               .arg(wrong.size() == 1 ? "" : "s"),
                           kMessageMs);
}

bool MainWindow::startedLives() const {
  return std::ranges::any_of(started_, [](const auto& one) { return supervisorLives(one.first); });
}

const RunRow* MainWindow::running() const {
  for (auto run = session_.runs().runs().runs.rbegin(); run != session_.runs().runs().runs.rend(); ++run)
    if (run->status == "running" || run->status == "queued") return &*run;
  return nullptr;
}

/// The shown run while it is under way, else the newest that is.
const RunRow* MainWindow::toStop() const {
  for (const RunRow& run : session_.runs().runs().runs)
    if (run.id == session_.run().run.id && (run.status == "running" || run.status == "queued")) return &run;
  return running();
}

/// Two runs on the same cores slow each other: nobody's times would be worth comparing, so a person decides.
bool MainWindow::mayStartBeside() {
  const RunRow* live = running();
  const bool lives = live && supervisorLives(live->supervisorPid);
  if (!lives && !startedLives()) return true;
  const QString which = lives ? QString("Run %1 is training with %2 worker%3")
                                    .arg(live->id)
                                    .arg(live->workers)
                                    .arg(live->workers == 1 ? "" : "s")
                              : QString("A run started here is still under way");
  QMessageBox box(
      QMessageBox::Question, "Run",
      QString("%1 on this machine of %2 cores. Another beside it shares them: both become slower, "
              "and their times say little.")
          .arg(which)
          .arg(QThread::idealThreadCount()),
      QMessageBox::Cancel, this);
  const auto* beside = box.addButton("Start beside it", QMessageBox::AcceptRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  return box.clickedButton() == beside;
}

/// One log a supervisor, so that two at once do not write into each other's.
QString MainWindow::freeLog(const QString& recording) const {
  const auto taken = [this](const QString& log) {
    return std::ranges::any_of(
        started_, [&](const auto& one) { return one.second.log == log && supervisorLives(one.first); });
  };
  QString log = recording + ".log";
  for (int i = 2; taken(log); ++i) log = QString("%1.%2.log").arg(recording).arg(i);
  return log;
}

void MainWindow::startExperiment() {
  if (form_->text().isEmpty()) return setPerspective(Perspective::setUp);  // with one to look at first
  if (const auto wrong = form_->problems(); !wrong.empty()) return refuse(wrong);
  if (!mayStartBeside() || !saveForRun()) return;
  const QString recording = recordingForRuns();
  QDir().mkpath(QFileInfo(recording).absolutePath());
  const QString log = freeLog(recording);
  failedLog_.reset();
  banner_->hide();
  try {
    noteInLog(log, kStartNote + recording);
    started_[startRun({places_.program, form_->file(), recording, log, record_->currentData().toString()})] =
        {log, recording};
  } catch (const std::exception& error) {
    const QString why = QString::fromUtf8(error.what());
    try {
      noteInLog(log, "Not started: " + why);
    } catch (const std::exception&) {  // the log may be what is wrong
    }
    tellFailedStart(why, log);
    QMessageBox::warning(this, "Run", plainRich(why));
    return;
  }
  listProblems({});
  newestLog_ = log;
  followNewRun_ = true;
  setPerspective(Perspective::observe);
  raiseDock("Log");
  if (recording != reader_.file() || !failure_.isEmpty()) beginReading(recording);
  statusBar()->showMessage("Recording into " + recording, kMessageMs);
  tellState();
}

/// Those that ended without a run in the shown recording, by two looks at it: the first may have begun before
/// the end.
void MainWindow::lookForFailedStarts() {
  const std::vector<RunRow>& runs = session_.runs().runs().runs;
  for (auto& [supervisor, start] : started_) {
    if (start.told || start.recording != reader_.file() || supervisorLives(supervisor)) continue;
    start.told = std::ranges::find(runs, supervisor, &RunRow::supervisorPid) != runs.end();
    if (!start.told && ++start.looks == 2) tellFailedEnd(start.log);
  }
}

/// Of a start that ended without a run; its log has its words.
void MainWindow::tellFailedEnd(const QString& log) {
  for (auto& [supervisor, start] : started_) start.told = start.told || start.log == log;
  const QString words = lastWords(log, 5).replace('\n', "; ");
  tellFailedStart("the run ended before it recorded anything" + (words.isEmpty() ? "." : ": " + words), log);
}

/// Where one looks: in the status bar, above the timeline or in its place, in the log, and among the
/// problems.
void MainWindow::tellFailedStart(const QString& why, const QString& log) {
  followNewRun_ = false;
  failedLog_ = log;
  sayProblem("Not started: " + why);
  banner_->setText("✗ Not started: " + why.toHtmlEscaped() + " <a href=\"log\">Show the log</a>");
  banner_->setVisible(failure_.isEmpty());  // which says it in the timeline's place
  raiseDock("Log");
  tellState();
}

void MainWindow::stopRun() {
  const RunRow* run = toStop();
  if (!run || !askToStop(run->supervisorPid, /*now=*/stops_.contains(run->id))) {
    addProblem("There is no run of this machine to stop.");
    return;
  }
  Stop& stop = stops_[run->id];
  ++stop.times;
  stop.since.start();
  showStatus();
}

/// Once, when the form is first looked at: a window that only shows recordings needs none of it.
void MainWindow::teachForm() {
  if (form_->hasKnown()) return;
  try {
    form_->setKnown(declaredNames(places_.resources));
  } catch (const std::exception& error) {
    addProblem("Experiments cannot be checked: " + QString::fromUtf8(error.what()));
  }
}

}  // namespace halo
