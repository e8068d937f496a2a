#pragma once

#include <string>

#include "engine/experiment/experiment.h"
#include "engine/record/database.h"
#include "simulator/simulate.h"

namespace halo::sim {

/// Adds a run of kind `simulation` that is `running`, with every resolved key; returns its id.
std::int64_t beginRun(Database& database, std::int64_t experiment, const SimulateSettings& settings,
                      const std::string& tags, const std::string& host);

/// Writes what was found in one transaction and completes the run: a row of `component` an engine of each
/// class of devices, the engines of the first (widest) device as rows of `worker` with their spans, factors
/// and sources as parameters, streams and stall causes as artifact "counts" (CSV).
void completeRun(Database& database, std::int64_t run, const SimulateSettings& settings,
                 const Simulated& found);

}  // namespace halo::sim
