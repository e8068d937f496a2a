#include "app/window/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/key_overlay.h"
#include "app/window/run_banner.h"
#include "app/window/run_bar.h"
#include "app/window/run_status.h"
#include "views/experiment/experiment_form.h"
#include "views/look/file_dialog.h"
#include "views/look/palette.h"
#include "views/panes/runs_view.h"

namespace halo {

MainWindow::MainWindow(WindowPlaces places, QSettings& settings)
    : places_(std::move(places)),
      settings_(settings),
      tabs_(new QTabWidget),
      banner_(new RunBanner(session_)),
      recent_(settings, session_),
      docks_(*this, settings),
      form_(makeViews()),
      desk_(form_, session_, recent_, problems_, places_),
      starter_(desk_, session_, problems_, places_),
      follower_(session_, starter_.runs(), this),
      export_(session_, follower_.reader(), problems_, settings, *this) {
  setObjectName("MainWindow");
  setWindowTitle("Haloscope");
  setAcceptDrops(true);
  makeBars();
  connectSession();
  connectFollower();
  connectStarter();
  resize(1280, 800);
  docks_.begin();
  recent_.tell();
  session_.setState({});
}

ExperimentForm& MainWindow::makeViews() {
  tabs_->setDocumentMode(true);
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
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

void MainWindow::makeBars() {
  status_ = new RunStatus(session_, starter_.runs(), *statusBar());
  status_->setParent(this);
  makeFileMenu();
  makeRunMenu();
  makeViewMenus();
  makeViewMenu();
  addAction(menuBar()->addMenu("&Help"), "&Keys", QKeySequence("?"),
            [this] { KeyOverlay(findChildren<QAction*>(), this).exec(); });
  bar_ = new RunBar(session_, run_, stop_);
  addToolBar(bar_);
}

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& key,
                               std::function<void()> work) {
  QAction* action = menu->addAction(text);
  action->setShortcut(key);
  connect(action, &QAction::triggered, this, std::move(work));
  return action;
}

void MainWindow::makeFileMenu() {
  QMenu* file = menuBar()->addMenu("&File");
  addAction(file, "&New experiment", QKeySequence::New, [this] { emit session_.experimentWanted(); });
  addAction(file, "&Open…", QKeySequence::Open, [this] { chooseFile(); });
  addAction(file, "Open &sample recording", {}, [this] { openSample(); });
  addAction(file, "&Save experiment", QKeySequence::Save, [this] { desk_.save(false); });
  addAction(file, "Save experiment &as…", QKeySequence::SaveAs, [this] { desk_.save(true); });
  file->addSeparator();
  addAction(file, "&Export a figure…", Qt::CTRL | Qt::Key_E, [this] { export_.ask(); });
  file->addSeparator();
  addAction(file, "&Quit", QKeySequence::Quit, [this] { close(); });
}

void MainWindow::makeRunMenu() {
  QMenu* run = menuBar()->addMenu("&Run");
  run_ = addAction(run, "▶ &Run experiment", Qt::Key_F5, [this] { startExperiment(); });
  stop_ = addAction(run, "■ S&top", Qt::SHIFT | Qt::Key_F5, [this] { starter_.stop(); });
  stop_->setToolTip("Once: stop after this epoch and keep the data. Twice: now.");
}

/// What a view can do has a menu of its name.
void MainWindow::makeViewMenus() {
  const auto add = [this](const QString& title, const QWidget* view) {
    if (!view->actions().isEmpty()) menuBar()->addMenu("&" + title)->addActions(view->actions());
  };
  for (int i = 0; i < tabs_->count(); ++i) add(tabs_->tabText(i), tabs_->widget(i));
  for (const QDockWidget* dock : docks_.docks()) add(dock->windowTitle(), dock->widget());
}

void MainWindow::makeViewMenu() {
  QMenu* view = menuBar()->addMenu("&View");
  perspectives_ = new QActionGroup(this);
  const char* const names[] = {"Set &up", "&Observe", "&Decide"};
  for (int i = 0; i < 3; ++i) {
    QAction* action = addAction(view, names[i], QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
                                [this, i] { setPerspective(static_cast<Perspective>(i)); });
    action->setCheckable(true);
    perspectives_->addAction(action);
  }
  perspectives_->actions()[static_cast<int>(docks_.perspective())]->setChecked(true);
  view->addSeparator();
  for (const QDockWidget* dock : docks_.docks()) view->addAction(dock->toggleViewAction());
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
  addAction(view, "Restore default &layout", {}, [this] { docks_.placeByDefault(); });
}

void MainWindow::connectSession() {
  connect(&session_, &Session::sampleWanted, this, &MainWindow::openSample);
  connect(&session_, &Session::experimentWanted, this, [this] {
    if (desk_.begin()) setPerspective(Perspective::setUp);
  });
  connect(&session_, &Session::fileWanted, this,
          [this](const QString& file) { file.isEmpty() ? chooseFile() : openFile(file); });
  connect(&session_, &Session::runWanted, this, &MainWindow::chooseRun);
  connect(&session_, &Session::runOpened, this, [this](std::int64_t run) {
    chooseRun(run);
    setPerspective(Perspective::observe);
  });
  connect(&session_, &Session::frontWanted, this, &MainWindow::bringToFront);
  connect(&session_, &Session::stateChanged, this, [this] {
    showRunState();
    if (tabs_->currentWidget() == &form_) desk_.offer();
  });
  connect(bar_, &RunBar::runChosen, this, &MainWindow::chooseRun);
  connect(banner_, &QLabel::linkActivated, this, [this] { docks_.raise("Log"); });
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (tabs_->currentWidget() != &form_) return;
    desk_.teach();
    desk_.offer();
  });
}

void MainWindow::connectFollower() {
  connect(&follower_, &RunFollower::opened, this, [this](const QString& file) {
    starter_.runs().forgetStops();
    setWindowTitle(QFileInfo(file).fileName() + " – Haloscope");
    status_->setRecording(file);
  });
  connect(&follower_, &RunFollower::runsShown, this, &MainWindow::runsShown);
  connect(&follower_, &RunFollower::looked, this, &MainWindow::showRunState);
  connect(&follower_, &RunFollower::recordingMade, this,
          [this](const QString& file) { recent_.remember(file); });
  connect(&follower_, &RunFollower::problemFound, this,
          [this](const QString& message) { problems_.add(message); });
  connect(&follower_, &RunFollower::said, this, &MainWindow::say);
}

void MainWindow::connectStarter() {
  connect(&starter_, &RunStarter::started, this, &MainWindow::showRunStarted);
  connect(&starter_, &RunStarter::refused, this, &MainWindow::showRefusal);
  connect(&starter_, &RunStarter::experimentLacks, this, [this] { setPerspective(Perspective::setUp); });
  connect(&starter_, &RunStarter::stopAsked, this, &MainWindow::showRunState);
  connect(&desk_, &ExperimentDesk::said, this, &MainWindow::say);
  connect(&export_, &FigureExport::said, this, &MainWindow::say);
}

void MainWindow::openFile(const QString& file) {
  isExperiment(file) ? openExperiment(file) : openRecording(file);
}

void MainWindow::openExperiment(const QString& file) {
  if (desk_.open(file)) setPerspective(Perspective::setUp);
}

void MainWindow::openRecording(const QString& file) {
  follower_.open(QFileInfo(file).absoluteFilePath());
  if (QFileInfo::exists(file)) recent_.remember(file);
}

void MainWindow::openSample() {
  if (!QFileInfo::exists(places_.sample)) {
    return follower_.refuse(places_.sample,
                            ": the sample recording is not there; make one with "
                            "`haloscope run " +
                                places_.experiments + "/sample.toml`.");
  }
  const QString copy = QDir(places_.data).filePath("sample.db");
  if (!QFileInfo::exists(copy)) {
    QDir().mkpath(places_.data);
    if (!QFile::copy(places_.sample, copy)) {
      openRecording(places_.sample);
      const QString why = places_.data + ": cannot be written, so the sample is opened where it is, to read.";
      problems_.add(why);
      return say(why);
    }
    QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
  }
  openRecording(copy);
}

void MainWindow::openLast() {
  const QStringList files = recent_.present();
  if (files.isEmpty()) return openSample();
  const auto recording = std::ranges::find_if_not(files, isExperiment);
  if (recording != files.end()) openRecording(*recording);
  if (isExperiment(files.first())) openExperiment(files.first());
}

void MainWindow::chooseFile() {
  const QString file =
      askForFile(this, {"Open", settings_.value("folder").toString(),
                        "Recordings and experiments (*.db *.halo *.toml);;Everything (*)", false});
  if (file.isEmpty()) return;
  settings_.setValue("folder", QFileInfo(file).path());
  openFile(file);
}

void MainWindow::startExperiment() {
  starter_.start(bar_->recordLevel(), follower_.failure().isEmpty() ? follower_.file() : QString());
}

void MainWindow::showRunStarted(const QString& recording, const QString& log) {
  problems_.setOfExperiment({});
  setPerspective(Perspective::observe);
  docks_.raise("Log");
  follower_.await(recording, log);
  say("Recording into " + recording);
}

/// Why nothing starts: said at once, in front.
void MainWindow::showRefusal(const std::vector<Problem>& problems) {
  setPerspective(Perspective::setUp);
  problems_.setOfExperiment(problems);
  docks_.raise("Problems");
  say(QString("Not started: the experiment has %1 problem%2, listed below.")
          .arg(problems.size())
          .arg(problems.size() == 1 ? "" : "s"));
}

void MainWindow::showRunState() {
  status_->show();
  stop_->setEnabled(starter_.canStop());
}

void MainWindow::say(const QString& sentence) {
  constexpr int kMessageMs = 15'000;
  statusBar()->showMessage(sentence, kMessageMs);
}

void MainWindow::setPerspective(Perspective perspective) {
  docks_.change(perspective);
  int tab = 0;
  for (const ViewEntry* view : viewsInOrder()) {
    if (view->area != ViewArea::centre) continue;
    if (view->frontIn.has(perspective)) tabs_->setCurrentIndex(tab);
    ++tab;
  }
  perspectives_->actions()[static_cast<int>(perspective)]->setChecked(true);
  if (perspective == Perspective::setUp) desk_.teach();
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
  for (QAction* action : themes_->actions()) action->setChecked(action->data() == name);
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
  if (!desk_.mayLoseChanges()) {
    event->ignore();
    return;
  }
  settings_.setValue("geometry", saveGeometry());
  docks_.keep();
  settings_.setValue("theme", theme_);
  event->accept();  // runs go on: they are processes of their own
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) openFile(url.toLocalFile());
}

}  // namespace halo
