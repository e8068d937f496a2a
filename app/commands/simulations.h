#pragma once

#include "engine/experiment/experiment.h"
#include "engine/record/database.h"
#include "engine/run/supervisor.h"
#include "simulator/library.h"

namespace halo {

/// Simulates one [[simulate]] in this process and records it. As superviseRun: never throws for what happens
/// to the simulation, which is in the outcome and in the recording. `options.stop` ends it between devices
/// and while a graph is loaded.
RunOutcome simulateRun(Database& database, std::int64_t experimentId, const SimulateSettings& settings,
                       const sim::Library& library, const SuperviseOptions& options, RunObserver& observer);

}  // namespace halo
