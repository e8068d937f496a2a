#pragma once

#include "engine/experiment/experiment.h"
#include "engine/record/database/database.h"
#include "engine/run/supervisor/supervisor.h"
#include "simulator/contract/simulation_kind.h"

namespace halo {

/// Simulates one [[simulate]] in this process and records it. As superviseRun: never throws for what happens
/// to the simulation, which is in the outcome and in the recording. `options.stop` ends it between two steps
/// and while a graph is loaded.
RunOutcome simulateRun(Database& database, std::int64_t experimentId, const SimulateSettings& request,
                       const sim::Resources& resources, const SuperviseOptions& options,
                       RunObserver& observer);

/// What simulations of methods run, on their workers.
std::vector<RunSettings> simulatedMethods(const Experiment& experiment);

}  // namespace halo
