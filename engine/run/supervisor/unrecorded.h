#pragma once

#include <cstdint>
#include <string>

#include "engine/record/database/database.h"
#include "engine/run/supervisor/supervisor.h"

namespace halo {

/// How a run ends whose recording can no longer be written. Where the recording has lost its place, what was
/// recorded is brought to where it can be found, which the outcome names.
RunOutcome unrecordedOutcome(Database& database, std::int64_t run, const RecordError& error);

/// Somebody deleted the run while it was training: nothing is left to write to, the next run may go on.
RunOutcome deletedOutcome(std::int64_t run);

/// The recording could not be written. Often there is room for a few words all the same: what was under way
/// has been undone, and the ballast was given back. Where not even that works they go into the log beside it.
void writeDown(Database& database, std::int64_t run, const std::string& cause);

}  // namespace halo
