#include "app/window/what_if_desk.h"

#include <QDir>
#include <QMessageBox>
#include <filesystem>

#include "app/window/kept_experiment.h"
#include "app/window/what_if_dialog.h"
#include "views/look/figure_text.h"

namespace halo {

namespace {

double figure(const RunsData& runs, std::int64_t run, const std::string& key) {
  const auto latest = runs.latest.find(run);
  if (latest == runs.latest.end()) return 0;
  const auto value = latest->second.find(key);
  return value == latest->second.end() ? 0 : value->second;
}

}  // namespace

WhatIfDesk::WhatIfDesk(Session& session, StartedRuns& started, SceneDesk& scenes, Messages& messages,
                       const WindowPlaces& places, QWidget& window)
    : session_(session),
      started_(started),
      scenes_(scenes),
      messages_(messages),
      places_(places),
      window_(window) {}

QString WhatIfDesk::refusal() const {
  const RunData& runData = session_.run();
  if (runData.run.id == 0) return "No run is shown; choose one that trained.";
  if (runData.run.kind != "training")
    return QString("Run %1 is a simulation; replayed is what trained.").arg(runData.run.id);
  if (runData.epochs.empty())
    return QString("Run %1 has no epoch yet; replayed are epochs.").arg(runData.run.id);
  if (!runData.batches.iterations.empty())
    return QString(
               "Run %1 trains on mini-batches, which cannot be replayed; [[simulate]] cluster draws them.")
        .arg(runData.run.id);
  return {};
}

void WhatIfDesk::ask(const QString& recording) {
  if (const QString why = refusal(); !why.isEmpty()) return messages_.say(why);
  const RunData& runData = session_.run();
  try {
    const auto links = readLinks(std::filesystem::path(places_.resources.toStdString()) / "links.toml");
    WhatIfDialog dialog(runData.run, links, networkOf({runData.run, runData.parameters, runData.run.workers}),
                        &window_);
    const TimeWindow& shown = session_.window();
    if (const auto span = shown.selectedSpan(); span && shown.selectedBlock() == 0)
      dialog.begin(*span, shown.selectedRank());
    if (dialog.exec() == QDialog::Accepted) start(dialog.question(), recording);
  } catch (const std::exception& error) {
    QMessageBox::warning(&window_, "What if", plainRich(QString::fromUtf8(error.what())));
  }
}

void WhatIfDesk::start(const WhatIf& question, const QString& recording) {
  const QString experiment =
      keepExperiment(QDir(places_.data).filePath("experiments"), QString("what-if-run-%1").arg(question.run),
                     whatIfText(question));
  const QString log = started_.freeLog(recording);
  const qint64 supervisor = started_.start({places_.program, experiment, recording, log, {}});
  requests_.push_back({supervisor, recording, question});
  messages_.say(
      QString("Simulating into %1; what comes of it is put beside run %2.").arg(recording).arg(question.run));
}

std::vector<std::int64_t> WhatIfDesk::completedSimulations(const Request& request) const {
  std::vector<std::int64_t> completed;
  for (const RunRow& run : session_.runs().runs().runs)
    if (run.supervisorPid == request.supervisor && run.status == "completed") completed.push_back(run.id);
  return completed;
}

// The runs may have been read before the last was recorded, so that one look too few says nothing.
void WhatIfDesk::look(const QString& recording) {
  constexpr int kEnough = 3;
  std::vector<Request> ended;
  std::erase_if(requests_, [&](Request& request) {
    if (request.recording != recording || supervisorLives(request.supervisor)) return false;
    if (completedSimulations(request).size() < request.question.simulations() && ++request.looks < kEnough)
      return false;
    ended.push_back(request);
    return true;
  });
  for (const Request& request : ended) answer(request);
}

void WhatIfDesk::answer(const Request& request) {
  const std::vector<std::int64_t> completed = completedSimulations(request);
  if (completed.size() < request.question.simulations())
    return messages_.sayProblem(
        QString("What if: not every simulation of run %1 completed; the run table or the log has the reason.")
            .arg(request.question.run));
  scenes_.compareBeside(request.recording, request.question.run, completed);
  const RunsData& runs = session_.runs().runs();
  const double changed = figure(runs, completed.back(), "simulated_seconds"),
               asItWas = request.question.asItWas ? figure(runs, completed.front(), "simulated_seconds") : 0;
  messages_.say(whatIfAnswer(changed, asItWas, figure(runs, completed.back(), "replayed_epoch_seconds")));
}

}  // namespace halo
