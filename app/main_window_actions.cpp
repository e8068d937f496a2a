#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QSettings>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTabWidget>
#include <QToolBar>

#include "app/key_overlay.h"
#include "app/main_window.h"
#include "app/run_process.h"
#include "views/experiment_form.h"
#include "views/figure_registry.h"
#include "views/figure_writers.h"
#include "views/log_view.h"
#include "views/runs_view.h"
#include "views/timeline_view.h"

namespace halo {

namespace {

constexpr const char* kNewExperiment =
    "schema = 1\nname = \"My experiment\"\n\n[dataset]\nname = \"karate-club\"\n\n[model]\nkind = \"gcn\"\n\n"
    "[training]\nepochs = 50\n\n[cluster]\nworkers = 2\n\n[[run]]\nmethod = \"vanilla\"\n";

}  // namespace

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& key,
                               std::function<void()> work) {
  QAction* action = menu->addAction(text);
  action->setShortcut(key);
  connect(action, &QAction::triggered, this, std::move(work));
  return action;
}

void MainWindow::makeActions() {
  QMenu* file = menuBar()->addMenu("&File");
  addAction(file, "&New experiment", QKeySequence::New, [this] { newExperiment(); });
  addAction(file, "&Open…", QKeySequence::Open, [this] { chooseFile(); });
  addAction(file, "Open &sample recording", {}, [this] { openSample(); });
  addAction(file, "&Save experiment", QKeySequence::Save, [this] { saveExperiment(false); });
  addAction(file, "Save experiment &as…", QKeySequence::SaveAs, [this] { saveExperiment(true); });
  file->addSeparator();
  addAction(file, "&Export a figure…", Qt::CTRL | Qt::Key_E, [this] { exportFigure(); });
  file->addSeparator();
  addAction(file, "&Quit", QKeySequence::Quit, [this] { close(); });

  QMenu* run = menuBar()->addMenu("&Run");
  run_ = addAction(run, "▶ &Run experiment", Qt::Key_F5, [this] { startExperiment(false); });
  stop_ = addAction(run, "■ S&top", Qt::SHIFT | Qt::Key_F5, [this] { stopRun(); });
  stop_->setToolTip("Once: stop after this epoch and keep the data. Twice: now.");
  makeTimelineMenu();

  QMenu* view = menuBar()->addMenu("&View");
  perspectives_ = new QActionGroup(this);
  const char* const names[] = {"Set &up", "&Observe", "&Decide"};
  for (int i = 0; i < 3; ++i) {
    QAction* action = addAction(view, names[i], QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
                                [this, i] { setPerspective(static_cast<Perspective>(i)); });
    action->setCheckable(true);
    perspectives_->addAction(action);
  }
  perspectives_->actions()[1]->setChecked(true);
  view->addSeparator();
  for (QDockWidget* dock : docks_) view->addAction(dock->toggleViewAction());
  addAction(view, "&Filter runs", QKeySequence::Find, [this] {
    setPerspective(Perspective::decide);
    runs_->focusFilter();
  });
  view->addSeparator();
  themes_ = new QActionGroup(this);
  for (const char* name : {"light", "dark", "system"}) {
    QAction* action = addAction(view, QString("%1 colours").arg(name), {}, [this, name] { setTheme(name); });
    action->setData(name);
    action->setCheckable(true);
    themes_->addAction(action);
  }
  view->addSeparator();
  addAction(view, "Restore default &layout", {}, [this] { restoreDefaultLayout(); });

  QMenu* help = menuBar()->addMenu("&Help");
  addAction(help, "&Keys", QKeySequence("?"), [this] { showKeys(); });
  makeToolBar();
}

void MainWindow::makeTimelineMenu() {
  QMenu* menu = menuBar()->addMenu("&Timeline");
  for (const TimelineActionInfo& info : timelineActions()) {
    // the keys themselves belong to the timeline while it has the focus: letters must stay letters in a text
    // field
    QAction* action = menu->addAction(info.text);
    if (!info.keys.isEmpty())
      action->setText(QString("%1\t%2").arg(info.text, info.keys.first().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [this, what = info.action] {
      tabs_->setCurrentIndex(0);
      timeline_->canvas().setFocus();
      timeline_->canvas().perform(what);
    });
  }
}

void MainWindow::makeToolBar() {
  QToolBar* bar = addToolBar("Main");
  bar->setObjectName("Main");
  bar->setMovable(false);
  bar->addAction(run_);
  bar->addAction(stop_);
  bar->addSeparator();
  record_ = new QComboBox;
  record_->addItem("as the experiment says", "");
  record_->addItem("every span", "all");
  record_->addItem("every tenth epoch", "10");
  record_->addItem("no spans", "none");
  record_->setAccessibleName("Record level");
  record_->setToolTip("What the next run records besides its metrics");
  bar->addWidget(new QLabel(" Record "));
  bar->addWidget(record_);
  bar->addSeparator();
  runChoice_ = new QComboBox;
  runChoice_->setModel(runsModel_);
  runChoice_->setModelColumn(RunsModel::Name);
  runChoice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  runChoice_->setMinimumContentsLength(26);
  runChoice_->setAccessibleName("Shown run");
  bar->addWidget(new QLabel(" Run "));
  bar->addWidget(runChoice_);
  bar->addSeparator();
  epoch_ = new QSpinBox;
  epoch_->setRange(-1, -1);
  epoch_->setSpecialValueText("all");
  epoch_->setAccessibleName("Shown epoch");
  bar->addWidget(new QLabel(" Epoch "));
  bar->addAction("◀", this, [this] { stepEpoch(-1); })->setToolTip("Epoch before");
  bar->addWidget(epoch_);
  bar->addAction("▶", this, [this] { stepEpoch(1); })->setToolTip("Next epoch");
}

void MainWindow::stepEpoch(int by) { epoch_->setValue(epoch_->value() + by); }

void MainWindow::showKeys() { KeyOverlay(findChildren<QAction*>(), this).exec(); }

void MainWindow::chooseFile() {
  const QString file =
      QFileDialog::getOpenFileName(this, "Open", settings_.value("folder").toString(),
                                   "Recordings and experiments (*.db *.halo *.toml);;Everything (*)");
  if (file.isEmpty()) return;
  settings_.setValue("folder", QFileInfo(file).path());
  openFile(file);
}

void MainWindow::newExperiment() {
  if (!mayLoseChanges()) return;
  form_->loadText(kNewExperiment);
  setPerspective(Perspective::setUp);
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
    file = QFileDialog::getSaveFileName(this, "Save experiment", file.isEmpty() ? "experiment.toml" : file,
                                        "Experiments (*.toml)");
  if (file.isEmpty()) return;
  try {
    form_->saveAs(file);
    remember(file);
  } catch (const std::exception& error) {
    QMessageBox::warning(this, "Save experiment", QString::fromUtf8(error.what()));
  }
}

/// Runs go where the shown recording is, unless that is the bundled one.
QString MainWindow::recordingForRuns() const {
  if (!reader_.file().isEmpty() && QFileInfo(reader_.file()).fileName() != "sample.db") return reader_.file();
  const QString folder = form_->file().isEmpty() ? QDir::homePath() : QFileInfo(form_->file()).absolutePath();
  const bool writable = QFileInfo(folder).isWritable();
  return QDir(writable ? folder : QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath("recordings.db");
}

void MainWindow::startExperiment(bool resume) {
  if (form_->text().isEmpty()) {
    newExperiment();
    return;
  }
  if (!form_->problems().empty()) {
    setPerspective(Perspective::setUp);
    return;
  }
  if (form_->changed() || form_->file().isEmpty()) saveExperiment(false);
  if (form_->changed() || form_->file().isEmpty()) return;
  const QString recording = recordingForRuns();
  QDir().mkpath(QFileInfo(recording).absolutePath());
  const QString log = recording + ".log";
  try {
    startRun({places_.program, form_->file(), recording, log, record_->currentData().toString(), resume});
  } catch (const std::exception& error) {
    addProblem(QString::fromUtf8(error.what()));
    QMessageBox::warning(this, "Run", QString::fromUtf8(error.what()));
    return;
  }
  startedLog_ = log;
  stopsAsked_ = 0;
  followNewRun_ = true;
  sinceStart_.start();
  log_->follow(log);
  setPerspective(Perspective::observe);
  docks_["Log"]->raise();
  if (recording != reader_.file()) openRecording(recording);
  showTimelineState();
}

void MainWindow::stopRun() {
  const RunRow* run = running();
  if (!run || !askToStop(run->supervisorPid)) {
    addProblem("There is no run of this machine to stop.");
    return;
  }
  ++stopsAsked_;
  showStatus();
}

void MainWindow::exportFigure() {
  if (shown_.run.id == 0) return;
  const QString path = QFileDialog::getSaveFileName(
      this, "Export a figure: its name is the file's, such as breakdown.pdf or convergence-loss.svg",
      "breakdown.pdf", "Vector (*.pdf *.svg);;Picture (*.png);;Numbers (*.csv)");
  if (path.isEmpty()) return;
  const std::string name = QFileInfo(path).baseName().toStdString();
  try {
    if (!halo::find<FigureEntry>(name)) throw std::runtime_error("There is no figure called " + name + ".");
    writeFigure(makeFigure(name, {runsModel_->runs(), {&shown_, 1}}), FigureStyle{}, path, /*force=*/true);
  } catch (const std::exception& error) {
    QMessageBox::warning(this, "Export", QString::fromUtf8(error.what()));
  }
}

/// Asks the program once which methods there are; the form checks sections only until it answers.
void MainWindow::askKnown() {
  if (form_->hasKnown() || findChild<QProcess*>("methods")) return;
  auto* process = new QProcess(this);
  process->setObjectName("methods");
  connect(process, &QProcess::finished, this, [this, process](int status) {
    try {
      auto known = std::make_unique<KnownNames>();
      known->read(process->readAllStandardOutput().toStdString());
      if (status == 0) form_->setKnown(std::move(known));
    } catch (const std::exception& error) {
      addProblem(QString::fromUtf8(error.what()));
    }
    process->deleteLater();
  });
  connect(process, &QProcess::errorOccurred, this, [this, process] {
    addProblem(places_.program + ": cannot be run (" + process->errorString() +
               "), so methods cannot be checked");
    process->deleteLater();
  });
  process->start(places_.program, {"methods", "--json"});
}

}  // namespace halo
