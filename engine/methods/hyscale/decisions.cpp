#include "engine/methods/hyscale/decisions.h"

#include <algorithm>

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

HybridTimes medianTimes(const std::vector<HybridTimes>& times) {
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
    : node_(node), mapping_(start), manager_(node.platform, node.prefetch), settled_(lag), travel_(travel) {}

void Decisions::iterationDone(Index iteration, const HybridTimes& times, double seconds) {
  if (!node_.manage || iteration < settled_) return;
  window_.push_back({times, seconds});
  if (std::ssize(window_) < node_.window) return;
  decide();
  window_.clear();
  settled_ = iteration + 1 + (manager_.last() == Shift::none ? 0 : travel_);
}

void Decisions::decide() {
  std::vector<HybridTimes> times;
  std::vector<double> seconds;
  for (const Measured& one : window_) {
    times.push_back(one.times);
    seconds.push_back(one.seconds);
  }
  mapping_ = manager_.next(mapping_, medianTimes(times), median(seconds));
  count_ += manager_.last() == Shift::none ? 0 : 1;
}

}  // namespace halo::hyscale
