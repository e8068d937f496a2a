#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <QTimer>
#include <map>
#include <optional>

#include "app/window/export_dialog.h"
#include "engine/base/problem.h"
#include "views/scene/scene_reader.h"
#include "views/session/feed.h"
#include "views/session/recording_reader.h"
#include "views/session/session.h"
#include "views/view_registry.h"

class QActionGroup;
class QComboBox;
class QLabel;
class QProcess;
class QSettings;
class QSpinBox;
class QTabWidget;

namespace halo {

class ChipBar;
class ExperimentForm;

/// Where the window finds what it does not know itself.
struct WindowPlaces {
  QString program;      // haloscope
  QString sample;       // the bundled recording
  QString experiments;  // folder of bundled experiments
  QString data;         // the person's own folder for recordings; made when needed
  QString resources;    // folder of links.toml, devices and other figures
};

/// The window: makes every view of the registry, and tells them all through one session. The recording is
/// read on threads of its own.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `settings` outlives the window.
  MainWindow(WindowPlaces places, QSettings& settings);

  /// The first recording and the first experiment of them; of the others it is said how to open them.
  void openFiles(const QStringList& files);
  void openFile(const QString& file);       // a recording or, by its ending, an experiment
  void openRecording(const QString& file);  // a missing or unreadable one is told of in its place
  void openExperiment(const QString& file);
  /// What a scene compares; of its first recording the runs are shown. Throws InputError.
  void openScene(const QString& file);
  void openSample();
  /// What was open last, as far as it is still there: the recording, and the experiment if that was opened or
  /// saved after it; else the sample.
  void openLast();
  /// As a person does: it stays shown whatever starts later.
  void chooseRun(std::int64_t run);
  void setTheme(const QString& name);  // light | dark | system
  using Perspective = halo::Perspective;
  void setPerspective(Perspective perspective);
  /// The experiment of the form, saved first where it was changed.
  void startExperiment();
  static constexpr int kMessageMs = 15'000;  // how long the status bar says something
  /// Nothing asked for is still being read.
  bool settled() const;

 signals:
  void runsShown();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // main_window.cpp: what there is
  void makeViews();
  void addView(const ViewEntry& view);
  void makeStatus();
  void connectSession();
  void bringToFront(QWidget* view);
  void raiseDock(const QString& name);
  // main_window_layout.cpp: what stands where
  void restoreDefaultLayout();
  void hideEmptyTabBars();
  void placeDocks(ViewArea area);
  QList<QDockWidget*> docksOf(ViewArea area) const;
  void shareSpace();
  void arrange(Perspective perspective);
  void keepLayout();
  bool restoreLayout(Perspective perspective);
  // main_window_actions.cpp: what can be done
  void makeActions();
  QAction* addAction(class QMenu* menu, const QString& text, const QKeySequence& key,
                     std::function<void()> work);
  void makeViewMenus();
  void makeToolBar();
  void chooseFile();
  void showKeys();
  void exportFigure();
  void writeExport(const RunData& data);
  // main_window_runs.cpp: experiments and the runs started of them
  void saveExperiment(bool ask);
  bool saveForRun();
  bool mayLoseChanges();
  void newExperiment();
  void offerExperiment();
  void refuse(const std::vector<Problem>& wrong);
  bool mayStartBeside();
  bool startedLives() const;
  void lookForFailedStarts();
  void tellFailedEnd(const QString& log);
  void tellFailedStart(const QString& why, const QString& log);
  QString freeLog(const QString& recording) const;
  void stopRun();
  void teachForm();
  QString recordingForRuns() const;
  const RunRow* running() const;
  const RunRow* toStop() const;
  // main_window_scene.cpp: what is compared
  void saveScene();
  void compare(const std::vector<std::int64_t>& runs);
  // main_window_recording.cpp: what was read
  void beginReading(const QString& file);
  void showRunOf(std::int64_t run);
  void beginRun(std::int64_t run);
  void leaveDeleted();
  void takeRuns(const RunsData& data);
  void takeRun(const RunData& data);
  void showBanner(const RunRow& run);
  void takeBreakdown(std::int64_t run, const BreakdownData& data);
  void showFailure(const QString& file, const QString& message);
  void followLive();
  void askBreakdown(bool soon);
  void chooseEpoch(int epoch);
  void showEpoch();
  void showVisible();
  void tellState();
  void showStatus();
  void showSelection();
  void addProblem(const QString& message);
  void listProblems(const std::vector<Problem>& ofExperiment);
  void remember(const QString& file);
  void sayProblem(const QString& message);

  WindowPlaces places_;
  QSettings& settings_;
  QString theme_ = "system";
  Perspective perspective_ = Perspective::observe;
  bool asLeft_ = false;  // the docks stand as the settings have it

  Session session_;
  RecordingReader reader_;
  Feed feed_;
  SceneReader sceneReader_;

  QTabWidget* tabs_;
  QLabel* banner_;
  ChipBar* chips_;
  ExperimentForm* form_;
  QMap<QString, QDockWidget*> docks_;

  QComboBox *runChoice_, *record_;
  QSpinBox* epoch_;
  QAction *run_, *stop_;
  QActionGroup *themes_, *perspectives_;
  QLabel *state_, *ranks_, *spans_, *dropped_, *recorder_, *selection_;

  std::vector<Problem> problems_;
  QTimer poll_;
  QElapsedTimer sinceBreakdown_;
  QString failure_;  // why the recording asked for cannot be shown
  struct Started {
    QString log, recording;
    int looks = 0;      // at the recording, since it ended
    bool told = false;  // that it came to nothing, or it came to a run
  };
  std::map<qint64, Started> started_;  // by supervisor
  QString newestLog_;
  std::optional<QString> failedLog_;  // of the last start here, where that came to nothing
  QString offered_;                   // what the form shows while no experiment is open
  struct Stop {
    int times = 0;
    QElapsedTimer since;  // the last
  };
  std::map<std::int64_t, Stop> stops_;  // the runs that were asked to stop
  std::optional<ExportRequest> exporting_;
  bool followNewRun_ = false;  // what was started here is shown as it comes, until a person chooses
  bool live_ = false;          // the timeline was once set to the shown run's newest epochs
  bool lacking_ = false;       // spans of the shown run cannot be read
  bool opening_ = false, reading_ = false, measuring_ = false;
};

}  // namespace halo
