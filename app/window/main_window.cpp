#include "app/window/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "views/experiment/experiment_form.h"
#include "views/look/palette.h"
#include "views/look/wheel.h"
#include "views/scene/chip_bar.h"

namespace halo {

MainWindow::MainWindow(WindowPlaces places, QSettings& settings)
    : places_(std::move(places)),
      settings_(settings),
      feed_(session_.lanes()),
      sceneReader_(session_.scene()) {
  setObjectName("MainWindow");
  setWindowTitle("Haloscope");
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  makeViews();
  makeStatus();
  makeActions();
  WheelWithFocusOnly::watchAllIn(*this);
  connectSession();
  resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
  restoreDefaultLayout();
  asLeft_ = restoreLayout(perspective_);
  emit session_.recentChanged(settings_.value("recent").toStringList());
  poll_.setObjectName("poll");
  poll_.setParent(this);
  poll_.setInterval(500);
  poll_.start();
  tellState();
  showStatus();
}

void MainWindow::makeViews() {
  banner_ = new QLabel;
  banner_->setWordWrap(true);
  banner_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  banner_->setContentsMargins(8, 4, 8, 4);
  banner_->hide();
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  chips_ = new ChipBar(session_.scene());
  column->addWidget(chips_);
  column->addWidget(banner_);
  column->addWidget(tabs_, 1);
  setCentralWidget(centre);
  for (const ViewEntry* view : viewsInOrder()) addView(*view);
  form_ = findChild<ExperimentForm*>();
  HALO_CHECK(form_ != nullptr);
  form_->setLook(places_.program, [this] { return recordingForRuns(); });
}

void MainWindow::addView(const ViewEntry& view) {
  QWidget* widget = view.make(session_);
  const QString name =
      QString::fromUtf8(view.declaration.name.data(), qsizetype(view.declaration.name.size()));
  const QString help =
      QString::fromUtf8(view.declaration.help.data(), qsizetype(view.declaration.help.size()));
  if (view.area == ViewArea::centre) {
    tabs_->setTabToolTip(tabs_->addTab(widget, view.title), help);
    return;
  }
  auto* dock = new QDockWidget(view.title, this);
  dock->setObjectName(name);
  dock->setWidget(widget);
  dock->toggleViewAction()->setStatusTip(help);
  connect(widget, &QWidget::windowTitleChanged, dock, &QDockWidget::setWindowTitle);
  docks_.insert(name, dock);
}

/// Permanent, so that no message hides how a run is.
void MainWindow::makeStatus() {
  const auto add = [this](const char* what) {
    auto* label = new QLabel;
    label->setToolTip(what);
    label->setMinimumWidth(1);  // a small window cuts its words rather than grow beyond the screen
    statusBar()->addPermanentWidget(label);
    return label;
  };
  state_ = add("State of the shown run");
  state_->setContentsMargins(12, 0, 0, 0);  // a message that is cut ends before it
  ranks_ = add("Workers of the shown run");
  spans_ = add("Spans recorded, and while a run goes on how far they are behind its epochs");
  dropped_ = add("Spans that did not fit into a worker's ring");
  recorder_ = add("What recording cost, as a share of the epoch");
  selection_ = add("Visible or selected time");
}

void MainWindow::connectSession() {
  connect(&reader_, &RecordingReader::runsRead, this, &MainWindow::takeRuns);
  connect(&reader_, &RecordingReader::runRead, this, &MainWindow::takeRun);
  connect(&reader_, &RecordingReader::breakdownRead, this, &MainWindow::takeBreakdown);
  connect(&reader_, &RecordingReader::figureDataRead, this, &MainWindow::writeExport);
  connect(&reader_, &RecordingReader::failed, this,
          [this](const QString& file, const QString& message, bool) { showFailure(file, message); });
  connect(&reader_, &RecordingReader::looked, this, &MainWindow::lookForFailedStarts);
  connect(&feed_, &Feed::failed, this, [this](const QString& problem) {
    lacking_ = true;
    addProblem(problem);
  });
  connect(&feed_, &Feed::complete, this, [this] {
    tellState();
    showStatus();
  });
  connect(&feed_, &Feed::directoryRead, this, &MainWindow::tellState);
  connect(&poll_, &QTimer::timeout, &reader_, &RecordingReader::refresh);
  connect(&poll_, &QTimer::timeout, this, &MainWindow::showStatus);  // also of a run that records nothing

  connect(&session_, &Session::sampleWanted, this, &MainWindow::openSample);
  connect(&session_, &Session::experimentWanted, this, &MainWindow::newExperiment);
  connect(&session_, &Session::fileWanted, this,
          [this](const QString& file) { file.isEmpty() ? chooseFile() : openFile(file); });
  connect(&session_, &Session::runWanted, this, &MainWindow::chooseRun);
  connect(&session_, &Session::runOpened, this, [this](std::int64_t run) {
    chooseRun(run);
    setPerspective(Perspective::observe);
  });
  connect(&session_, &Session::frontWanted, this, &MainWindow::bringToFront);
  connect(&session_, &Session::comparisonWanted, this, &MainWindow::compare);
  connect(&sceneReader_, &SceneReader::sceneRead, this, [this](const SceneData& scene) {
    chips_->show(scene);
    session_.setSceneData(scene);
  });
  connect(&sceneReader_, &SceneReader::failed, this, [this](const QString& problem) {
    addProblem(problem);
    statusBar()->showMessage(problem, kMessageMs);
  });
  connect(runChoice_, &QComboBox::activated, this, [this](int row) {
    chooseRun(session_.runs().index(row, 0).data(RunsModel::kRunRole).toLongLong());
  });
  connect(&session_.window(), &TimeWindow::visibleChanged, this, &MainWindow::showVisible);
  connect(&session_.window(), &TimeWindow::selectionChanged, this, &MainWindow::showSelection);
  connect(&session_.window(), &TimeWindow::epochChanged, this, &MainWindow::showEpoch);
  connect(epoch_, &QSpinBox::valueChanged, this, &MainWindow::chooseEpoch);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (tabs_->currentWidget() != form_) return;
    teachForm();
    offerExperiment();
  });
  connect(banner_, &QLabel::linkActivated, this, [this] { raiseDock("Log"); });
}

void MainWindow::bringToFront(QWidget* view) {
  if (tabs_->indexOf(view) >= 0) return tabs_->setCurrentWidget(view);
  for (auto dock = docks_.begin(); dock != docks_.end(); ++dock)
    if ((*dock)->widget() == view) raiseDock(dock.key());
}

void MainWindow::raiseDock(const QString& name) {
  docks_[name]->show();
  docks_[name]->raise();
}

void MainWindow::setTheme(const QString& name) {
  theme_ = name;
  if (name == "system")
    QApplication::setPalette(QPalette());
  else
    QApplication::setPalette(widgetPalette(name == "dark" ? Theme::dark : Theme::light));
  for (QAction* action : themes_->actions()) action->setChecked(action->data() == name);
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange) {
    const auto changed = static_cast<QWindowStateChangeEvent*>(event)->oldState() ^ windowState();
    if (changed & (Qt::WindowMaximized | Qt::WindowFullScreen))
      QTimer::singleShot(0, this, &MainWindow::shareSpace);
  }
  if (event->type() == QEvent::PaletteChange) {
    const Palette& colors = halo::palette(themeOf(palette()));
    banner_->setStyleSheet(QString("background: %1; color: %2;")
                               .arg(QColor(colors.header).name(), QColor(colors.failure).name()));
  }
  QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayLoseChanges()) {
    event->ignore();
    return;
  }
  settings_.setValue("geometry", saveGeometry());
  keepLayout();
  settings_.setValue("theme", theme_);
  event->accept();  // runs go on: they are processes of their own
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  openFiles(files);
}

}  // namespace halo
