#include "app/window/runs/started_runs.h"

#include <QFile>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

#include "engine/base/problem.h"

using namespace halo;

namespace {

RunRow row(std::int64_t id, const char* status) {
  RunRow run;
  run.id = id;
  run.status = status;
  return run;
}

}  // namespace

TEST_CASE("a run that is started writes a log beside its recording", "[window]") {
  const QTemporaryDir folder;
  StartedRuns started;
  const QString recording = folder.filePath("r.db"), log = started.freeLog(recording);
  CHECK(log == recording + ".log");
  started.start({"/bin/true", "e.toml", recording, log, {}});
  CHECK(lastWords(log, 1).isEmpty());        // but for the note of the start
  CHECK_FALSE(started.anyLives());           // it is no haloscope
  CHECK(started.freeLog(recording) == log);  // free again
  CHECK(started.logOf(0).isEmpty());
}

TEST_CASE("a start that comes to nothing is told of once, at the second look", "[window]") {
  const QTemporaryDir folder;
  StartedRuns started;
  const QString recording = folder.filePath("r.db"), log = started.freeLog(recording);
  started.start({"/bin/true", "e.toml", recording, log, {}});
  CHECK(started.comeToNothing("other.db", {}).isEmpty());
  CHECK(started.comeToNothing(recording, {}).isEmpty());
  CHECK(started.comeToNothing(recording, {}) == QStringList{log});
  CHECK(started.comeToNothing(recording, {}).isEmpty());
  started.start({"/bin/true", "e.toml", recording, log, {}});
  started.markTold(log);
  for (int look = 0; look < 3; ++look) CHECK(started.comeToNothing(recording, {}).isEmpty());
}

TEST_CASE("a program that is not there starts nothing", "[window]") {
  const QTemporaryDir folder;
  StartedRuns started;
  CHECK_THROWS_AS(
      started.start(
          {"/no/such/haloscope", "e.toml", folder.filePath("r.db"), folder.filePath("r.db.log"), {}}),
      EnvironmentError);
  CHECK(started.comeToNothing(folder.filePath("r.db"), {}).isEmpty());
  CHECK_FALSE(started.stop(row(1, "running")));  // its supervisor is no process
  CHECK(started.stopping(1).isEmpty());
}

TEST_CASE("what Stop ends is the shown run while it is under way, else the newest that is", "[window]") {
  RunsData runs;
  CHECK(runningRun(runs) == nullptr);
  runs.runs = {row(1, "running"), row(2, "completed"), row(3, "queued"), row(4, "failed")};
  CHECK(runningRun(runs)->id == 3);
  CHECK(runToStop(runs, 1)->id == 1);
  CHECK(runToStop(runs, 2)->id == 3);
  CHECK(runToStop(runs, 0)->id == 3);
  runs.runs = {row(1, "completed")};
  CHECK(runToStop(runs, 1) == nullptr);
}
