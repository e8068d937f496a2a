// Who only reads a recording leaves the file and its folder as they are, whatever its schema or the state of
// its disk, and sees what a run that goes on writes.
#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "engine/record/database/database.h"
#include "engine/record/database/schema.h"
#include "engine/record/tables/runs.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/folder_contents.h"
#include "tests/support/older_recording.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kTooSmall = 8 << 10;  // for the index that SQLite keeps of its log

RunRow named(const std::string& name) {
  RunRow run;
  run.name = name;
  run.status = "completed";
  return run;
}

void record(const fs::path& file, const std::string& name) {
  Database database(file, Access::create);
  Runs(database).add(named(name));
}

/// A copy of a recording whose last run stands in its log alone, as a crash leaves it, without the log's
/// index.
void copyWithLog(const fs::path& from, const fs::path& to) {
  Database writer(from, Access::readWrite);
  writer.execute("PRAGMA wal_autocheckpoint = 0");
  Runs(writer).add(named("in the log"));
  fs::copy_file(from, to);
  fs::copy_file(from.string() + "-wal", to.string() + "-wal");
}

}  // namespace

TEST_CASE("an older recording is read as it would be after its migration, and stays as it is", "[record]") {
  const Scratch folder;
  record(folder / "r.db", "old");
  makeOlder(folder / "r.db");
  const auto before = filesIn(folder.path());
  for (int i = 0; i < 2; ++i) {
    Database database(folder / "r.db", Access::readOnly);
    CHECK(schemaVersion(database) == kSchemaVersion);
    CHECK(Runs(database).all().at(0).name == "old");
  }
  CHECK(filesIn(folder.path()) == before);
  Database(folder / "r.db", Access::readWrite);
  CHECK(fs::exists(folder / "r.db.v1.bak"));
}

TEST_CASE("a recording is read where SQLite cannot keep anything beside it", "[record]") {
  const Scratch folder;
  const bool older = GENERATE(false, true);
  record(folder / "r.db", "first");
  if (older) makeOlder(folder / "r.db");
  const auto before = filesIn(folder.path());
  {
    const FileSizeLimit limit(kTooSmall);
    Database database(folder / "r.db", Access::readOnly);
    CHECK(database.detached());
    CHECK(Runs(database).all().at(0).name == "first");
  }
  CHECK(filesIn(folder.path()) == before);
}

TEST_CASE("a large recording is read from a copy in memory", "[record]") {
  const Scratch folder;
  const std::string bytes(std::size_t{6} << 20, 'x');
  {
    Database database(folder / "r.db", Access::create);
    const std::int64_t run = Runs(database).add(named("large"));
    Runs(database).addArtifact(run, {"log", "text/plain", bytes});
  }
  makeOlder(folder / "r.db");
  const FileSizeLimit limit(kTooSmall);
  Database database(folder / "r.db", Access::readOnly);
  CHECK(Runs(database).artifact(1, "log")->bytes == bytes);
}

TEST_CASE("a log without its index is read where the index cannot be made, and both stay", "[record]") {
  const Scratch folder;
  record(folder / "w.db", "first");
  fs::create_directory(folder / "copy");
  copyWithLog(folder / "w.db", folder / "copy/r.db");
  const auto before = filesIn(folder / "copy");
  REQUIRE(before.size() == 2);
  {
    const FileSizeLimit limit(kTooSmall);
    Database database(folder / "copy/r.db", Access::readOnly);
    const auto runs = Runs(database).all();
    REQUIRE(runs.size() == 2);
    CHECK(runs[1].name == "in the log");
  }
  CHECK(filesIn(folder / "copy") == before);
}

TEST_CASE("a recording that is being written is read live, also where nothing can be made", "[record]") {
  const Scratch folder;
  record(folder / "r.db", "first");
  Database writer(folder / "r.db", Access::readWrite);
  Runs(writer).add(named("second"));
  std::optional<Database> reader;
  {
    const FileSizeLimit limit(kTooSmall);
    reader.emplace(folder / "r.db", Access::readOnly);
    CHECK(Runs(*reader).all().size() == 2);
  }
  CHECK_FALSE(reader->detached());
  Runs(writer).add(named("third"));
  CHECK(Runs(*reader).all().size() == 3);
  CHECK_FALSE(reader->outdated());
}

TEST_CASE("a copy tells that its file has changed since", "[record]") {
  const Scratch folder;
  record(folder / "r.db", "first");
  std::optional<Database> reader;
  {
    const FileSizeLimit limit(kTooSmall);
    reader.emplace(folder / "r.db", Access::readOnly);
  }
  CHECK_FALSE(reader->outdated());
  record(folder / "r.db", "second");
  CHECK(reader->outdated());
  CHECK(Runs(*reader).all().size() == 1);
}

namespace {

/// A run of host "here" whose supervisor never was.
RunRow deadRun() {
  RunRow dead = named("dead");
  dead.status = "running";
  dead.host = "here";
  dead.supervisorPid = (1 << 22) + 1;
  return dead;
}

}  // namespace

TEST_CASE("runs whose supervisor died are read as interrupted, and the file stays as it is", "[record]") {
  const Scratch folder;
  const RunRow dead = deadRun();
  {
    Database database(folder / "r.db", Access::create);
    Runs(database).add(named("done"));
    Runs(database).add(dead);
  }
  const auto before = filesIn(folder.path());
  {
    Database database(folder / "r.db", Access::readOnly);
    CHECK(Runs(database).showInterrupted("here") == 1);
    CHECK(Runs(database).showInterrupted("here") == 0);
    const auto run = Runs(database).find(2);
    CHECK(run->status == "interrupted");
    CHECK_THAT(run->error, Contains("did not record how the run ended"));
    CHECK_FALSE(run->finishedAt.empty());
    CHECK(Runs(database).find(1)->status == "completed");
    CHECK(Runs(database).find(1)->error.empty());
    CHECK_THROWS_AS(Runs(database).add(dead), RecordError);
  }
  CHECK(filesIn(folder.path()) == before);
}

TEST_CASE("a run whose supervisor dies later is read as interrupted once that is asked again", "[record]") {
  const Scratch folder;
  const RunRow dead = deadRun();
  Database writer(folder / "r.db", Access::create);
  Runs(writer).add(dead);
  Database reader(folder / "r.db", Access::readOnly);
  CHECK(Runs(reader).showInterrupted("here") == 1);
  Runs(writer).add(dead);
  CHECK(Runs(reader).find(2)->status == "running");
  CHECK(Runs(reader).showInterrupted("here") == 1);
  for (const RunRow& run : Runs(reader).all()) CHECK(run.status == "interrupted");
}

TEST_CASE("a recording that cannot be begun leaves no file and says that nothing was recorded", "[record]") {
  const Scratch folder;
  std::string message;
  try {
    const FileSizeLimit limit(32 << 10);
    Database database(folder / "r.db", Access::create);
  } catch (const DiskFull& error) {
    message = error.what();
  }
  CHECK_THAT(message, Contains("no space left while") && Contains("nothing was recorded") &&
                          Contains("ulimit -f") && !Contains("--resume") && !Contains("make room"));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("who cannot write for want of room says so and leaves nothing beside", "[record]") {
  const Scratch folder;
  record(folder / "r.db", "first");
  const auto before = filesIn(folder.path());
  std::string message;
  try {
    const FileSizeLimit limit(kTooSmall);
    Database database(folder / "r.db", Access::readWrite);
  } catch (const DiskFull& error) {
    message = error.what();
  }
  CHECK_THAT(message, Contains("no space left") && Contains("nothing was changed") && !Contains("--resume"));
  CHECK(filesIn(folder.path()) == before);
}
