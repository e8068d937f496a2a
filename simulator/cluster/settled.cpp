#include "simulator/cluster/settled.h"

#include <algorithm>
#include <cmath>

namespace halo::cluster {
namespace {

constexpr double kNear = 1e-3;
constexpr double kMostEpochs = 200;  // where work and bytes take almost as long, more change little

}  // namespace

double leastEpochNs(const Plan& plan, const Machine& machine) {
  Machine bytesAlone = machine;
  bytesAlone.between.startUs = bytesAlone.within.startUs = 0;
  std::vector<double> ns(static_cast<std::size_t>(plan.ranks), 0);
  double sums = 0;
  for (const Step& step : plan.steps) {
    if (step.op == Op::allReduce)
      sums += allReduceWireNs(plan.ranks, static_cast<double>(step.bytes[0]), machine);
    if (step.op != Op::exchange) continue;
    const ExchangeCosts costs =
        exchangeCosts(plan.traffics[static_cast<std::size_t>(step.traffic)], plan.ranks, bytesAlone);
    for (std::size_t rank = 0; rank < ns.size(); ++rank) ns[rank] += costs.ranks[rank].networkNs;
  }
  return std::ranges::max(ns) + sums;
}

int epochsToFill(const Plan& plan, const Machine& machine, const ClusterResult& result) {
  if (plan.depth() == 0) return 0;
  const double least = leastEpochNs(plan, machine);
  if (result.epochNs >= least * (1 - kNear)) return 0;
  const double fills = plan.depth() * least / (least - result.epochNs);
  const double most = std::max(kMostEpochs, 2.0 * (plan.depth() + 1));
  return 2 * static_cast<int>(std::ceil(std::clamp(fills, 2.0 * (plan.depth() + 1), most)));
}

}  // namespace halo::cluster
