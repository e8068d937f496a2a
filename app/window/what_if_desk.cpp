#include "app/window/what_if_desk.h"

#include <QDir>
#include <QMessageBox>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/window/kept_experiment.h"
#include "app/window/what_if_dialog.h"
#include "engine/record/tables/runs.h"
#include "views/look/figure_text.h"
#include "views/session/background.h"

namespace halo {

namespace {

double figure(const RunsData& runs, std::int64_t run, const std::string& key) {
  const auto latest = runs.latest.find(run);
  if (latest == runs.latest.end()) return 0;
  const auto value = latest->second.find(key);
  return value == latest->second.end() ? 0 : value->second;
}

/// Why it cannot be asked of a run; empty: it can.
QString refusalOf(const RunData& runData) {
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

/// The simulations that were started together and completed.
std::vector<std::int64_t> completedOf(const RunsData& runs, qint64 supervisor) {
  std::vector<std::int64_t> completed;
  for (const RunRow& run : runs.runs)
    if (run.supervisorPid == supervisor && run.status == "completed") completed.push_back(run.id);
  return completed;
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

void WhatIfDesk::ask(const QString& recording) {
  std::optional<SpanOfRank> begin;
  const TimeWindow& shown = session_.window();
  if (const auto span = shown.selectedSpan(); span && shown.selectedBlock() == 0)
    begin = SpanOfRank{*span, shown.selectedRank()};
  askOf(session_.run(), begin, recording);
}

void WhatIfDesk::askOther(const QString& recording, std::int64_t run, const std::optional<Span>& span,
                          std::int64_t rank) {
  runInBackground([file = recording.toStdString(), run] {
    return std::make_shared<const RunData>(readRun(*openToShow(file), run));
  })
      .then(this,
            [this, recording, span, rank](const std::shared_ptr<const RunData>& data) {
              askOf(*data, span ? std::optional(SpanOfRank{*span, rank}) : std::nullopt, recording);
            })
      .onFailed(this, [this](const std::exception& error) {
        messages_.sayProblem("What if: " + QString::fromUtf8(error.what()));
      });
}

void WhatIfDesk::askOf(const RunData& data, const std::optional<SpanOfRank>& begin,
                       const QString& recording) {
  if (const QString why = refusalOf(data); !why.isEmpty()) return messages_.say(why);
  try {
    const auto links = readLinks(std::filesystem::path(places_.resources.toStdString()) / "links.toml");
    WhatIfDialog dialog(data.run, links, networkOf({data.run, data.parameters, data.run.workers}), &window_);
    if (begin) dialog.begin(begin->span, begin->rank);
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

void WhatIfDesk::look(const QString& recording) {
  std::vector<qint64> ended;
  for (Request& request : requests_) {
    if (request.isRead || supervisorLives(request.supervisor)) continue;
    if (request.recording == recording)
      ended.push_back(request.supervisor);
    else
      readAndLook(request);
  }
  for (const qint64 supervisor : ended) lookAmong(session_.runs().runs(), supervisor);
}

void WhatIfDesk::readAndLook(Request& request) {
  request.isRead = true;
  runInBackground([file = request.recording.toStdString()] {
    try {
      return std::make_shared<const RunsData>(readRuns(*openToShow(file)));
    } catch (const std::exception&) {
      return std::make_shared<const RunsData>();  // as if nothing completed
    }
  }).then(this, [this, supervisor = request.supervisor](const SharedRuns& runs) {
    lookAmong(*runs, supervisor);
  });
}

// The runs may have been read before the last was recorded, so that one look too few says nothing.
void WhatIfDesk::lookAmong(const RunsData& runs, qint64 supervisor) {
  constexpr int kEnough = 3;
  const auto asked = std::ranges::find(requests_, supervisor, &Request::supervisor);
  if (asked == requests_.end()) return;
  asked->isRead = false;
  if (completedOf(runs, supervisor).size() < asked->question.simulations() && ++asked->looks < kEnough)
    return;
  const Request request = std::move(*asked);
  requests_.erase(asked);
  answer(request, runs);
}

void WhatIfDesk::answer(const Request& request, const RunsData& runs) {
  const std::vector<std::int64_t> completed = completedOf(runs, request.supervisor);
  if (completed.size() < request.question.simulations())
    return messages_.sayProblem(
        QString("What if: not every simulation of run %1 completed; the run table or the log has the reason.")
            .arg(request.question.run));
  const double changed = figure(runs, completed.back(), "simulated_seconds"),
               asItWas = request.question.asItWas ? figure(runs, completed.front(), "simulated_seconds") : 0,
               measured = figure(runs, completed.back(), "replayed_epoch_seconds");
  scenes_.compareBeside(request.recording, request.question.run, completed);
  messages_.say(whatIfAnswer(changed, asItWas, measured));
}

}  // namespace halo
