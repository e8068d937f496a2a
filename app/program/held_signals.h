#pragma once

#include "engine/record/database/database.h"

namespace halo {

/// Holds a closed pipe, or a signal that asks the program to end, while the recording is open. If the program
/// ended where it stands, SQLite's files would stay beside the recording. Reading stops at its next row
/// instead. Once the recording is closed, the program ends by that signal after all. A second one ends it at
/// once.
void stopOnSignals(Database& database);

}  // namespace halo
