#pragma once

#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/result.h"

namespace halo::cluster {

/// Late messages pile up while ranks work faster than their network carries, until `depth` epochs of them are
/// under way; only then do ranks wait. Where measured epochs come out shorter than their bytes allow, more
/// epochs must come before them. Their number is what fills the network at the rate at which it fell behind.
/// Returns how many epochs to simulate instead, of which the second half is measured; 0: `result` stands.
int epochsToFill(const Plan& plan, const Machine& machine, const ClusterResult& result);

/// `simulate(options)` of as many epochs as settle the time, unless the options say how many.
template <class Simulate>
ClusterResult settled(const Plan& plan, const Machine& machine, SimulateOptions options, Simulate simulate) {
  ClusterResult result = simulate(options);
  if (options.epochs > 0) return result;
  options.epochs = epochsToFill(plan, machine, result);
  return options.epochs > 0 ? simulate(options) : result;
}

}  // namespace halo::cluster
