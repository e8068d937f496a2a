#include "app/window/simulate_desk.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/window/kept_experiment.h"
#include "app/window/runs/started_runs.h"
#include "app/window/simulate_this.h"

namespace halo {

SimulateDesk::SimulateDesk(const Session& session, SceneDesk& scenes, Messages& messages,
                           const WindowPlaces& places)
    : session_(session), scenes_(scenes), messages_(messages), places_(places) {}

QString SimulateDesk::write(const QString& recording) {
  const RunData& run = session_.run();
  if (const QString refusal = simulateRefusal(run); !refusal.isEmpty()) {
    messages_.sayProblem(refusal);
    return {};
  }
  try {
    const QString experiment = keepExperiment(QDir(places_.data).filePath("experiments"),
                                              QString("simulate-run-%1").arg(run.run.id), simulateText(run));
    written_.push_back({QFileInfo(experiment).absoluteFilePath(), recording, run.run.id});
    return experiment;
  } catch (const EnvironmentError& error) {
    messages_.sayProblem(QString::fromUtf8(error.what()));
    return {};
  }
}

const SimulateDesk::Written* SimulateDesk::writtenAs(const QString& experiment) const {
  const auto written =
      std::ranges::find(written_, QFileInfo(experiment).absoluteFilePath(), &Written::experiment);
  return written == written_.end() ? nullptr : &*written;
}

/// The bundled sample itself stays as it is; the window shows a copy of it.
QString SimulateDesk::recordingOf(const QString& experiment) const {
  const Written* written = writtenAs(experiment);
  if (written == nullptr) return {};
  const QFileInfo recording(written->recording), folder(recording.absolutePath());
  const bool bundled = recording.canonicalFilePath() == QFileInfo(places_.sample).canonicalFilePath();
  const bool takesRuns = recording.isFile() && recording.isWritable() && folder.isWritable() && !bundled;
  return takesRuns ? recording.absoluteFilePath() : QString();
}

void SimulateDesk::noteStart(const QString& experiment, qint64 supervisor) {
  if (const Written* written = writtenAs(experiment)) started_.push_back({*written, supervisor});
}

// The runs may have been read before the last was recorded, so that one look too few says nothing.
void SimulateDesk::look(const QString& recording) {
  constexpr int kEnough = 3;
  std::vector<Started> ended;
  std::erase_if(started_, [&](Started& each) {
    if (each.what.recording != recording || supervisorLives(each.supervisor)) return false;
    if (++each.looks < kEnough) return false;
    ended.push_back(each);
    return true;
  });
  for (const Started& each : ended) {
    std::vector<std::int64_t> completed;
    for (const RunRow& run : session_.runs().runs().runs)
      if (run.supervisorPid == each.supervisor && run.status == "completed") completed.push_back(run.id);
    if (!completed.empty()) scenes_.compareBeside(recording, each.what.run, completed);
  }
}

}  // namespace halo
