#pragma once

#include <cstdint>
#include <filesystem>

namespace halo {

/// To be asked before SQLite maps the index ("-shm") of a log: what another program cut is made to be built
/// anew from the log. SQLite would trust the half that is left of it.
void distrustCutIndex(const std::filesystem::path& index);

enum class IndexState { whole, mended };

/// To be asked before SQLite reads an index that it has mapped: a page that was cut off kills who reads it.
/// `seenBytes`: its size so far. An index cut since is made as long as it was, and to be built anew from the
/// log. `writing`: whether this program holds the lock of those who write. Throws RecordLocked while another
/// program does, RecordUnusable where there is no room to mend it.
IndexState mendCutIndex(const std::filesystem::path& index, std::int64_t& seenBytes, bool writing);

}  // namespace halo
