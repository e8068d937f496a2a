#include "engine/methods/hyscale/decisions.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"

namespace halo::hyscale {
namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr double HybridTimes::*kStages[] = {
    &HybridTimes::sampleCpu, &HybridTimes::sampleCard, &HybridTimes::load, &HybridTimes::transfer,
    &HybridTimes::trainCpu,  &HybridTimes::trainCard,  &HybridTimes::sync, &HybridTimes::hostMemory};

}  // namespace

HybridTimes medianTimes(std::span<const HybridTimes> times) {
  HybridTimes medians;
  std::vector<double> values;
  for (double HybridTimes::*stage : kStages) {
    values.clear();
    for (const HybridTimes& one : times) values.push_back(one.*stage);
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
  decide();
  window_.clear();
  firstBatches_.resize(manager_.decisions().size(), nextBatch);
  settled_ = iteration + 1 + (mapping() == before ? 0 : travel_);
}

void Decisions::decide() {
  std::vector<HybridTimes> times;
  std::vector<double> seconds;
  for (const Measured& one : window_) {
    times.push_back(one.times);
    seconds.push_back(one.seconds);
  }
  manager_.endWindow(medianTimes(times), median(seconds));
}

Index Decisions::count() const {
  return std::ranges::count_if(manager_.decisions(), [](const ManagerDecision& decision) {
    return decision.change.action != MappingAction::start && decision.change.action != MappingAction::rest;
  });
}

std::span<const DecisionRow> Decisions::takeRows() {
  rows_.clear();
  const std::vector<ManagerDecision>& all = manager_.decisions();
  firstBatches_.resize(all.size(), 0);
  // what is still open was told before, and is told again once it is judged
  while (told_ < all.size() && all[told_].outcome != DecisionOutcome::open) rows_.push_back(rowOf(told_++));
  for (std::size_t open = told_; open < all.size(); ++open) rows_.push_back(rowOf(open));
  return rows_;
}

DecisionRow Decisions::rowOf(std::size_t number) const {
  DecisionRow row = decisionRow(manager_.decisions()[number], number, node_.platform.cards);
  row.iteration = firstBatches_[number];
  return row;
}

}  // namespace halo::hyscale
