#pragma once

#include <cstdint>
#include <string>

#include "engine/record/database/database.h"
#include "engine/run/supervisor/extent.h"
#include "engine/run/supervisor/supervisor.h"

namespace halo {

/// How a run ends whose recording can no longer be written. Where the recording has lost its place, what was
/// recorded is brought to where it can be found, which the outcome names.
RunOutcome unrecordedOutcome(Database& database, std::int64_t run, const RecordError& error);

/// Somebody deleted the run while it was training: nothing is left to write to, the next run may go on.
RunOutcome deletedOutcome(std::int64_t run);

/// The recording could not be written. Often there is room for a few words all the same: what was under way
/// has been undone, and the ballast was given back. Else SQLite's log is brought into the file, and begins
/// anew. Where not even that works the words go into a log beside the recording. False where no word could be
/// written.
bool writeDown(Database& database, std::int64_t run, const std::string& cause);

/// Both, of a run whose recording was watched: damage to what another program has cut is told as such.
RunOutcome endUnrecorded(Database& database, std::int64_t run, const RecordError& error, Extent& extent);

}  // namespace halo
