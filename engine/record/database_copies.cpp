// Copies of a recording, made while it is written: before a migration, and where it has lost its place.
#include <sqlite3.h>

#include <cerrno>
#include <memory>

#include "engine/base/new_file.h"
#include "engine/record/database_opening.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr int kMovedBusyMs = 2'000;  // of a file that lost its name few wait for the other

using Names = std::function<fs::path(int)>;

[[noreturn]] void fail(sqlite3* handle, const fs::path& file, const fs::path& to) {
  const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  const std::string said =
      file.string() + ": cannot be copied to " + to.string() + " (SQLite: " + sqlite3_errmsg(handle) + ")";
  if (full || (sqlite3_errcode(handle) & 0xff) == SQLITE_FULL)
    throw DiskFull(said, "make room there, or set TMPDIR to a folder with room");
  throw RecordUnusable(said + "; see that you may write there");
}

/// Copies what `from` sees to the first of the names that nothing has.
fs::path copyTo(sqlite3* from, const fs::path& file, const Names& nameOf) {
  const fs::path part = fs::absolute(randomNameBeside(nameOf(1)));
  sqlite3_stmt* copy = nullptr;
  errno = 0;  // fail() looks at it
  const bool copied = sqlite3_prepare_v2(from, "VACUUM INTO ?", -1, &copy, nullptr) == SQLITE_OK &&
                      sqlite3_bind_text(copy, 1, part.c_str(), -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                      sqlite3_step(copy) == SQLITE_DONE;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(copy, &sqlite3_finalize);
  try {
    if (!copied) fail(from, file, nameOf(1));
    return renameToFree(part, nameOf);
  } catch (...) {
    std::error_code ignored;  // of the copy that did not come about
    fs::remove(part, ignored);
    throw;
  }
}

}  // namespace

bool Database::moved() {
  if (detached_ || !identity_) return false;
  const fs::path log = path_.string() + "-wal";
  if (!log_) log_ = identityOf(log);  // the first commit makes it
  return leadsElsewhere(path_, *identity_) || (log_ && leadsElsewhere(log, *log_));
}

void Database::requireInPlace() {
  if (moved())
    throw RecordMoved(file_.string() +
                      ": was removed, renamed or replaced while it was being written; leave the recording "
                      "and its -wal file in their place until the run has ended");
}

void Database::removeOrphans() const {
  const fs::path log = path_.string() + "-wal";
  if (identityOf(path_) || !log_ || identityOf(log) != log_) return;  // they are another file's now
  std::error_code ignored;                                            // what stays is empty
  fs::remove(log, ignored);
  fs::remove(path_.string() + "-shm", ignored);
}

std::string Database::keepMoved() {
  sqlite3_busy_timeout(handle(), kMovedBusyMs);
  // SQLite itself leaves the log of a file that lost its name, and what stands in the log alone, where it is
  const bool whole =
      sqlite3_wal_checkpoint_v2(handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) == SQLITE_OK;
  if (whole) removeOrphans();
  if (const auto name = presentName(*identity_); name && whole)
    return "everything recorded until then is in " + name->string();
  std::error_code none;  // no temporary folder: there is the other one
  std::string why;
  for (const fs::path& folder : {path_.parent_path(), fs::temp_directory_path(none)}) try {
      const auto nameOf = [&](int i) {
        const std::string number = i == 1 ? "" : "." + std::to_string(i);
        return folder / (path_.filename().string() + number + ".rescued");
      };
      return "everything recorded until then is in " + copyTo(handle(), file_, nameOf).string();
    } catch (const RecordError& error) {
      why = error.what();
    }
  return "what was recorded could not be kept: " + why;
}

void Database::backUp(const Names& nameOf) const {
  // by a handle of its own: none copies within its transaction
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const SqliteHandle reader(opened, &sqlite3_close);
  if (code != SQLITE_OK) fail(opened, file_, nameOf(1));
  sqlite3_busy_timeout(opened, kBusyMs);
  copyTo(opened, file_, nameOf);
}

}  // namespace halo
