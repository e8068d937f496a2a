#include "simulator/cluster/engines/settled.h"

#include <algorithm>
#include <cmath>

namespace halo::cluster {
namespace {

constexpr double kNear = 1e-3;
constexpr double kMostEpochs = 200;  // where work and bytes take almost as long, more change little

}  // namespace

int epochsToFill(const Plan& plan, const Machine& machine, const ClusterResult& result) {
  if (plan.depth() == 0) return 0;
  const double least = leastEpochNs(plan, machine);
  if (result.epochNs >= least * (1 - kNear)) return 0;
  const double fills = plan.depth() * least / (least - result.epochNs);
  const double most = std::max(kMostEpochs, 2.0 * (plan.depth() + 1));
  return 2 * static_cast<int>(std::ceil(std::clamp(fills, 2.0 * (plan.depth() + 1), most)));
}

}  // namespace halo::cluster
