#include "engine/run/supervisor/unrecorded.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/record/tables/read_back.h"
#include "engine/record/tables/runs.h"

namespace halo {

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

void writeDown(Database& database, std::int64_t run, const std::string& cause) {
  try {
    Runs(database).setStatus(run, "failed", cause);
  } catch (const RecordError&) {
    const std::string line = "run " + std::to_string(run) + ": " + cause + "\n";
    const int log = ::open((database.file().string() + ".log").c_str(),
                           O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (log < 0) return;
    (void)!::write(log, line.data(), line.size());  // nobody is left to tell but the caller, who is told
    ::close(log);
  }
}

}  // namespace halo
