#pragma once

#include "engine/record/database/database.h"

namespace halo {

/// While the recording is open, a closed pipe or a signal that asks the program to end does not end it where
/// it stands, which would leave SQLite's files beside the recording: reading stops at its next row, and once
/// the recording is closed the program ends by that signal after all. A second one ends it at once.
void stopOnSignals(Database& database);

}  // namespace halo
