#pragma once

#include <string>

#include "simulator/contract/simulation_kind.h"

namespace halo::sim {

/// Adds a run of kind `simulation` that is `running`, with every resolved key; returns its id.
std::int64_t beginRun(Database& database, std::int64_t experiment, const SimulateSettings& settings,
                      const std::string& tags, const std::string& host);

/// Writes what was found in one transaction and completes the run. It writes lanes as rows of `worker` with
/// their spans, metrics, components, rows of mini-batches and artifacts. What was found is also written as
/// parameters.
void completeRun(Database& database, std::int64_t run, const SimulationOutcome& outcome);

}  // namespace halo::sim
