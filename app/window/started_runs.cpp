#include "app/window/started_runs.h"

#include <algorithm>
#include <ranges>

namespace halo {

namespace {

bool isUnderWay(const RunRow& run) { return run.status == "running" || run.status == "queued"; }

}  // namespace

QString StartedRuns::start(RunRequest request) {
  request.log = freeLog(request.recording);
  noteInLog(request.log, "Recording into " + request.recording);
  logs_[startRun(request)] = request.log;
  return request.log;
}

bool StartedRuns::anyLives() const { return std::ranges::any_of(logs_ | std::views::keys, supervisorLives); }

QString StartedRuns::logOf(qint64 supervisor) const {
  const auto log = logs_.find(supervisor);
  return log == logs_.end() ? QString() : log->second;
}

QString StartedRuns::freeLog(const QString& recording) const {
  const auto taken = [this](const QString& name) {
    return std::ranges::any_of(
        logs_, [&](const auto& log) { return log.second == name && supervisorLives(log.first); });
  };
  QString name = recording + ".log";
  for (int i = 2; taken(name); ++i) name = QString("%1.%2.log").arg(recording).arg(i);
  return name;
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

const RunRow* runToStop(const RunsData& runs, std::int64_t shown) {
  const auto row = std::ranges::find(runs.runs, shown, &RunRow::id);
  return row != runs.runs.end() && isUnderWay(*row) ? &*row : runningRun(runs);
}

}  // namespace halo
