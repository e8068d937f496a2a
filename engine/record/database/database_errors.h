#pragma once

#include <filesystem>
#include <string>

#include "engine/record/database/database.h"

namespace halo {

/// Throws what SQLite's refusal is, in its words: what was being done, and what to do, which depends on why
/// the recording was opened. Looks at errno: whoever calls SQLite sets it to 0 before.
[[noreturn]] void failBySqlite(sqlite3* handle, const std::filesystem::path& file, const std::string& doing,
                               Access access);

/// What SQLite says of its last call, fit for a terminal: it quotes what it finds in a file.
std::string sqlitesWords(sqlite3* handle);

/// "; name a file …", for who may not use it where it is.
std::string adviceOnPlace(Access access);

/// The same refusal where nothing had been recorded yet, and nothing is left of it.
[[noreturn]] void failToBegin(const DiskFull& error);

/// The command that copies what can still be read of a damaged file.
std::string recoverCommand(const std::filesystem::path& file);

}  // namespace halo
