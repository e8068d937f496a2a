#pragma once

#include <cstdint>

namespace halo {

class Database;

/// Throws RecordDamaged where an epoch of the run has a time that is none: SQLite reads other text as 0.
void requireTimes(Database& recording, std::int64_t run);

}  // namespace halo
