#include "engine/run/supervisor/unrecorded.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/record/tables/read_back.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

/// Damage that was not there before, as it is said where the run's end shows it.
bool isCut(const RecordError& error, const Extent& extent) {
  // an index that was cut alone has words of its own, and a full disk damages nothing
  const bool otherwise = dynamic_cast<const RecordUnusable*>(&error) != nullptr ||
                         dynamic_cast<const RecordLocked*>(&error) != nullptr ||
                         dynamic_cast<const DiskFull*>(&error) != nullptr;
  return extent.shrank() && !otherwise;
}

/// All of it or nothing: a file that this would leave empty goes again.
bool appendLine(const std::string& file, const std::string& line) {
  const int log =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (log < 0) return false;
  struct stat before {};
  const bool plain = ::fstat(log, &before) == 0 && S_ISREG(before.st_mode);
  const bool complete = ::write(log, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!complete && plain && ::ftruncate(log, before.st_size) == 0 && before.st_size == 0)
    ::unlink(file.c_str());
  ::close(log);
  return complete;
}

}  // namespace

RunOutcome unrecordedOutcome(Database& database, std::int64_t run, const RecordError& error) {
  RunOutcome failed{run, "failed", error.what(), error.exitStatus(), {}, true};
  const bool cut = dynamic_cast<const RecordCut*>(&error) != nullptr;  // then there is nothing to be kept
  // it may be back in its place by now, which is where it is then
  const bool moved = dynamic_cast<const RecordMoved*>(&error) != nullptr;
  if (!cut && (moved || database.moved())) failed.error += "; " + database.keepMoved();
  return failed;
}

RunOutcome deletedOutcome(std::int64_t run) {
  return {
      run, "failed",
      "run " + std::to_string(run) + " was deleted from the recording while it was training; it was stopped",
      1};
}

bool writeDown(Database& database, std::int64_t run, const std::string& cause) {
  const auto record = [&] { Runs(database).setStatus(run, "failed", cause); };
  try {
    try {
      record();
    } catch (const DiskFull&) {
      // SQLite begins its log anew once all of it is in the file; no reader is waited for
      database.execute("PRAGMA wal_checkpoint(PASSIVE)");
      record();
    }
    return true;
  } catch (const RecordError&) {
    return appendLine(database.file().string() + ".log", "run " + std::to_string(run) + ": " + cause + "\n");
  }
}

RunOutcome endUnrecorded(Database& database, std::int64_t run, const RecordError& error, Extent& extent) {
  extent.look();
  if (isCut(error, extent)) {
    const RecordCut cut = recordCut(database.file(), error.what());
    writeDown(database, run, cut.what());
    return unrecordedOutcome(database, run, cut);
  }
  writeDown(database, run, error.what());
  return unrecordedOutcome(database, run, error);
}

}  // namespace halo
