#include "engine/record/tables/read_back.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

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

TEST_CASE("every table of a run is read back", "[record]") {
  const Scratch folder;
  std::vector<RunRow> rows;
  std::map<std::string, std::int64_t> roots;
  std::int64_t pageBytes = 0;
  {
    Database database(folder / "r.db", Access::create);
    const SoundRecording sound(database);
    rows = Runs(database).all();
    Statement tables(database,
                     "SELECT m.name, m.rootpage FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                     "WHERE m.type = 'table' AND c.name = 'run_id'");
    while (tables.step()) roots[tables.text(0)] = tables.integer(1);
    Statement page(database, "PRAGMA page_size");
    REQUIRE(page.step());
    pageBytes = page.integer(0);
    database.close();
  }
  CHECK(roots.size() >= 11);
  for (const auto& [table, root] : roots) {
    CAPTURE(table);
    const fs::path copy = folder / (table + ".db");
    fs::copy_file(folder / "r.db", copy);
    {
      std::fstream file(copy, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp((root - 1) * pageBytes);
      file << std::string(at(pageBytes), '\0');
    }
    CHECK_THROWS_AS(requireReadBack(copy, rows), RecordUnusable);
  }
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

TEST_CASE("a run whose experiment is gone, and pages that do not fit each other, are not read back",
          "[record]") {
  const Scratch folder;
  std::vector<RunRow> rows;
  {
    Database database(folder / "r.db", Access::create);
    const SoundRecording sound(database);
    rows = Runs(database).all();
    database.execute("PRAGMA foreign_keys = OFF");
    if (rows[0].experimentId == 0) {
      rows[0].experimentId = Runs(database).addExperiment("e", "schema = 1");
      Runs(database).update(rows[0]);
    }
    CHECK_NOTHROW(requireReadBack(folder / "r.db", rows));
    Statement(database, "DELETE FROM experiment").step();
    CHECK_THROWS_WITH(requireReadBack(folder / "r.db", rows), Contains("the experiment of run 1 is gone"));
    rows[0].experimentId = 0;
    Runs(database).update(rows[0]);
    // an index that lacks its entries: SQLite alone can tell, each table for itself is whole
    database.execute("PRAGMA writable_schema = ON");
    Statement(database,
              "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'meta') "
              "WHERE name = 'run_fingerprint'")
        .step();
    database.close();
  }
  CHECK_THROWS_AS(requireReadBack(folder / "r.db", rows), RecordUnusable);
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
