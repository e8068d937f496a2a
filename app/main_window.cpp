#include "app/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLayout>
#include <QMimeData>
#include <QProcess>
#include <QSettings>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>

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

namespace halo {

namespace {
constexpr int kLayoutVersion = 1;  // of what is kept in the settings
const char* const kPerspectiveNames[] = {"setUp", "observe", "decide"};
}  // namespace

MainWindow::MainWindow(WindowPlaces places, QSettings& settings)
    : places_(std::move(places)),
      settings_(settings),
      feed_(timelineModel_),
      runsModel_(new RunsModel(this)),
      experimentsModel_(new ExperimentsModel(this)),
      breakdownModel_(new BreakdownModel(this)) {
  setObjectName("MainWindow");
  setWindowTitle("Haloscope");
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  makeCentre();
  makeDocks();
  makeStatus();
  makeActions();
  connectViews();
  resize(1280, 800);
  restoreDefaultLayout();
  start_->setRecent(settings_.value("recent").toStringList());
  poll_.setObjectName("poll");
  poll_.setParent(this);
  poll_.setInterval(500);
  poll_.start();
  showTimelineState();
  showStatus();
}

MainWindow::~MainWindow() {
  // it would tell of its end a window half gone
  if (auto* methods = findChild<QProcess*>("methods")) methods->disconnect(this);
}

void MainWindow::makeCentre() {
  start_ = new StartView;
  notice_ = new Notice;
  timeline_ = new TimelineView(timelineModel_, window_);
  stage_ = new QStackedWidget;
  for (QWidget* page :
       {static_cast<QWidget*>(start_), static_cast<QWidget*>(notice_), static_cast<QWidget*>(timeline_)})
    stage_->addWidget(page);
  banner_ = new QLabel;
  banner_->setWordWrap(true);
  banner_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  banner_->setContentsMargins(8, 4, 8, 4);
  banner_->hide();
  runs_ = new RunsView(*runsModel_);
  form_ = new ExperimentForm;
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->addTab(stage_, "Timeline");
  tabs_->addTab(runs_, "Run table");
  tabs_->addTab(form_, "Experiment");
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(banner_);
  column->addWidget(tabs_, 1);
  setCentralWidget(centre);
}

QDockWidget* MainWindow::addDock(const char* name, QWidget* widget, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(name, this);
  dock->setObjectName(name);
  dock->setWidget(widget);
  addDockWidget(area, dock);
  docks_.insert(name, dock);
  return dock;
}

void MainWindow::makeDocks() {
  tree_ = new QTreeView;
  tree_->setModel(experimentsModel_);
  tree_->setUniformRowHeights(true);
  tree_->setAccessibleName("Experiments");
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(ExperimentsModel::Name, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(ExperimentsModel::State, QHeaderView::Fixed);
  tree_->header()->resizeSection(ExperimentsModel::State,
                                 tree_->fontMetrics().horizontalAdvance("10000") + 16);
  inspector_ = new InspectorView;
  breakdown_ = new BreakdownView(*breakdownModel_);
  convergence_ = new ConvergenceView;
  ledger_ = new LedgerView;
  log_ = new LogView;
  problemsView_ = new ProblemsView;
  addDock("Experiments", tree_, Qt::LeftDockWidgetArea);
  addDock("Inspector", inspector_, Qt::RightDockWidgetArea);
  QDockWidget* first = addDock("Breakdown", breakdown_, Qt::BottomDockWidgetArea);
  for (const auto& [name, widget] : {std::pair<const char*, QWidget*>{"Convergence", convergence_},
                                     {"Ledger", ledger_},
                                     {"Log", log_},
                                     {"Problems", problemsView_}})
    tabifyDockWidget(first, addDock(name, widget, Qt::BottomDockWidgetArea));
  first->raise();
}

void MainWindow::makeStatus() {
  const auto add = [this](const char* what, int stretch) {
    auto* label = new QLabel;
    label->setToolTip(what);
    statusBar()->addWidget(label, stretch);
    return label;
  };
  state_ = add("State of the shown run", 0);
  ranks_ = add("Workers of the shown run", 0);
  spans_ = add("Spans recorded", 0);
  dropped_ = add("Spans that did not fit into a worker's ring", 0);
  recorder_ = add("What recording cost, as a share of the epoch", 0);
  selection_ = add("Visible or selected time", 1);
  selection_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void MainWindow::connectViews() {
  connect(&reader_, &RecordingReader::runsRead, this, &MainWindow::showRuns);
  connect(&reader_, &RecordingReader::runRead, this, &MainWindow::showRun);
  connect(&reader_, &RecordingReader::breakdownRead, this, &MainWindow::showBreakdown);
  connect(&reader_, &RecordingReader::figureDataRead, this, &MainWindow::writeExport);
  connect(&reader_, &RecordingReader::failed, this,
          [this](const QString& file, const QString& message, bool) { showFailure(file, message); });
  connect(&feed_, &Feed::failed, this, [this](const QString& problem) {
    lacking_ = true;
    addProblem(problem);
  });
  connect(&feed_, &Feed::complete, this, [this] {
    showTimelineState();
    showStatus();
  });
  connect(&feed_, &Feed::directoryRead, this, &MainWindow::showTimelineState);
  connect(&poll_, &QTimer::timeout, &reader_, &RecordingReader::refresh);

  connect(start_, &StartView::sampleWanted, this, &MainWindow::openSample);
  connect(start_, &StartView::experimentWanted, this, &MainWindow::newExperiment);
  connect(start_, &StartView::openWanted, this, &MainWindow::chooseFile);
  connect(start_, &StartView::fileWanted, this, &MainWindow::openFile);
  connect(notice_, &Notice::pressed, this, [this] {
    if (notice_->property("opens").toBool())
      chooseFile();
    else
      newExperiment();
  });
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& at) {
    if (const auto run = at.data(ExperimentsModel::kRunRole).toLongLong(); at.isValid() && run >= 0)
      chooseRun(run);
  });
  connect(runs_, &RunsView::runChosen, this, &MainWindow::chooseRun);
  connect(runs_, &RunsView::runOpened, this, [this](std::int64_t run) {
    chooseRun(run);
    setPerspective(Perspective::observe);
  });
  connect(runChoice_, &QComboBox::activated, this,
          [this](int row) { chooseRun(runsModel_->index(row, 0).data(RunsModel::kRunRole).toLongLong()); });
  connect(timeline_, &TimelineView::spanSelected, this, [this](qint64 rank, const Span& span) {
    inspector_->showSpan(rank, &span, timelineModel_.extent().beginNs);
  });
  connect(&window_, &TimeWindow::spanChanged, this, [this] {
    if (!window_.selectedSpan()) inspector_->showSpan(-1, nullptr, 0);
  });
  connect(&window_, &TimeWindow::visibleChanged, this, &MainWindow::showVisible);
  connect(&window_, &TimeWindow::selectionChanged, this, &MainWindow::showSelection);
  connect(&window_, &TimeWindow::epochChanged, this, &MainWindow::showEpoch);
  connect(epoch_, &QSpinBox::valueChanged, this, &MainWindow::chooseEpoch);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (tabs_->currentWidget() == form_) askKnown();
  });
  connect(banner_, &QLabel::linkActivated, this, [this] {
    docks_["Log"]->show();
    docks_["Log"]->raise();
  });
}

// ---- layout
// -------------------------------------------------------------------------------------------------------

void MainWindow::restoreDefaultLayout() {
  for (QDockWidget* dock : docks_) {
    dock->setFloating(false);
    dock->show();
  }
  addDockWidget(Qt::LeftDockWidgetArea, docks_["Experiments"]);
  addDockWidget(Qt::RightDockWidgetArea, docks_["Inspector"]);
  QDockWidget* first = docks_["Breakdown"];
  addDockWidget(Qt::BottomDockWidgetArea, first);
  for (const char* name : {"Convergence", "Ledger", "Log", "Problems"}) tabifyDockWidget(first, docks_[name]);
  shareWidth();
  resizeDocks({first}, {height() * 3 / 8}, Qt::Vertical);
  arrange(perspective_);
}

/// What a name and a value need, and more where there is more; the timeline keeps over half.
void MainWindow::shareWidth() {
  const int unit = fontMetrics().averageCharWidth();
  const auto share = [this, unit](int letters, int percent) {
    return std::min(std::max(letters * unit, width() * percent / 100), width() * 22 / 100);
  };
  resizeDocks({docks_["Experiments"], docks_["Inspector"]}, {share(28, 12), share(40, 16)}, Qt::Horizontal);
}

/// Docks keep their width when a window grows, so it is shared out once the window has its size.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (event->spontaneous()) return;
  layout()->activate();
  shareWidth();  // at once: a perspective may be kept and left before the next turn of the event loop
}

/// What a perspective shows in front.
void MainWindow::arrange(Perspective perspective) {
  const bool setUp = perspective == Perspective::setUp;
  docks_["Inspector"]->setVisible(!setUp);
  docks_["Experiments"]->show();
  const char* front = setUp ? "Log" : perspective == Perspective::decide ? "Convergence" : "Breakdown";
  for (const char* name : {"Breakdown", "Convergence", "Ledger", "Log", "Problems"}) docks_[name]->show();
  docks_[front]->raise();
}

void MainWindow::setPerspective(Perspective perspective) {
  if (perspective != perspective_) {
    settings_.setValue(QString("layout/") + kPerspectiveNames[static_cast<int>(perspective_)],
                       saveState(kLayoutVersion));
    perspective_ = perspective;
    const QByteArray kept =
        settings_.value(QString("layout/") + kPerspectiveNames[static_cast<int>(perspective)]).toByteArray();
    if (kept.isEmpty() || !restoreState(kept, kLayoutVersion)) {
      arrange(perspective);
      shareWidth();
    }
  }
  QWidget* const front[] = {form_, stage_, runs_};
  tabs_->setCurrentWidget(front[static_cast<int>(perspective)]);
  perspectives_->actions()[static_cast<int>(perspective)]->setChecked(true);
  if (perspective == Perspective::setUp) askKnown();
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
      QTimer::singleShot(0, this, &MainWindow::shareWidth);
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
  settings_.setValue(QString("layout/") + kPerspectiveNames[static_cast<int>(perspective_)],
                     saveState(kLayoutVersion));
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
