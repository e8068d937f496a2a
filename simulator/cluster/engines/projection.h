#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/result.h"

namespace halo::cluster {

/// What an epoch takes when one group of figures is `factor` times better or worse.
struct Sensitivity {
  std::string name;  // start | bandwidth | compute
  double fasterNs = 0, slowerNs = 0;
};
/// Engine: simulateBulk, simulateEvents or simulateFlows.
using Engine = std::function<ClusterResult(const Plan&, const Machine&, const SimulateOptions&)>;
/// start: starts, wire and overheads of messages; bandwidth: of messages and staging copies; compute: all
/// work, measured times too.
std::vector<Sensitivity> sensitivity(const Plan& plan, const Machine& machine, const Engine& engine,
                                     const SimulateOptions& options = {}, double factor = 2);

}  // namespace halo::cluster
