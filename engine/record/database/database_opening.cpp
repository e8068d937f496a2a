#include "engine/record/database/database_opening.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "engine/base/new_file.h"
#include "engine/base/no_room.h"
#include "engine/base/plain_text.h"
#include "engine/record/database/database_errors.h"
#include "engine/record/database/database_index.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

// Of the index of the log: SQLite makes it in pieces of 32 KiB, and one piece serves 64 MiB of our log.
constexpr std::size_t kIndexBytes = std::size_t{64} << 10;

SqliteHandle openHandle(const std::string& name, const fs::path& file, Access access, int flags,
                        const char* system = nullptr) {
  sqlite3* opened = nullptr;
  errno = 0;  // failBySqlite() looks at it
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, system);
  SqliteHandle handle(opened, &sqlite3_close);
  if (code != SQLITE_OK) failBySqlite(opened, file, "opening it", access);
  sqlite3_extended_result_codes(opened, 1);
  // a recording has neither: in a stranger's they could stand for tables without an end, or undo what is
  // written
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_busy_timeout(opened, access == Access::create ? kRecorderBusyMs : kBusyMs);
  return handle;
}

bool hasBeside(const fs::path& path, const char* ending) {
  std::error_code ignored;  // what cannot be looked at SQLite tells of
  return fs::exists(besideRecording(path, ending), ignored);
}

/// Somebody has it open, or was killed while he had.
bool hasLogAndIndex(const fs::path& path) { return hasBeside(path, "-wal") && hasBeside(path, "-shm"); }

/// 0, or the system's reason why it and its folder cannot be written.
int whyFixed(const fs::path& path) {
  const bool isThere = ::access(path.c_str(), F_OK) == 0;
  if (isThere && ::access(path.c_str(), W_OK) != 0) return errno;
  if (hasLogAndIndex(path)) return 0;  // then nothing has to be made in the folder
  return ::access(besideRecording(path, "").parent_path().c_str(), W_OK) == 0 ? 0 : errno;
}

/// 0, or the system's reason why there is no room for the index: SQLite finds that out half way, and leaves
/// what it has begun.
int whyNoRoom(const fs::path& path) {
  if (hasBeside(path, "-shm")) return 0;
  try {
    NewFile(besideRecording(path, "")).write(std::string(kIndexBytes, '\0'));
    return 0;
  } catch (const std::system_error& error) {
    return error.code().value();
  }
}

/// Throws before SQLite makes what it cannot finish.
void requireWritable(const fs::path& file, const fs::path& path, Access access) {
  if (const int error = whyFixed(path))
    throw RecordUnusable(onOneLine(file.string()) + ": cannot be written: " + std::strerror(error) +
                         adviceOnPlace(access));
  if (access == Access::create && ::access(path.c_str(), F_OK) != 0) return;  // it is begun without an index
  if (const int error = whyNoRoom(path))
    throw DiskFull(onOneLine(file.string()) + ": no space left beside it for the index of its log (" +
                       std::strerror(error) + ")",
                   "nothing was changed: " + roomRemedy(error), error == EFBIG);
}

/// A name by which SQLite neither locks the file nor asks for a log beside it.
std::string immutableUri(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : path.string())
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kHex[] = "0123456789ABCDEF";
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    } else {
      uri += c;
    }
  return uri + "?immutable=1";
}

/// Without locks, and without anything beside the file. The index of a log that lies there is built in
/// memory, and the log stays as it is.
SqliteHandle openAlone(const fs::path& file, const fs::path& path) {
  if (!hasBeside(path, "-wal"))
    return openHandle(immutableUri(path), file, Access::readOnly, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  SqliteHandle handle = openHandle(path.string(), file, Access::readOnly, SQLITE_OPEN_READONLY, "unix-none");
  sqlite3_db_config(handle.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_exec(handle.get(), "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
  return handle;
}

/// Whether the system lets SQLite read; what else is wrong with the file shows later.
bool canRead(sqlite3* handle) {
  const int code =
      sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) & 0xff;
  return code != SQLITE_CANTOPEN && code != SQLITE_READONLY && code != SQLITE_IOERR && code != SQLITE_FULL &&
         code != SQLITE_PERM;
}

/// Nothing where SQLite cannot keep log and index beside the file.
SqliteHandle openTogether(const fs::path& file, const fs::path& path) {
  // what somebody began and did not finish SQLite undoes by its journal
  const bool unfinished = hasBeside(path, "-journal");
  if (!unfinished && !hasLogAndIndex(path) && (whyFixed(path) != 0 || whyNoRoom(path) != 0))
    return {nullptr, &sqlite3_close};
  distrustCutIndex(besideRecording(path, "-shm"));
  // who only reads may write too, as far as that is allowed: else its log would stay beside the file
  SqliteHandle handle = openHandle(path.string(), file, Access::readOnly, SQLITE_OPEN_READWRITE);
  if (!canRead(handle.get())) handle.reset();
  return handle;
}

}  // namespace

SqliteHandle openToWrite(const fs::path& file, const fs::path& path, Access access) {
  requireWritable(file, path, access);
  distrustCutIndex(besideRecording(path, "-shm"));
  return openHandle(path.string(), file, access,
                    SQLITE_OPEN_READWRITE | (access == Access::create ? SQLITE_OPEN_CREATE : 0));
}

OpenedToRead openToRead(const fs::path& file, const fs::path& path) {
  constexpr int kTries = 20;  // of a file that changes meanwhile
  for (int left = kTries; left > 0; --left) {
    if (SqliteHandle shared = openTogether(file, path)) return {std::move(shared), View::live};
    const RecordingState before = stateOf(path);
    SqliteHandle alone = openAlone(file, path);
    if (whyFixed(path) != 0 && !hasBeside(path, "-wal")) return {std::move(alone), View::unchanging};
    try {
      SqliteHandle copy = copyOf(alone.get(), file);
      if (stateOf(path) == before) return {std::move(copy), View::copy};
    } catch (const RecordError&) {
      if (stateOf(path) == before) throw;
    }
  }
  throw RecordLocked(onOneLine(file.string()) +
                     ": is being written, and cannot be read meanwhile: there is no room beside it for the "
                     "index of its log; make room, or wait for the run's end");
}

SqliteHandle copyOf(sqlite3* from, const fs::path& file) {
  SqliteHandle copy = openHandle("", file, Access::readOnly, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // in memory up to 1 GiB: the disk may be full
  sqlite3_exec(copy.get(),
               "PRAGMA cache_size = -1048576; PRAGMA temp_store = MEMORY; PRAGMA journal_mode = MEMORY",
               nullptr, nullptr, nullptr);
  errno = 0;  // failBySqlite() looks at it
  sqlite3_backup* pages = sqlite3_backup_init(copy.get(), "main", from, "main");
  if (pages != nullptr) {
    sqlite3_backup_step(pages, -1);
    sqlite3_backup_finish(pages);
  }
  if (sqlite3_errcode(copy.get()) != SQLITE_OK)
    failBySqlite(copy.get(), file, "copying it", Access::readOnly);
  return copy;
}

}  // namespace halo
