#include "app/window/runs/started_runs.h"

#include <algorithm>
#include <ranges>

namespace halo {

namespace {

bool isUnderWay(const RunRow& run) { return run.status == "running" || run.status == "queued"; }

}  // namespace

QString StartedRuns::freeLog(const QString& recording) const {
  const auto taken = [this](const QString& name) {
    return std::ranges::any_of(
        starts_, [&](const auto& start) { return start.second.log == name && supervisorLives(start.first); });
  };
  QString name = recording + ".log";
  for (int i = 2; taken(name); ++i) name = QString("%1.%2.log").arg(recording).arg(i);
  return name;
}

qint64 StartedRuns::start(const RunRequest& request) {
  noteInLog(request.log, kStartNote + request.recording);
  const qint64 supervisor = startRun(request);
  starts_[supervisor] = {request.log, request.recording};
  return supervisor;
}

bool StartedRuns::anyLives() const {
  return std::ranges::any_of(starts_ | std::views::keys, supervisorLives);
}

QString StartedRuns::logOf(qint64 supervisor) const {
  const auto start = starts_.find(supervisor);
  return start == starts_.end() ? QString() : start->second.log;
}

QStringList StartedRuns::comeToNothing(const QString& recording, const RunsData& runs) {
  QStringList logs;
  for (auto& [supervisor, start] : starts_) {
    if (start.settled || start.recording != recording || supervisorLives(supervisor)) continue;
    start.settled = std::ranges::find(runs.runs, supervisor, &RunRow::supervisorPid) != runs.runs.end();
    if (start.settled || ++start.looks < 2) continue;
    markTold(start.log);
    logs << start.log;
  }
  return logs;
}

void StartedRuns::markTold(const QString& log) {
  for (Start& start : starts_ | std::views::values) start.settled = start.settled || start.log == log;
}

bool StartedRuns::stop(const RunRow& run) {
  if (!askToStop(run.supervisorPid, /*now=*/stops_.contains(run.id))) return false;
  Stop& stop = stops_[run.id];
  ++stop.times;
  stop.since.start();
  return true;
}

QString StartedRuns::stopping(std::int64_t run) const {
  const auto stop = stops_.find(run);
  return stop == stops_.end() ? QString() : stopText(stop->second.times, stop->second.since.elapsed());
}

const RunRow* runningRun(const RunsData& runs) {
  const auto newest = std::ranges::find_if(runs.runs.rbegin(), runs.runs.rend(), isUnderWay);
  return newest == runs.runs.rend() ? nullptr : &*newest;
}

const RunRow* runToStop(const RunsData& runs, std::int64_t visibleRun) {
  const auto row = std::ranges::find(runs.runs, visibleRun, &RunRow::id);
  return row != runs.runs.end() && isUnderWay(*row) ? &*row : runningRun(runs);
}

}  // namespace halo
