#include "simulator/cluster/engines/as_messages.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/cluster/engines/broadcast_clocks.h"

namespace halo::cluster {
namespace {

bool isFlat(const Step& step, const Plan& plan, const Machine& machine) {
  if (step.op != Op::broadcast) return false;
  const Traffic& traffic = plan.traffics[at(step.traffic)];
  return traffic.pairwise && sentFlat(traffic, machine);
}

bool isMoved(const Step& step, const Plan& plan, const Machine& machine) {
  return step.op == Op::allReduce && machine.looks.needed() && plan.ranks > 1;
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

/// The whole sum, each time: to rank 0, and from it.
std::vector<std::vector<Flow>> upAndDown(int ranks, std::int64_t bytes) {
  std::vector<std::vector<Flow>> rounds;
  for (int distance = 1; distance < ranks; distance *= 2) {
    std::vector<Flow>& up = rounds.emplace_back();
    for (int to = 0; to + distance < ranks; to += 2 * distance) up.push_back({to + distance, to, 1, bytes});
  }
  for (std::size_t i = rounds.size(); i-- > 0;) {
    std::vector<Flow> down = rounds[i];
    for (Flow& flow : down) std::swap(flow.source, flow.target);
    rounds.push_back(std::move(down));
  }
  return rounds;
}

class Expansion {
 public:
  Expansion(const Plan& plan, const Machine& machine) : plan_(plan), machine_(machine), made_(plan) {
    made_.steps.clear();
  }

  Plan make() {
    for (const Step& step : plan_.steps) {
      places_.push_back(static_cast<int>(made_.steps.size()));
      if (isFlat(step, plan_, machine_)) {
        add(step, byRoot(plan_.traffics[at(step.traffic)]), /*offLink=*/false);
        continue;
      }
      if (isMoved(step, plan_, machine_)) add(step, upAndDown(plan_.ranks, step.bytes[0]), /*offLink=*/true);
      made_.steps.push_back(step);
    }
    for (Step& step : made_.steps) {
      if (step.op != Op::wait) continue;
      step.exchange = step.exchange < 0 ? -step.exchange - 1 : places_[at(step.exchange)];
    }
    return std::move(made_);
  }

 private:
  void add(const Step& step, std::vector<std::vector<Flow>> rounds, bool offLink) {
    for (std::vector<Flow>& flows : rounds) {
      Step start = step;
      start.op = Op::exchange;
      start.bytes = PerRank();
      Traffic traffic = trafficOf(plan_.ranks, std::move(flows));
      traffic.offLink = offLink;
      start.traffic = made_.addTraffic(std::move(traffic));
      made_.steps.push_back(start);
      Step wait = start;
      wait.op = Op::wait;
      wait.traffic = -1;
      wait.exchange = -static_cast<int>(made_.steps.size());  // new numbers already, told by the sign
      made_.steps.push_back(wait);
    }
  }

  const Plan& plan_;
  const Machine& machine_;
  Plan made_;
  std::vector<int> places_;  // of the old steps among the new
};

}  // namespace

std::optional<Plan> asMessages(const Plan& plan, const Machine& machine) {
  const auto consists = [&](const Step& step) {
    return isFlat(step, plan, machine) || isMoved(step, plan, machine);
  };
  if (std::ranges::none_of(plan.steps, consists)) return std::nullopt;
  return Expansion(plan, machine).make();
}

}  // namespace halo::cluster
