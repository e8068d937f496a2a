#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/cluster/costs.h"
#include "simulator/cluster/result.h"

namespace halo::cluster {

/// A method at one number of ranks, beside the same method at the smallest (simulator.md 7.5).
struct ScalePoint {
  ClusterResult result;
  double speedup = 1;     // epoch at the smallest number of ranks over this one's
  double efficiency = 1;  // speedup over the ratio of ranks
};

/// Results of one method by ascending ranks, at least one. Points over the machine's memory keep their marks.
std::vector<ScalePoint> scalePoints(std::vector<ClusterResult> results);

/// Where one method overtakes another: between which two numbers of ranks that both have, and, with time
/// between them as powers of ranks, at how many.
struct CrossOver {
  int before = 0, after = 0;
  double ranks = 0;
  bool firstIsFasterAfter = false;
};
/// Each of them, ascending; ties are none. Points over memory count as times all the same.
std::vector<CrossOver> crossOvers(const std::vector<ScalePoint>& first,
                                  const std::vector<ScalePoint>& second);

/// What an epoch takes when one group of figures is `factor` times better or worse.
struct Sensitivity {
  std::string what;  // start | bandwidth | compute
  double fasterNs = 0, slowerNs = 0;
};
/// Engine: simulateBulk, simulateEvents or simulateFlows.
using Engine = std::function<ClusterResult(const Plan&, const Machine&, const SimulateOptions&)>;
/// start: starts, wire and overheads of messages; bandwidth: of messages and staging copies; compute: all
/// work, measured times too.
std::vector<Sensitivity> sensitivity(const Plan& plan, const Machine& machine, const Engine& engine,
                                     const SimulateOptions& options = {}, double factor = 2);

}  // namespace halo::cluster
