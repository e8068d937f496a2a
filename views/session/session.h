#pragma once

#include <QObject>
#include <QStringList>
#include <optional>
#include <set>

#include "engine/base/problem.h"
#include "views/recording/run_data.h"
#include "views/recording/runs_model.h"
#include "views/recording/time_window.h"
#include "views/scene/scene_data.h"
#include "views/session/scene_lanes.h"
#include "views/spans/span_choice.h"
#include "views/spans/timeline_model.h"
#include "views/spans/wait_chain.h"

namespace halo {

/// How far the window is with what it was asked to show.
struct OpenState {
  bool file = false;      // a recording is or is being opened
  bool opening = false;   // its runs are not known yet
  bool starting = false;  // a run was started here and is shown as soon as it records
  bool reading = false;   // the shown run is being read
  QString failure;        // why nothing can be shown; empty: it can
  QString log;            // the file that the shown run, or one just started, is writing; empty: none
};

/// The one thing the views of a window share. The window fills it by the functions. A view listens to the
/// signals it cares for, and says what a person wants by the last of these signals. Views know nothing of
/// each other.
class Session : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  TimeWindow& window() { return window_; }   // visible time, selection, epoch, span: all may set them
  TimelineModel& lanes() { return lanes_; }  // spans of the shown run; grows while it goes on
  RunsModel& runs() { return runs_; }        // of the recording
  const TimelineModel& lanes() const { return lanes_; }
  const RunsModel& runs() const { return runs_; }
  const RunData& run() const { return run_; }  // the shown one; id 0: none
  const OpenState& state() const { return state_; }
  Scene& scene() { return scene_; }                          // the runs that are compared
  const SceneData& sceneData() const { return sceneData_; }  // what they came to when they were read last
  SceneLanes& sceneLanes() { return sceneLanes_; }           // spans of those beside the shown one
  const SceneLanes& sceneLanes() const { return sceneLanes_; }
  /// Of the selected wait, as soon as it is read; without links: none.
  const WaitChain& chain() const { return chain_; }
  /// The chips that runs of the shown recording are in.
  RunChips runChips() const { return chipsOfRuns(sceneData_.state, sceneLanes_.recording()); }
  /// The runs of the shown recording that are in chips.
  std::set<std::int64_t> comparedHere() const;
  /// Of the chosen epoch; empty: the whole run is.
  TimeRange epochRange() const;

  void clear();  // another recording
  void setRuns(const SharedRuns& runs);
  void chooseRun(const RunRow& run);  // its data follow
  void setRun(const RunData& read);   // the breakdown stays
  void setBreakdown(const BreakdownData& measured);
  /// Several to be compared, by id.
  void compareRuns(const std::vector<std::int64_t>& runs);
  const std::vector<std::int64_t>& comparedRuns() const { return compared_; }
  void setState(const OpenState& state);
  void setSceneData(const SceneData& data);
  void setChain(const WaitChain& chain);

 signals:
  // what there is to know
  void runsRead(const halo::RunsData& runs);
  void runChosen(std::int64_t run);              // 0: none
  void runRead(const halo::RunData& run);        // and again as it goes on
  void breakdownRead(const halo::RunData& run);  // of epochRange()
  void runsCompared(const std::vector<std::int64_t>& runs);
  void sceneRead(const halo::SceneData& data);
  void chainChanged();
  void problemsFound(const std::vector<halo::Problem>& problems);  // all there are
  void recentChanged(const QStringList& files);
  void stateChanged(const halo::OpenState& state);
  // what a person wants
  void runWanted(std::int64_t run);
  void runOpened(std::int64_t run);                              // and looked into
  void comparisonWanted(const std::vector<std::int64_t>& runs);  // these too, as chips
  void runTicked(std::int64_t run, bool on);  // on: in a chip, with those that differ in their seeds alone
  void frontWanted(QWidget* view);
  void waitWanted(halo::Name reason, qint64 peer, qint64 layer);       // the longest such, with its chain
  void spansWanted(std::size_t chip, const halo::SpanChoice& choice);  // of the chip at a place of the scene
  void shownSpansWanted(const halo::SpanChoice& choice);               // of the shown run, in a chip or not
  void fileWanted(const QString& file);                                // empty: the person is asked for one
  void sampleWanted();
  void experimentWanted();  // a new one
  void whatIfWanted();      // of the shown run, from the selected span
  /// Of a run of another recording; `span` of `rank` is selected, or none is.
  void otherWhatIfWanted(const QString& recording, qint64 run, const std::optional<halo::Span>& span,
                         qint64 rank);
  void simulationWanted();  // of what the shown run trained: an experiment to look at, and to run

 private:
  TimeWindow window_;
  TimelineModel lanes_;
  RunsModel runs_;
  RunData run_;
  std::vector<std::int64_t> compared_;
  OpenState state_;
  Scene scene_;
  SceneData sceneData_;
  SceneLanes sceneLanes_;
  WaitChain chain_;
};

}  // namespace halo
