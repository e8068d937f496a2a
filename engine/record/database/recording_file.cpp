#include "engine/record/database/recording_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"
#include "engine/record/database/no_plain_file.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

const char* kindOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

/// Whether the kernel makes up the files of this place: none of them can be a recording.
bool isMadeUp(const fs::path& name) {
  struct statfs info {};
  const fs::path folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
  if (::statfs(name.c_str(), &info) != 0 && ::statfs(folder.c_str(), &info) != 0) return false;
  return info.f_type == PROC_SUPER_MAGIC || info.f_type == SYSFS_MAGIC;
}

std::optional<RecordingState::Part> partOf(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return RecordingState::Part{{info.st_dev, info.st_ino},
                              info.st_size,
                              std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

}  // namespace

fs::path recordingPath(const fs::path& name) {
  if (name.empty()) throw InputError(Problem{.key = "--db", .message = "the name is empty; name a file"});
  std::error_code error;
  const fs::file_status status = fs::status(name, error);  // what cannot be looked at SQLite tells of
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw NoPlainFile(onOneLine(name.string()) + ": is " + kindOf(status.type()) + "; name a file with --db");
  if (isMadeUp(name))
    throw NoPlainFile(onOneLine(name.string()) +
                      ": is on no disk, the kernel makes it up; name a file with --db");
  fs::path path = fs::absolute(name, error);
  if (error)
    throw RecordUnusable(onOneLine(name.string()) + ": cannot be found, the working directory is gone (" +
                         error.message() + "); change to one that is there");
  for (const char* ending : {"-journal", "-wal", "-shm"}) {  // SQLite would wait for who writes into a pipe
    const fs::path beside = besideRecording(path, ending);
    const fs::file_status its = fs::status(beside, error);
    if (fs::exists(its) && !fs::is_regular_file(its))
      throw RecordUnusable(onOneLine(beside.string()) + ": is " + kindOf(its.type()) +
                           ", where SQLite keeps a file of " + name.filename().string() + "; remove it");
  }
  return path;
}

std::optional<FileIdentity> identityOf(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino};
}

fs::path besideRecording(const fs::path& file, const char* ending) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return (error ? file : real).string() + ending;
}

bool logLiesElsewhere(const fs::path& file, const fs::path& log) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return !error && real.string() + "-wal" != log.string();  // else nobody can tell
}

RecordingState stateOf(const fs::path& file) {
  RecordingState state{partOf(file), partOf(besideRecording(file, "-wal"))};
  if (state.log && state.log->bytes == 0) state.log.reset();
  return state;
}

bool leadsElsewhere(const fs::path& file, const FileIdentity& before) {
  errno = 0;
  const auto now = identityOf(file);
  if (!now) return errno == ENOENT || errno == ENOTDIR;  // else nobody can tell
  return *now != before;
}

std::optional<fs::path> presentName(const FileIdentity& file) {
  std::error_code ignored;  // without /proc there is nobody to ask
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored)) {
    if (identityOf(entry.path()) != file) continue;
    fs::path name = fs::read_symlink(entry.path(), ignored);
    if (identityOf(name) == file) return name;
  }
  return std::nullopt;
}

fs::path renameToFree(const fs::path& file, const std::function<fs::path(int)>& nameOf) {
  for (int i = 1;; ++i) {
    fs::path name = nameOf(i);
    if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return name;
    // some file systems cannot refuse by themselves
    const bool taken = errno == EEXIST || identityOf(name);
    if (!taken && errno == EINVAL && std::rename(file.c_str(), name.c_str()) == 0) return name;
    if (!taken)
      throw RecordUnusable(onOneLine(name.string()) + ": cannot be written: " + std::strerror(errno));
  }
}

}  // namespace halo
