#pragma once

#include <QObject>

#include "app/window/experiment_desk.h"
#include "app/window/runs/started_runs.h"
#include "app/window/simulate_desk.h"

namespace halo {

/// Starts runs of the experiment on the desk, and stops them. Asks where a person has to decide.
class RunStarter : public QObject {
  Q_OBJECT
 public:
  /// All outlive what the starter does; dialogs stand before `window`.
  RunStarter(ExperimentDesk& experiments, SimulateDesk& simulations, const Session& session,
             StartedRuns& runs, Messages& messages, const WindowPlaces& places, QWidget& window);

  /// Where a run would be recorded now: simulations of a run beside it; else see recordingForRuns().
  QString recording(const QString& visibleRecording) const;
  /// `record`: what is recorded besides metrics ("all", "10", "none"; empty: as the experiment says).
  /// `visibleRecording`: the recording that is shown; empty: none can be. An experiment that has problems is
  /// refused.
  void start(const QString& record, const QString& visibleRecording);
  void stop();
  bool canStop() const;

 signals:
  void started(const QString& recording, const QString& log);
  void failed(const QString& why, const QString& log);
  void refused(const std::vector<halo::Problem>& problems);
  void experimentLacks();  // there is none to start
  void stopAsked();

 private:
  bool mayStartBeside();
  void tellFailure(const QString& why, const QString& log);
  const RunRow* toStop() const;

  ExperimentDesk& experiments_;
  SimulateDesk& simulations_;
  const Session& session_;
  StartedRuns& runs_;
  Messages& messages_;
  const WindowPlaces& places_;
  QWidget& window_;
};

/// Where runs of an experiment are recorded: beside what is shown, else beside the experiment. A bundled
/// experiment, or one where nothing can be written, has them in the person's own folder instead.
/// `visibleRecording` may be empty.
QString recordingForRuns(const WindowPlaces& places, const QString& visibleRecording,
                         const QString& experiment);

}  // namespace halo
