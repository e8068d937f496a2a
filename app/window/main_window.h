#pragma once

#include <QMainWindow>
#include <functional>
#include <memory>

#include "app/window/dock_keeper.h"
#include "app/window/experiment_desk.h"
#include "app/window/figure_export.h"
#include "app/window/problem_list.h"
#include "app/window/recent_files.h"
#include "app/window/run_follower.h"
#include "app/window/run_starter.h"
#include "app/window/window_places.h"
#include "views/session/session.h"
#include "views/view_registry.h"

class QActionGroup;
class QMenu;
class QSettings;
class QTabWidget;

namespace halo {

class ExperimentForm;
class RunBanner;
class RunBar;
class RunStatus;

/// The window: makes every view of the registry, and joins who keeps docks, who follows a run, who starts
/// runs and what the menus say. Views and they tell one another through one session.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `settings` outlives the window.
  MainWindow(WindowPlaces places, QSettings& settings);

  void openFile(const QString& file);       // a recording or, by its ending, an experiment
  void openRecording(const QString& file);  // a missing or unreadable one is told of in its place
  void openExperiment(const QString& file);
  /// The bundled recording is copied first: runs may then be added to it. Where nothing can be kept it is
  /// only read.
  void openSample();
  /// What was open last, as far as it is still there: the recording, and the experiment if that was opened or
  /// saved after it; else the sample.
  void openLast();
  /// As a person does: it stays shown whatever starts later.
  void chooseRun(std::int64_t run) { follower_.choose(run); }
  void setTheme(const QString& name);  // light | dark | system
  using Perspective = halo::Perspective;
  void setPerspective(Perspective perspective);
  /// The experiment of the form, saved first where it was changed.
  void startExperiment();
  /// Nothing asked for is still being read.
  bool settled() const { return follower_.settled(); }

 signals:
  void runsShown();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  ExperimentForm& makeViews();
  void makeBars();
  void makeFileMenu();
  void makeRunMenu();
  void makeViewMenus();
  void makeViewMenu();
  QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> work);
  void connectSession();
  void connectFollower();
  void connectStarter();

  void bringToFront(QWidget* view);
  void showRunStarted(const QString& recording, const QString& log);
  void showRefusal(const std::vector<Problem>& problems);
  void showRunState();
  void chooseFile();
  void say(const QString& sentence);

  WindowPlaces places_;
  QSettings& settings_;
  QString theme_ = "system";
  Session session_;
  QTabWidget* tabs_;
  RunBanner* banner_;
  RunBar* bar_ = nullptr;
  QAction *run_ = nullptr, *stop_ = nullptr;
  QActionGroup *themes_ = nullptr, *perspectives_ = nullptr;

  ProblemList problems_{session_};
  RecentFiles recent_;
  DockKeeper docks_;
  ExperimentForm& form_;
  ExperimentDesk desk_;
  RunStarter starter_;
  RunFollower follower_;
  FigureExport export_;
  RunStatus* status_ = nullptr;
};

}  // namespace halo
