#pragma once

#include <string>
#include <vector>

#include "engine/record/database.h"

namespace halo {

/// Everything that is wrong with a recording, a sentence each; empty: nothing. Looked at: SQLite's own
/// integrity and foreign keys; every span block against its checksum and its row; and the ledger against the
/// counters, to the byte: Σ message.bytes = Σ layer.bytes_sent of each run, epoch, layer and pass. Reads the
/// whole file; writes nothing.
std::vector<std::string> checkRecording(Database& database);

}  // namespace halo
