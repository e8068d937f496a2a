#include "engine/record/tables/read_back.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "engine/record/database/database.h"
#include "tests/engine/record/sound_recording.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// What is said after one of the recording's files was cut to `bytes` while its writer has it open.
std::string saidAfterCut(const std::string& file, std::uintmax_t bytes) {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  const std::vector<RunRow> rows = Runs(database).all();
  REQUIRE(rows.size() == 1);
  CHECK_NOTHROW(requireReadBack(folder / "r.db", rows));
  fs::resize_file(folder / file, bytes);
  try {
    requireReadBack(folder / "r.db", rows);
  } catch (const RecordUnusable& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a recording whose log was cut while it was written is not read back", "[record]") {
  CHECK_THAT(saidAfterCut("r.db-wal", 0), Contains("was cut or written over by another program"));
}

TEST_CASE("a recording that was cut after it was closed is not read back", "[record]") {
  const Scratch folder;
  std::vector<RunRow> rows;
  {
    Database database(folder / "r.db", Access::create);
    const SoundRecording sound(database);
    rows = Runs(database).all();
    database.close();
  }
  CHECK_FALSE(fs::exists(folder / "r.db-wal"));
  CHECK_NOTHROW(requireReadBack(folder / "r.db", rows));
  fs::resize_file(folder / "r.db", fs::file_size(folder / "r.db") / 4);
  CHECK_THROWS_AS(requireReadBack(folder / "r.db", rows), RecordUnusable);
  fs::resize_file(folder / "r.db", 0);
  CHECK_THROWS_AS(requireReadBack(folder / "r.db", rows), RecordUnusable);
}

TEST_CASE("what a run that was deleted held need not be there", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  const RunRow run = Runs(database).all().front();
  CHECK_NOTHROW(requireRecorded(database, run));
  Runs(database).remove(run.id);
  CHECK_NOTHROW(requireRecorded(database, run));
  fs::remove(folder / "r.db");
  CHECK_THROWS_AS(requireRecorded(database, run), RecordMoved);
}

TEST_CASE("a recording whose last pages were cut is not read back", "[record]") {
  const Scratch folder;
  std::vector<RunRow> rows;
  {
    Database database(folder / "r.db", Access::create);
    const SoundRecording sound(database);
    Runs(database).addArtifact(sound.run(), {"weights", "application/zip", std::string(100'000, 'w')});
    rows = Runs(database).all();
    database.close();
  }
  CHECK_NOTHROW(requireReadBack(folder / "r.db", rows));
  fs::resize_file(folder / "r.db", fs::file_size(folder / "r.db") - 40'000);
  CHECK_THROWS_AS(requireReadBack(folder / "r.db", rows), RecordCut);
}

TEST_CASE("a run that stands otherwise than it was told is not read back", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  std::vector<RunRow> rows = Runs(database).all();
  rows[0].status = "failed";
  CHECK_THROWS_AS(requireReadBack(folder / "r.db", rows), RecordUnusable);
  Runs(database).remove(rows[0].id);
  CHECK_THROWS_AS(requireReadBack(folder / "r.db", rows), RecordUnusable);
}

TEST_CASE("a recording that lost its name is not closed without a word", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  fs::remove(folder / "r.db");
  CHECK_THROWS_AS(database.close(), RecordMoved);
  CHECK_THAT(database.keepMoved(), Contains((folder / "r.db.rescued").string()));
}
