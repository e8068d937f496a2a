#pragma once

#include <memory>

#include "engine/record/database/database.h"

namespace halo {

// How long another's transaction is waited for: who records has hours of training to lose, who reads or
// changes has a person who waits.
inline constexpr int kRecorderBusyMs = 300'000, kBusyMs = 20'000;

/// `file`: as it was named, for messages; `path`: where that is. Both throw RecordDamaged where there is no
/// such recording and none is to be made, and otherwise as the system refuses.
SqliteHandle openToWrite(const std::filesystem::path& file, const std::filesystem::path& path, Access access);

struct OpenedToRead {
  SqliteHandle handle;
  View view = View::live;
};
/// Live wherever SQLite can keep its log and index beside the file, which are gone with the last who has it
/// open. Where it cannot (read-only media, a full disk), nothing is written.
OpenedToRead openToRead(const std::filesystem::path& file, const std::filesystem::path& path);

/// A copy of what `from` sees.
SqliteHandle copyOf(sqlite3* from, const std::filesystem::path& file);

}  // namespace halo
