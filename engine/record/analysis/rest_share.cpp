#include "engine/record/analysis/rest_share.h"

#include <algorithm>

namespace halo {
namespace {

using Metrics = std::map<std::string, double>;

}  // namespace

void addIdle(Metrics& metrics) {
  const auto rest = metrics.find(kRestShare), other = metrics.find(kOtherShare);
  if (rest != metrics.end() && other != metrics.end())
    metrics[kIdleShare] = std::max(0.0, rest->second - other->second);
}

void nameRest(Metrics& metrics) {
  const auto idle = metrics.find(kIdleShare);
  if (idle == metrics.end() || metrics.contains(kOtherShare)) return;
  metrics.emplace(kRestShare, idle->second);
  metrics.erase(idle);
}

}  // namespace halo
