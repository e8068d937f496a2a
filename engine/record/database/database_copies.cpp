// Copies of a recording, made while it is written: before a migration, and where it has lost its place.
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "engine/base/index.h"
#include "engine/base/new_file.h"
#include "engine/base/no_room.h"
#include "engine/base/plain_text.h"
#include "engine/record/database/database_errors.h"
#include "engine/record/database/database_opening.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr int kBringInBusyMs = 2'000;  // meanwhile nobody else may write

using Names = std::function<fs::path(int)>;

[[noreturn]] void fail(sqlite3* handle, const fs::path& file, const fs::path& to) {
  const int error = errno;
  const std::string message = onOneLine(file.string()) + ": cannot be copied to " + onOneLine(to.string()) +
                              " (" + sqlitesWords(handle) + ")";
  if (isNoRoom(error) || (sqlite3_errcode(handle) & 0xff) == SQLITE_FULL)
    throw DiskFull(message, roomRemedy(error));
  throw RecordUnusable(message + "; see that you may write there");
}

HeldPart partBeside(const fs::path& file, const fs::path& to) try {
  return HeldPart(to);
} catch (const std::system_error& error) {
  throw RecordUnusable(onOneLine(file.string()) + ": cannot be copied to " + onOneLine(to.string()) + ": " +
                       error.code().message() + "; see that you may write there");
}

/// Copies what `from` sees to the first of the names that nothing has.
fs::path copyTo(sqlite3* from, const fs::path& file, const Names& nameOf) {
  HeldPart part = partBeside(file, nameOf(1));
  const std::string name = fs::absolute(part.path()).string();
  sqlite3_stmt* copy = nullptr;
  errno = 0;  // fail() looks at it
  const bool copied = sqlite3_prepare_v2(from, "VACUUM INTO ?", -1, &copy, nullptr) == SQLITE_OK &&
                      sqlite3_bind_text(copy, 1, name.c_str(), -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                      sqlite3_step(copy) == SQLITE_DONE;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(copy, &sqlite3_finalize);
  if (!copied) fail(from, file, nameOf(1));
  fs::path place = renameToFree(part.path(), nameOf);
  part.release();
  return place;
}

/// Copies the bytes of an open file to the first of the names that nothing has.
fs::path copyBytes(int from, const fs::path& file, const Names& nameOf) try {
  std::array<char, 1 << 16> bytes;
  HeldPart part(nameOf(1));
  NewFile copy(part.path());
  off_t at = 0;
  for (ssize_t read; (read = ::pread(from, bytes.data(), bytes.size(), at)) != 0;)
    if (read > 0) {
      copy.write({bytes.data(), static_cast<std::size_t>(read)});
      at += read;
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category());
    }
  copy.putInPlace();
  fs::path place = renameToFree(copy.place(), nameOf);
  part.release();
  return place;
} catch (const std::system_error& error) {
  throw RecordUnusable(onOneLine(file.string()) + ": cannot be copied to " + onOneLine(nameOf(1).string()) +
                       ": " + error.code().message());
}

/// A sentence of where `copy` has put it: beside its place, or in the temporary folder.
std::string rescued(const fs::path& path, const std::function<fs::path(const Names&)>& copy) {
  std::error_code none;  // no temporary folder: there is the other one
  std::string why;
  for (const fs::path& folder : {path.parent_path(), fs::temp_directory_path(none)}) try {
      return "everything recorded until then is in " +
             copy([&](int i) {
               const std::string number = i == 1 ? "" : "." + std::to_string(i);
               return folder / (path.filename().string() + number + ".rescued");
             }).string();
    } catch (const RecordError& error) {
      why = error.what();
    }
  return "what was recorded could not be kept: " + why;
}

/// The same of a file that has kept what was recorded. It may be moved again once this is said.
std::string foundAs(const fs::path& name, const fs::path& place) {
  return "everything recorded until then is in " + onOneLine(name.string()) +
         (name == place ? ", back in its place" : ", which was its name when the run ended");
}

constexpr const char* kMoved =
    ": was removed, renamed or replaced while it was being written; leave the recording and its -wal file in "
    "their place until the run has ended";

}  // namespace

bool Database::moved() {
  if (detached() || !identity_) return false;
  if (!log_) log_ = identityOf(logFile_);  // the first commit makes it
  return leadsElsewhere(path_, *identity_) || (log_ && leadsElsewhere(logFile_, *log_)) ||
         logLiesElsewhere(path_, logFile_);
}

void Database::requireInPlace() {
  if (moved()) throw RecordMoved(onOneLine(file_.string()) + kMoved);
}

void Database::removeOrphans() const {
  const bool anothers = identityOf(path_) && !logLiesElsewhere(path_, logFile_);
  if (anothers || !log_ || identityOf(logFile_) != log_) return;
  std::error_code ignored;  // what stays is empty
  fs::remove(logFile_, ignored);
  fs::remove(indexFile_, ignored);
}

/// Brings what stands in the log into the file. False where somebody reads an older state all the while.
bool Database::bringIn() {
  requireIndex();
  sqlite3_busy_timeout(handle(), kBringInBusyMs);
  return sqlite3_wal_checkpoint_v2(handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) ==
         SQLITE_OK;
}

std::string Database::keepMoved() {
  // SQLite itself leaves the log of a file that lost its name, and what stands in the log alone, where it is
  const bool complete = bringIn();
  if (complete) removeOrphans();
  if (const auto name = presentName(*identity_); name && complete) return foundAs(*name, path_);
  return rescued(path_, [&](const Names& nameOf) { return copyTo(handle(), file_, nameOf); });
}

void Database::close() {
  const bool complete = bringIn();  // so that the last moment, in which nobody looks, is a short one
  requireInPlace();
  // the file itself, whatever becomes of its name; let go of after SQLite, whose locks would go with it
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<const int, void (*)(const int*)> file(&descriptor, [](const int* f) { ::close(*f); });
  handle_.reset();
  if (detached() || !identity_ || !leadsElsewhere(path_, *identity_)) return;
  const std::string message = onOneLine(file_.string()) + kMoved + "; ";
  if (!complete)
    throw RecordUnusable(message +
                         "what was recorded last could not be kept: another program was reading it");
  const auto name = presentName(*identity_);
  throw RecordUnusable(message + (name ? foundAs(*name, path_) : rescued(path_, [&](const Names& nameOf) {
                         return copyBytes(descriptor, file_, nameOf);
                       })));
}

void Database::backUp(const Names& nameOf) const {
  // by a handle of its own: none copies within its transaction
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const SqliteHandle reader(opened, &sqlite3_close);
  if (code != SQLITE_OK) fail(opened, file_, nameOf(1));
  sqlite3_busy_timeout(opened, kBusyMs);
  removeAbandoned(fs::absolute(nameOf(1)).parent_path());
  copyTo(opened, file_, nameOf);
}

}  // namespace halo
