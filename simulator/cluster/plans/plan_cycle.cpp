#include "simulator/cluster/plans/plan_cycle.h"

namespace halo::cluster {

namespace {

/// Of an epoch, mean over the period of a figure of each turn.
template <class Figure>
double mean(const PlanCycle& cycle, const Figure& figure) {
  double sum = 0;
  for (const PlanTurn& turn : cycle.turns)
    sum += static_cast<double>(turn.count) * static_cast<double>(figure(turn.plan));
  return cycle.scale() * sum / static_cast<double>(cycle.epochs());
}

}  // namespace

std::int64_t PlanCycle::epochs() const {
  std::int64_t sum = 0;
  for (const PlanTurn& turn : turns) sum += turn.count;
  return sum;
}

double PlanCycle::bytesSent() const {
  return mean(*this, [](const Plan& plan) { return plan.bytesSent(); });
}

double PlanCycle::messagesSent() const {
  return mean(*this, [](const Plan& plan) { return plan.messagesSent(); });
}

}  // namespace halo::cluster
