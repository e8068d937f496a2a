#include "engine/record/database/database_errors.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/base/no_room.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// `error` is the system's: of a failed commit SQLite itself only says "disk I/O error".
bool isFull(int code, int error) { return code == SQLITE_FULL || (code == SQLITE_IOERR && isNoRoom(error)); }

std::string adviceOnRoom(Access access, const std::string& remedy) {
  switch (access) {
    case Access::create:
      return "what was recorded before is kept: " + remedy +
             ", or record to another disk with --db, then go on with --resume";
    case Access::readWrite:
      return "what was recorded before is kept: " + remedy +
             ", then do it again (a run goes on with --resume)";
    case Access::readOnly:
      return "the recording is as it was; it is read through a copy: " + remedy +
             ", or set TMPDIR to a folder with room for it";
  }
  return {};
}

}  // namespace

std::string sqlitesWords(sqlite3* handle) { return "SQLite: " + visible(sqlite3_errmsg(handle)); }

std::string recoverCommand(const std::filesystem::path& file) {
  const std::string name = onOneLine(file.string());
  return "sqlite3 " + shellWord(name) + " .recover | sqlite3 " + shellWord(name + ".recovered");
}

std::string adviceOnPlace(Access access) {
  return access == Access::readOnly
             ? "; name a file with --db that you may read, not a folder"
             : "; name a file with --db whose folder is there and that you may write, not a folder";
}

void failBySqlite(sqlite3* handle, const std::filesystem::path& file, const std::string& doing,
                  Access access) {
  const int error = errno;
  const int code = sqlite3_errcode(handle) & 0xff;
  const std::string name = onOneLine(file.string()), where = name + ": ", by = sqlitesWords(handle),
                    words = " (" + by + ")";
  if (code == SQLITE_INTERRUPT) throw RecordStopped(where + "was stopped while " + doing);
  if (isFull(code, error)) {
    const bool limited = error == EFBIG;
    const std::string limit = limited ? "; a file may not grow beyond what `ulimit -f` says" : "";
    throw DiskFull(where + "no space left while " + doing + " (" + by + limit + ")",
                   adviceOnRoom(access, roomRemedy(error)), limited);
  }
  if (code == SQLITE_NOTADB)
    throw RecordDamaged(where + "is not a recording: found something else than an SQLite file while " +
                        doing + words + "; name a file that `haloscope run` wrote");
  if (code == SQLITE_CORRUPT)
    throw RecordDamaged(where + "is damaged: found while " + doing + words +
                        "; save what can be read with: " + recoverCommand(file));
  if (code == SQLITE_ERROR)  // our statements are constant: it is the tables that are not as they should be
    throw RecordDamaged(where + "is not the recording that it claims to be: failed while " + doing + words +
                        "; name a file that `haloscope run` wrote");
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    throw RecordLocked(
        where + "another program keeps the recording locked, for longer than is waited here; met while " +
        doing + words + "; end its transaction");
  if (code == SQLITE_IOERR && error == ENOENT && !std::filesystem::exists(file))
    throw RecordMoved(where + "was removed or renamed while " + doing + words +
                      "; leave the recording and its -wal file in their place until the run has ended");
  const bool bySystem = (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && error != 0;
  const std::string message =
      where + "failed while " + doing + words + (bySystem ? std::string(", ") + std::strerror(error) : "");
  if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM)
    throw RecordUnusable(message + adviceOnPlace(access));
  throw RecordError(message);
}

void failToBegin(const DiskFull& error) {
  throw DiskFull(error.cause(),
                 "nothing was recorded and no file is left: " + roomRemedy(error.limited() ? EFBIG : ENOSPC) +
                     (error.limited() ? "" : ", or record to another disk with --db"),
                 error.limited());
}

}  // namespace halo
