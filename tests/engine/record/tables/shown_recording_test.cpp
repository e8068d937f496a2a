#include "engine/record/tables/shown_recording.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "engine/base/host_name.h"
#include "engine/record/tables/runs.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

RunRow named(const std::string& name, const std::string& status = "completed") {
  RunRow run;
  run.name = name;
  run.status = status;
  return run;
}

void record(const std::filesystem::path& file, const RunRow& run) {
  Database database(file, std::filesystem::exists(file) ? Access::readWrite : Access::create);
  Runs(database).add(run);
  database.execute("PRAGMA journal_mode = DELETE");
}

}  // namespace

TEST_CASE("a shown recording has changed once something is recorded, and not by being read", "[record]") {
  const Scratch folder;
  record(folder / "r.db", named("first"));
  ShownRecording recording(folder / "r.db");
  CHECK_FALSE(recording.isOpen());
  CHECK(recording.changed());  // nothing was read of it yet
  Runs runs(recording.openAnew());
  recording.markRead();
  CHECK(runs.all().size() == 1);
  CHECK_FALSE(recording.changed());
  record(folder / "r.db", named("second"));
  CHECK(recording.changed());
  CHECK(Runs(recording.openAnew()).all().size() == 2);
  CHECK(recording.generation() == 1);  // the same file
}

TEST_CASE("a recording that another file replaced is another generation", "[record]") {
  const Scratch folder;
  record(folder / "r.db", named("first"));
  record(folder / "other.db", named("other"));
  ShownRecording recording(folder / "r.db");
  CHECK(Runs(recording.database()).all().front().name == "first");
  CHECK_FALSE(recording.replaced());
  std::filesystem::rename(folder / "other.db", folder / "r.db");
  CHECK(recording.replaced());
  CHECK(Runs(recording.openAnew()).all().front().name == "other");
  CHECK(recording.generation() == 2);
  CHECK_FALSE(recording.replaced());
}

TEST_CASE("a recording that cannot be opened has not changed until it is there", "[record]") {
  const Scratch folder;
  ShownRecording recording(folder / "r.db");
  CHECK_THROWS_AS(recording.openAnew(), RecordError);
  CHECK_FALSE(recording.changed());  // nobody asks in vain
  CHECK_THROWS_AS(recording.database(), RecordError);
  record(folder / "r.db", named("late"));
  CHECK(recording.changed());
  CHECK(Runs(recording.database()).all().front().name == "late");
  CHECK(recording.changed());  // opened, and not read
}

TEST_CASE("a supervisor that died changes a shown recording once", "[record]") {
  const Scratch folder;
  record(folder / "r.db", named("first"));
  ShownRecording recording(folder / "r.db");
  recording.openAnew();
  recording.markRead();
  RunRow dead = named("dead", "running");
  dead.host = hostName();
  dead.supervisorPid = (1 << 22) + 1;  // no process has that number
  record(folder / "r.db", dead);
  Runs runs(recording.openAnew());
  CHECK(recording.changed());
  CHECK(runs.all().back().status == "interrupted");
  recording.markRead();
  CHECK_FALSE(recording.changed());
}
