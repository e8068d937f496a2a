#pragma once

#include <QMainWindow>

#include "app/window/dock_keeper.h"
#include "app/window/experiment_desk.h"
#include "app/window/figure_export.h"
#include "app/window/file_opener.h"
#include "app/window/messages.h"
#include "app/window/recent_files.h"
#include "app/window/run_starter.h"
#include "app/window/runs/recording_desk.h"
#include "app/window/runs/run_status.h"
#include "app/window/runs/started_runs.h"
#include "app/window/scene_desk.h"
#include "app/window/simulate_desk.h"
#include "app/window/what_if_desk.h"
#include "app/window/window_menus.h"
#include "app/window/window_places.h"
#include "views/session/session.h"
#include "views/view_registry.h"

class QSettings;
class QTabWidget;

namespace halo {

class ExperimentForm;
class LiveBar;
class RunBanner;
class RunBar;

/// The window makes every view of the registry. It joins those who keep docks, show recordings, start runs
/// and compare them, and what the menus say. Views and they tell one another through one session.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `settings` outlives the window.
  MainWindow(WindowPlaces places, QSettings& settings);

  /// A recording, a scene or an experiment, by its ending. A missing or unreadable one is told of.
  void openFile(const QString& file) { files_.open(file); }
  void openFiles(const QStringList& files) { files_.openSeveral(files); }
  void openSample() { files_.openSample(); }
  void openLast() { files_.openLast(); }
  /// As a person does: it stays shown whatever starts later.
  void chooseRun(std::int64_t run) { recordings_.choose(run); }
  void setTheme(const QString& name);  // light | dark | system
  using Perspective = halo::Perspective;
  void setPerspective(Perspective perspective);
  /// The experiment of the form, saved first where it was changed.
  void startExperiment();
  /// Nothing asked for is still being read or made.
  bool settled() const;

 signals:
  void runsShown();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  ExperimentForm& makeViews();
  void connectSession();
  /// Writes an experiment that simulates what the shown run trained, and opens it.
  void openSimulation();
  void connectRecordings();
  void connectStarter();
  void connectFiles();
  void connectMenus();

  void bringToFront(QWidget* view);
  bool takesRunsAt(QPoint place) const;
  void showForm();
  void showRunStarted(const QString& recording, const QString& log);
  void showRefusal(const std::vector<Problem>& problems);
  void showFailedStart(const QString& why);
  void showRunState();
  /// Empty: none can be shown.
  QString shownRecording() const;

  WindowPlaces places_;
  QSettings& settings_;
  QString theme_ = "system";
  Session session_;

  QTabWidget* tabs_;
  RunBanner* banner_;
  Messages messages_;
  RecentFiles recent_;
  DockKeeper docks_;
  ExperimentForm& form_;

  StartedRuns started_;
  RecordingDesk recordings_;
  ExperimentDesk experiments_;
  SceneDesk scenes_;
  SimulateDesk simulations_;
  RunStarter starter_;
  WhatIfDesk whatIf_;
  FileOpener files_;
  FigureExport export_;
  RunStatus status_;
  WindowMenus menus_;
  RunBar* bar_;
  LiveBar* live_;
};

}  // namespace halo
