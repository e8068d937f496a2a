#include "app/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/key_overlay.h"
#include "app/window/message_bar.h"
#include "app/window/runs/live_bar.h"
#include "app/window/runs/opening_bar.h"
#include "app/window/runs/run_banner.h"
#include "app/window/runs/run_bar.h"
#include "views/experiment/experiment_form.h"
#include "views/look/palette.h"
#include "views/look/wheel.h"
#include "views/look/wrapped_tips.h"
#include "views/recording/dragged_runs.h"
#include "views/scene/chip_bar.h"
#include "views/widgets/compared_runs_view.h"
#include "views/widgets/runs_view.h"
#include "views/widgets/scene_figure_view.h"

namespace halo {

namespace {

/// Before the window makes a plain one.
QStatusBar& withMessageBar(QMainWindow& window) {
  window.setStatusBar(new MessageBar);
  return *window.statusBar();
}

}  // namespace

MainWindow::MainWindow(WindowPlaces places, QSettings& settings)
    : places_(std::move(places)),
      settings_(settings),
      tabs_(new QTabWidget),
      banner_(new RunBanner(session_)),
      messages_(session_, withMessageBar(*this)),
      recent_(settings, session_),
      docks_(*this, settings),
      form_(makeViews()),
      recordings_(session_, started_, this),
      experiments_(form_, session_, recent_, messages_, places_),
      scenes_(session_, recent_, messages_, *this),
      simulations_(session_, scenes_, messages_, places_),
      starter_(experiments_, simulations_, session_, started_, messages_, places_, *this),
      whatIf_(session_, started_, scenes_, messages_, places_, *this),
      files_(recordings_, experiments_, scenes_, recent_, messages_, places_),
      export_(session_, recordings_.reader(), messages_, settings, *this),
      status_(session_, started_, *statusBar()),
      menus_(*menuBar(), session_, *tabs_, docks_.docks()),
      bar_(new RunBar(session_, menus_.run(), menus_.stop())),
      live_(new LiveBar(session_, recordings_, menus_.stop(), menus_.pause())) {
  setObjectName("MainWindow");
  setWindowTitle("Haloscope");
  setAcceptDrops(true);
  addToolBar(bar_);
  statusBar()->insertPermanentWidget(0, new OpeningBar(session_, recordings_));
  statusBar()->insertPermanentWidget(1, live_);
  WheelWithFocusOnly::watchAllIn(*this);
  qApp->installEventFilter(new WrappedTips(this));  // dialogs have tooltips too
  form_.setLook(places_.program, [this] { return starter_.recording(shownRecording()); });
  connectSession();
  connectRecordings();
  connectStarter();
  connectFiles();
  connectMenus();
  resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
  docks_.begin();
  recent_.tell();
  session_.setState({});
}

ExperimentForm& MainWindow::makeViews() {
  tabs_->setDocumentMode(true);
  auto* chips = new ChipBar(session_.scene());
  connect(&session_, &Session::sceneRead, chips, &ChipBar::show);
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(chips);
  column->addWidget(banner_);
  column->addWidget(tabs_, 1);
  setCentralWidget(centre);
  for (const ViewEntry* view : viewsInOrder()) {
    QWidget* widget = view->make(session_);
    if (view->area == ViewArea::centre)
      tabs_->setTabToolTip(tabs_->addTab(widget, view->title),
                           QString::fromStdString(std::string(view->declaration.help)));
    else
      docks_.add(*view, widget);
  }
  auto* form = findChild<ExperimentForm*>();
  HALO_CHECK(form != nullptr);
  return *form;
}

void MainWindow::connectSession() {
  connect(&session_, &Session::sampleWanted, this, &MainWindow::openSample);
  connect(&session_, &Session::experimentWanted, this, [this] {
    if (experiments_.begin()) setPerspective(Perspective::setUp);
  });
  connect(&session_, &Session::fileWanted, this, [this](const QString& file) {
    const QString chosen = file.isEmpty() ? recent_.ask(*this) : file;
    if (!chosen.isEmpty()) openFile(chosen);
  });
  connect(&session_, &Session::runWanted, this, &MainWindow::chooseRun);
  connect(&session_, &Session::runOpened, this, [this](std::int64_t run) {
    chooseRun(run);
    setPerspective(Perspective::observe);
  });
  connect(&session_, &Session::whatIfWanted, this, [this] { whatIf_.ask(shownRecording()); });
  connect(&session_, &Session::otherWhatIfWanted, &whatIf_, &WhatIfDesk::askOther);
  connect(&session_, &Session::simulationWanted, this, &MainWindow::openSimulation);
  connect(&session_, &Session::frontWanted, this, &MainWindow::bringToFront);
  connect(&session_, &Session::comparisonWanted, this,
          [this](const std::vector<std::int64_t>& runs) { scenes_.compare(recordings_.file(), runs); });
  connect(&session_, &Session::runTicked, this,
          [this](std::int64_t run, bool on) { scenes_.tick(recordings_.file(), run, on); });
  connect(&session_, &Session::stateChanged, this, [this] {
    showRunState();
    if (tabs_->currentWidget() == &form_) experiments_.offer();
  });
  connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::showForm);
}

void MainWindow::openSimulation() {
  if (const QString experiment = simulations_.write(shownRecording()); !experiment.isEmpty())
    openFile(experiment);
}

void MainWindow::connectRecordings() {
  const auto showLanes = [this] {
    session_.sceneLanes().show(recordings_.file(), session_.run().run.id, session_.sceneData());
  };
  connect(&session_, &Session::sceneRead, this, showLanes);
  connect(&session_, &Session::runChosen, this, showLanes);
  connect(&recordings_, &RecordingDesk::opened, this, [this](const QString& file) {
    started_.forgetStops();
    setWindowTitle(file.isEmpty() ? "Haloscope" : QFileInfo(file).fileName() + " – Haloscope");
    status_.setRecording(file);
  });
  connect(&recordings_, &RecordingDesk::runsShown, this, [this] {
    scenes_.refresh(recordings_.file());
    emit runsShown();
  });
  connect(&recordings_, &RecordingDesk::looked, this, [this] {
    showRunState();
    whatIf_.look(recordings_.file());
    simulations_.look(recordings_.file());
  });
  connect(&recordings_, &RecordingDesk::recordingMade, this,
          [this](const QString& file) { recent_.remember(file); });
  connect(&recordings_, &RecordingDesk::startFailed, this, &MainWindow::showFailedStart);
  connect(&recordings_, &RecordingDesk::problemFound, this,
          [this](const QString& problem) { messages_.addProblem(problem); });
  connect(&recordings_, &RecordingDesk::said, this,
          [this](const QString& sentence) { messages_.say(sentence); });
  connect(&recordings_, &RecordingDesk::pausedChanged, this, [this](bool paused) {
    banner_->showPaused(paused);
    live_->follow();
  });
  connect(banner_, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link == RunBanner::kResumeLink)
      recordings_.setPaused(false);
    else
      docks_.raise("Log");
  });
  connect(bar_, &RunBar::runChosen, this, &MainWindow::chooseRun);
}

void MainWindow::connectStarter() {
  connect(&starter_, &RunStarter::started, this, &MainWindow::showRunStarted);
  connect(&starter_, &RunStarter::failed, &recordings_, &RecordingDesk::failStart);
  connect(&starter_, &RunStarter::refused, this, &MainWindow::showRefusal);
  connect(&starter_, &RunStarter::experimentLacks, this, [this] { setPerspective(Perspective::setUp); });
  connect(&starter_, &RunStarter::stopAsked, this, &MainWindow::showRunState);
}

void MainWindow::connectFiles() {
  connect(&files_, &FileOpener::perspectiveWanted, this, &MainWindow::setPerspective);
  connect(&files_, &FileOpener::sceneOpened, this, [this] {
    setPerspective(Perspective::decide);
    docks_.favourCentre();
    bringToFront(findChild<SceneFigureView*>());
  });
  connect(&files_, &FileOpener::problemsWanted, this, [this] { docks_.raise("Problems"); });
}

void MainWindow::connectMenus() {
  connect(&menus_, &WindowMenus::saveWanted, this, [this](bool ask) { experiments_.save(ask); });
  connect(&menus_, &WindowMenus::sceneSaveWanted, &scenes_, &SceneDesk::save);
  connect(&menus_, &WindowMenus::exportWanted, &export_, &FigureExport::ask);
  connect(&menus_, &WindowMenus::quitWanted, this, &MainWindow::close);
  connect(&menus_, &WindowMenus::startWanted, this, &MainWindow::startExperiment);
  connect(&menus_, &WindowMenus::stopWanted, &starter_, &RunStarter::stop);
  connect(&menus_, &WindowMenus::pauseWanted, &recordings_, &RecordingDesk::setPaused);
  connect(&menus_, &WindowMenus::whatIfWanted, this, [this] { whatIf_.ask(shownRecording()); });
  connect(&menus_, &WindowMenus::perspectiveWanted, this, &MainWindow::setPerspective);
  connect(&menus_, &WindowMenus::filterWanted, this, [this] {
    setPerspective(Perspective::decide);
    findChild<RunsView*>()->focusFilter();
  });
  connect(&menus_, &WindowMenus::themeWanted, this, &MainWindow::setTheme);
  connect(&menus_, &WindowMenus::defaultLayoutWanted, &docks_, &DockKeeper::placeByDefault);
  connect(&menus_, &WindowMenus::foldWanted, &docks_, &DockKeeper::fold);
  connect(&docks_, &DockKeeper::foldedChanged, &menus_, &WindowMenus::checkFolded);
  connect(&menus_, &WindowMenus::keysWanted, this,
          [this] { KeyOverlay(findChildren<QAction*>(), this).exec(); });
}

QString MainWindow::shownRecording() const {
  return recordings_.failure().isEmpty() ? recordings_.file() : QString();
}

bool MainWindow::settled() const {
  return recordings_.settled() && scenes_.settled() && session_.sceneLanes().settled() &&
         session_.lanes().settled() &&
         std::ranges::all_of(findChildren<ComparedRunsView*>(), &ComparedRunsView::settled);
}

void MainWindow::startExperiment() { starter_.start(bar_->recordLevel(), shownRecording()); }

void MainWindow::showRunStarted(const QString& recording, const QString& log) {
  messages_.setOfExperiment({});
  banner_->forgetFailedStart();
  setPerspective(Perspective::observe);
  docks_.putInFront("Log");
  recordings_.await(recording, log);
  messages_.say("Recording into " + recording);
}

/// Why nothing starts: said at once, in front.
void MainWindow::showRefusal(const std::vector<Problem>& problems) {
  setPerspective(Perspective::setUp);
  messages_.setOfExperiment(problems);
  docks_.raise("Problems");
  messages_.say(QString("Not started: the experiment has %1 problem%2, listed below.")
                    .arg(problems.size())
                    .arg(problems.size() == 1 ? "" : "s"));
}

/// Where one looks: in the status bar, above the timeline or in its place, in the log, and among the
/// problems.
void MainWindow::showFailedStart(const QString& why) {
  messages_.sayProblem("Not started: " + why);
  banner_->showFailedStart(why, /*elsewhere=*/!recordings_.failure().isEmpty());
  docks_.raise("Log");
}

void MainWindow::showRunState() {
  status_.show();
  live_->follow();
  menus_.stop()->setEnabled(starter_.canStop());
}

void MainWindow::showForm() {
  if (tabs_->currentWidget() != &form_) return;
  experiments_.teach();
  experiments_.offer();
}

void MainWindow::setPerspective(Perspective perspective) {
  docks_.change(perspective);
  int tab = 0;
  for (const ViewEntry* view : viewsInOrder()) {
    if (view->area != ViewArea::centre) continue;
    if (view->frontIn.has(perspective)) tabs_->setCurrentIndex(tab);
    ++tab;
  }
  menus_.check(perspective);
  if (perspective == Perspective::setUp) experiments_.teach();
}

void MainWindow::bringToFront(QWidget* view) {
  if (tabs_->indexOf(view) >= 0)
    tabs_->setCurrentWidget(view);
  else
    docks_.bringToFront(view);
}

void MainWindow::setTheme(const QString& name) {
  theme_ = name;
  if (name == "system")
    QApplication::setPalette(QPalette());
  else
    QApplication::setPalette(widgetPalette(name == "dark" ? Theme::dark : Theme::light));
  menus_.checkTheme(name);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous()) docks_.windowShown();
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange) {
    const auto changed = static_cast<QWindowStateChangeEvent*>(event)->oldState() ^ windowState();
    if (changed & (Qt::WindowMaximized | Qt::WindowFullScreen))
      QTimer::singleShot(0, &docks_, &DockKeeper::shareSpace);
  }
  if (event->type() == QEvent::PaletteChange) banner_->setTheme(themeOf(palette()));
  QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!experiments_.mayLoseChanges()) {
    event->ignore();
    return;
  }
  settings_.setValue("geometry", saveGeometry());
  docks_.keep();
  settings_.setValue("theme", theme_);
  event->accept();  // runs go on: they are processes of their own
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() || !runsDragged(*event->mimeData()).empty()) event->acceptProposedAction();
}

/// Runs are dropped on the chips or on a view, and not on the table that they come from.
bool MainWindow::takesRunsAt(QPoint place) const {
  const QWidget* under = childAt(place);
  while (under != nullptr && under != centralWidget()) {
    if (qobject_cast<const RunsView*>(under) != nullptr) return false;
    under = under->parentWidget();
  }
  return under != nullptr;
}

void MainWindow::dragMoveEvent(QDragMoveEvent* event) {
  event->setAccepted(event->mimeData()->hasUrls() || takesRunsAt(event->position().toPoint()));
}

void MainWindow::dropEvent(QDropEvent* event) {
  if (const auto runs = runsDragged(*event->mimeData()); !runs.empty()) {
    if (!takesRunsAt(event->position().toPoint())) return;
    event->acceptProposedAction();
    return scenes_.compare(recordings_.file(), runs);
  }
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  openFiles(files);
}

}  // namespace halo
