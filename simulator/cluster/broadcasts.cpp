#include "simulator/cluster/broadcasts.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

bool isFlat(const Step& step, const Plan& plan, const Machine& machine) {
  if (step.op != Op::broadcast) return false;
  const Traffic& traffic = plan.traffics[static_cast<std::size_t>(step.traffic)];
  if (!traffic.pairwise) return false;
  std::int64_t bytes = 0;
  for (const Flow& f : traffic.flows) bytes = std::max(bytes, f.bytes / f.messages);
  return machine.algorithm(Collective::broadcast, static_cast<double>(bytes)) == "flat";
}

/// Each root's messages, one root after the other.
std::vector<std::vector<Flow>> byRoot(const Traffic& traffic) {
  std::vector<std::vector<Flow>> roots;
  for (const Flow& f : traffic.flows) {
    if (roots.empty() || roots.back().front().source != f.source) roots.emplace_back();
    roots.back().push_back(f);
  }
  return roots;
}

}  // namespace

std::optional<Plan> withFlatBroadcasts(const Plan& plan, const Machine& machine) {
  if (std::ranges::none_of(plan.steps, [&](const Step& step) { return isFlat(step, plan, machine); }))
    return std::nullopt;
  Plan changed = plan;
  changed.steps.clear();
  std::vector<int> places;  // of the old steps among the new
  for (const Step& step : plan.steps) {
    places.push_back(static_cast<int>(changed.steps.size()));
    if (!isFlat(step, plan, machine)) {
      changed.steps.push_back(step);
      continue;
    }
    for (std::vector<Flow>& flows : byRoot(plan.traffics[static_cast<std::size_t>(step.traffic)])) {
      Step start = step;
      start.op = Op::exchange;
      start.traffic = changed.addTraffic(trafficOf(plan.ranks, std::move(flows)));
      changed.steps.push_back(start);
      Step wait = step;
      wait.op = Op::wait;
      wait.traffic = -1;
      wait.exchange = -static_cast<int>(changed.steps.size());  // new numbers already, told by the sign
      changed.steps.push_back(wait);
    }
  }
  for (Step& step : changed.steps) {
    if (step.op != Op::wait) continue;
    step.exchange = step.exchange < 0 ? -step.exchange - 1 : places[static_cast<std::size_t>(step.exchange)];
  }
  return changed;
}

}  // namespace halo::cluster
