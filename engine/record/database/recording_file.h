#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace halo {

/// Where the recording of this name lies: absolute, so that SQLite takes every name for a file's, ":memory:"
/// and "file:…" too. Throws InputError for an empty name, RecordUnusable for what is there and no plain file:
/// a folder, or a pipe, which would be waited for.
std::filesystem::path recordingPath(const std::filesystem::path& name);

/// Which file a name leads to, whatever becomes of the name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
/// Nothing where no file has the name, or nobody may look.
std::optional<FileIdentity> identityOf(const std::filesystem::path& file);
/// How a recording stands on the disk, as far as the system tells: changes with what is committed to it.
struct RecordingState {
  struct Part {
    FileIdentity identity;
    std::int64_t bytes = 0, changedNs = 0;
    bool operator==(const Part&) const = default;
  };
  std::optional<Part> file, log;  // nothing for what is not there; an empty log says no more than none
  bool operator==(const RecordingState&) const = default;
};
RecordingState stateOf(const std::filesystem::path& file);

/// The log of a recording ("-wal") and its index ("-shm") lie beside the file itself, not beside a link to
/// it.
std::filesystem::path besideRecording(const std::filesystem::path& file, const char* ending);

/// Whether whoever opens the recording by its name now looks for its log beside another place. This is so
/// when the file was renamed and a link has its name.
bool logLiesElsewhere(const std::filesystem::path& file, const std::filesystem::path& log);

/// Whether the name leads to another file than it did, or to none.
bool leadsElsewhere(const std::filesystem::path& file, const FileIdentity& before);
/// The name that a file which this process has open bears now; none where it was removed.
std::optional<std::filesystem::path> presentName(const FileIdentity& file);

/// Gives the file the first of nameOf(1), nameOf(2), … that nothing has; returns it. Throws RecordUnusable.
std::filesystem::path renameToFree(const std::filesystem::path& file,
                                   const std::function<std::filesystem::path(int)>& nameOf);

}  // namespace halo
