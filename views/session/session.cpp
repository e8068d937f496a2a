#include "views/session/session.h"

#include <utility>

namespace halo {

TimeRange Session::epochRange() const {
  if (const auto epoch = window_.epoch())
    for (const EpochRow& row : run_.epochs)
      if (row.epoch == *epoch) return {row.beginNs, row.beginNs + row.wallNs};
  return {};
}

std::set<std::int64_t> Session::comparedHere() const {
  std::set<std::int64_t> runs;
  for (const auto& [run, chip] : chipsOfRuns(scene_.state(), sceneLanes_.recording())) runs.insert(run);
  return runs;
}

void Session::clear() {
  run_ = {};
  lanes_.clear();
  compareRuns({});
  setRuns(std::make_shared<RunsData>());
  emit runChosen(0);
}

void Session::setRuns(const SharedRuns& runs) {
  runs_.setRuns(runs);
  emit runsRead(*runs);
}

void Session::chooseRun(const RunRow& run) {
  run_ = {};
  run_.run = run;
  window_.setEpoch({});
  emit runChosen(run.id);
}

void Session::setRun(const RunData& read) {
  BreakdownData breakdown = std::move(run_.breakdown);
  run_ = read;
  run_.breakdown = std::move(breakdown);
  emit runRead(run_);
}

void Session::setBreakdown(const BreakdownData& measured) {
  run_.breakdown = measured;
  emit breakdownRead(run_);
}

void Session::compareRuns(const std::vector<std::int64_t>& runs) {
  if (runs == compared_) return;
  compared_ = runs;
  emit runsCompared(compared_);
}

void Session::setState(const OpenState& state) {
  state_ = state;
  emit stateChanged(state_);
}

void Session::setSceneData(const SceneData& data) {
  sceneData_ = data;
  emit sceneRead(sceneData_);
}

void Session::setChain(const WaitChain& chain) {
  if (chain == chain_) return;
  chain_ = chain;
  emit chainChanged();
}

}  // namespace halo
