#include "engine/methods/hyscale/decisions.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/base/median.h"

namespace halo::hyscale {
namespace {

constexpr double HybridTimes::*kStages[] = {
    &HybridTimes::sampleCpu, &HybridTimes::sampleCard, &HybridTimes::load, &HybridTimes::transfer,
    &HybridTimes::trainCpu,  &HybridTimes::trainCard,  &HybridTimes::sync, &HybridTimes::hostMemory};

}  // namespace

HybridTimes medianTimes(std::span<const HybridTimes> times) {
  HybridTimes medians;
  std::vector<double> values;
  for (double HybridTimes::*stage : kStages) {
    values.clear();
    for (const HybridTimes& iterationTimes : times) values.push_back(iterationTimes.*stage);
    medians.*stage = median(values);
  }
  return medians;
}

Decisions::Decisions(const NodeSettings& node, const HybridMapping& start, Index lag, Index travel)
    : node_(node), manager_(node.platform, node.prefetch, start), settled_(lag), travel_(travel) {}

void Decisions::iterationDone(Index iteration, const HybridTimes& times, double seconds, Index nextBatch) {
  if (!node_.manage || iteration < settled_) return;
  window_.push_back({times, seconds});
  if (std::ssize(window_) < node_.window) return;
  const HybridMapping before = mapping();
  const std::size_t decisionCount = manager_.decisions().size();
  decide();
  rowsAreTaken_ =
      rowsAreTaken_ && manager_.decisions().size() == decisionCount;  // what is judged is followed by another
  window_.clear();
  firstBatches_.resize(manager_.decisions().size(), nextBatch);
  settled_ = iteration + 1 + (mapping() == before ? 0 : travel_);
}

void Decisions::decide() {
  std::vector<HybridTimes> times;
  std::vector<double> seconds;
  for (const Measured& measurement : window_) {
    times.push_back(measurement.times);
    seconds.push_back(measurement.seconds);
  }
  manager_.endWindow(medianTimes(times), median(seconds));
}

void Decisions::keep(ByteWriter& out, Index first, Index iteration) const {
  out.value(manager_.state());
  out.array(manager_.refusals());
  out.array(manager_.decisions());
  out.value(static_cast<std::int64_t>(forgotten_));
  for (const Index batch : firstBatches_) out.value(first + batch);
  out.array(window_);
  out.value(settled_ - iteration);
}

// What is not judged is told again.
void Decisions::resume(ByteReader& in, Index first, Index iteration) {
  const auto state = in.value<ResourceManager::State>();
  std::vector<ResourceManager::Refusal> refusals;
  std::vector<ManagerDecision> decisions;
  in.array(refusals);
  in.array(decisions);
  forgotten_ = at(in.value<std::int64_t>());
  firstBatches_.clear();
  for (std::size_t i = 0; i < decisions.size(); ++i) firstBatches_.push_back(in.value<Index>() - first);
  manager_.resume(state, std::move(refusals), std::move(decisions));
  in.array(window_);
  settled_ = in.value<Index>() + iteration;
  rowsAreTaken_ = false;
}

std::span<const DecisionRow> Decisions::takeRows() {
  rows_.clear();
  if (rowsAreTaken_) return rows_;
  rowsAreTaken_ = true;
  const std::vector<ManagerDecision>& decisions = manager_.decisions();
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    DecisionRow& row = rows_.emplace_back(decisionRow(decisions[i], forgotten_ + i, node_.platform.cards));
    row.iteration = firstBatches_[i];
  }
  const std::size_t judged = manager_.forgetJudged();
  firstBatches_.erase(firstBatches_.begin(), firstBatches_.begin() + static_cast<std::ptrdiff_t>(judged));
  forgotten_ += judged;
  return rows_;
}

}  // namespace halo::hyscale
