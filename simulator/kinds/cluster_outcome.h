#pragma once

#include <vector>

#include "simulator/cluster/engines/cycle.h"
#include "simulator/cluster/engines/projection.h"
#include "simulator/cluster/engines/result.h"
#include "simulator/contract/simulation_kind.h"

namespace halo::cluster {

/// Of so many ranks the timeline has lanes.
inline constexpr int kShownRanks = 64;

inline constexpr Parameter kSensitivityParameter = {
    "sensitivity", "figures of messages and of work this many times better and worse; 0: not asked",
    Real{0, 0, 1000}};

/// What simulations of clusters record, means of the epochs. These are the epoch and where it goes, volumes,
/// memory, and the plan's and the engine's words. Lanes of ranks come with their spans, and every rank's sums
/// as the artifact "ranks" (CSV).
sim::SimulationOutcome outcomeOf(const PlanCycle& cycle, const Machine& machine, ClusterResult result);

/// The figures of outcomes.
std::vector<Metric> clusterMetrics();

/// Speedup and efficiency beside one worker's epoch.
void addSpeedup(double oneWorkerNs, const ClusterResult& result, sim::SimulationOutcome& outcome);
/// Epochs with a group of figures better and worse.
void addSensitivity(const std::vector<Sensitivity>& sensitivities, sim::SimulationOutcome& outcome);

/// The engine of that name. "auto": events where the plan has messages, and not too many, else bulk.
Engine engineNamed(const std::string& name, const Plan& plan);

}  // namespace halo::cluster
