#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <utility>

#include "app/window/key_overlay.h"
#include "app/window/main_window.h"
#include "engine/record/database/database.h"
#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"
#include "views/panes/runs_view.h"

namespace halo {

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
  addAction(file, "Save s&cene…", {}, [this] { saveScene(); });
  file->addSeparator();
  addAction(file, "&Export a figure…", Qt::CTRL | Qt::Key_E, [this] { exportFigure(); });
  file->addSeparator();
  addAction(file, "&Quit", QKeySequence::Quit, [this] { close(); });

  QMenu* run = menuBar()->addMenu("&Run");
  run_ = addAction(run, "▶ &Run experiment", Qt::Key_F5, [this] { startExperiment(); });
  stop_ = addAction(run, "■ S&top", Qt::SHIFT | Qt::Key_F5, [this] { stopRun(); });
  stop_->setToolTip("Once: stop after this epoch and keep the data. Twice: now.");
  makeViewMenus();

  QMenu* view = menuBar()->addMenu("&View");
  QUndoStack& history = session_.scene().undoStack();
  QAction* undo = history.createUndoAction(this, "&Undo:");
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = history.createRedoAction(this, "R&edo:");
  redo->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
  view->addActions({undo, redo});
  view->addSeparator();
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
    findChild<RunsView*>()->focusFilter();
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

/// What a view can do has a menu of its name.
void MainWindow::makeViewMenus() {
  const auto add = [this](const QString& title, const QWidget* view) {
    if (!view->actions().isEmpty()) menuBar()->addMenu("&" + title)->addActions(view->actions());
  };
  for (int i = 0; i < tabs_->count(); ++i) add(tabs_->tabText(i), tabs_->widget(i));
  for (const QDockWidget* dock : docks_) add(dock->windowTitle(), dock->widget());
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
  runChoice_->setModel(&session_.runs());
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
  bar->addAction("◀", epoch_, &QSpinBox::stepDown)->setToolTip("Epoch before");
  bar->addWidget(epoch_);
  bar->addAction("▶", epoch_, &QSpinBox::stepUp)->setToolTip("Next epoch");
}

void MainWindow::showKeys() { KeyOverlay(findChildren<QAction*>(), this).exec(); }

void MainWindow::chooseFile() {
  const QString file =
      askForFile(this, {"Open", settings_.value("folder").toString(),
                        "Recordings, experiments, scenes (*.db *.halo *.toml);;Everything (*)", false});
  if (file.isEmpty()) return;
  settings_.setValue("folder", QFileInfo(file).path());
  openFile(file);
}

/// Drawn from what the recording holds, of the stretch of time that is shown.
void MainWindow::exportFigure() {
  if (session_.run().run.id == 0) {
    statusBar()->showMessage("No run is shown yet, so there is nothing to export.", kMessageMs);
    return;
  }
  const QString folder = settings_.value("export/folder", QDir::homePath()).toString();
  ExportDialog dialog(folder, themeOf(palette()), this);
  if (dialog.exec() != QDialog::Accepted) return;
  exporting_ = dialog.request();
  settings_.setValue("export/folder", QFileInfo(exporting_->file).absolutePath());
  reader_.askFigureData(exporting_->figure, session_.run().run.id,
                        {session_.epochRange(), session_.window().visible()});
}

void MainWindow::writeExport(const RunData& read) {
  const auto request = std::exchange(exporting_, {});
  if (!request) return;
  try {
    if (!read.breakdown.leftOut.empty()) throw RecordDamaged(read.breakdown.leftOut.front());
    FigureStyle style;
    style.theme = request->theme;
    const Figure figure = makeFigure(request->figure, {session_.runs().runs(), {&read, 1}});
    writeFigure(figure, style, request->file, /*force=*/true);  // the dialog asked
    for (const std::string& sentence : read.lanes.leftOut) addProblem(QString::fromStdString(sentence));
    statusBar()->showMessage("Figure in " + request->file, kMessageMs);
  } catch (const std::exception& error) {
    addProblem(QString::fromUtf8(error.what()));
    QMessageBox::warning(this, "Export", plainRich(QString::fromUtf8(error.what())));
  }
}

}  // namespace halo
