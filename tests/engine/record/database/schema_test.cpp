#include "engine/record/database/schema.h"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/older_recording.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

std::int64_t countOf(Database& database, const std::string& table) {
  Statement count(database, "SELECT count(*) FROM " + table);
  count.step();
  return count.integer(0);
}

/// Makes the file of what an older version wrote, as SQL.
void restore(const std::string& name, const std::filesystem::path& file) {
  std::ifstream stored(std::string(kSourceDir) + "/tests/data/recordings/" + name);
  const std::string sql{std::istreambuf_iterator<char>(stored), {}};
  sqlite3* older = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &older) == SQLITE_OK);
  REQUIRE(sqlite3_exec(older, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(older);
}

}  // namespace

TEST_CASE("a recording of schema 6 opens with no actors, and takes them once it is written to", "[record]") {
  const Scratch folder;
  const ActorRow actor{0, 0, "sample", ActorKind::sampler, ActorDevice::host};
  const Span span;
  BatchRows rows;
  rows.stages.emplace_back();
  rows.decisions.emplace_back();
  std::int64_t run = 0;
  {
    Database database(folder / "r.db", Access::create);
    run = Runs(database).add({});
    Iterations(database).append(run, {{{.epoch = 1, .seeds = 3}}, {}, {}});
    Spans(database).append(run, 0, std::span(&span, 1));
    dropSinceSchema6(database);
    database.execute("PRAGMA user_version = 6");
    CHECK_THROWS_AS(Hybrid(database).append(run, rows), RecordError);
  }
  {
    Database reader(folder / "r.db", Access::readOnly);
    CHECK(Hybrid(reader).actors(run).empty());
    CHECK_FALSE(Spans(reader).blocks(run).at(0).actor);
  }
  Database database(folder / "r.db", Access::readWrite);
  CHECK(schemaVersion(database) == kSchemaVersion);
  CHECK(std::filesystem::exists(folder / "r.db.v6.bak"));
  CHECK(Iterations(database).iterations(run).at(0).seeds == 3);
  Hybrid(database).setActors(run, std::span(&actor, 1));
  Hybrid(database).append(run, rows);
  Spans(database).append(run, 0, std::span(&span, 1), 0);
  CHECK(Spans(database).blocks(run).at(1).actor == 0);
  CHECK(Hybrid(database).decisions(run).size() == 1);
  database.execute("DELETE FROM run");
  for (const char* table : {"actor", "stage", "decision", "span_block"}) CHECK(countOf(database, table) == 0);
}

TEST_CASE("a recording of schema 8 has no cosine or age of staleness, and takes them from then on",
          "[record]") {
  const Scratch folder;
  LayerRow row;
  row.stalenessAbsolute = row.stalenessRelative = 0.5;
  std::int64_t run = 0;
  {
    Database database(folder / "r.db", Access::create);
    run = Runs(database).add({});
    Epochs(database).append(run, std::span(&row, 1));
    dropSinceSchema8(database);
    database.execute("PRAGMA user_version = 8");
  }
  Database database(folder / "r.db", Access::readWrite);
  CHECK(schemaVersion(database) == kSchemaVersion);
  CHECK(Epochs(database).layers(run).at(0).stalenessRelative == 0.5);
  CHECK_FALSE(Epochs(database).layers(run).at(0).stalenessCosine);
  CHECK_FALSE(Epochs(database).layers(run).at(0).stalenessAge);
  row.stalenessCosine = 0.75, row.stalenessAge = 2;
  Epochs(database).append(run, std::span(&row, 1));
  CHECK(Epochs(database).layers(run).at(0).stalenessCosine == 0.75);
  CHECK(Epochs(database).layers(run).at(0).stalenessAge == 2);
}

TEST_CASE("a recording that an older version wrote opens with all it has", "[record]") {
  struct Stored {
    const char* file;
    std::size_t epochs, iterations;
    std::int64_t spans;
  };
  for (const Stored& stored : {Stored{"schema_5.sql", 2, 0, 50}, Stored{"schema_6.sql", 2, 10, 264},
                               Stored{"schema_8.sql", 2, 0, 130}}) {
    CAPTURE(stored.file);
    const Scratch folder;
    restore(stored.file, folder / "r.db");
    Database database(folder / "r.db", Access::readOnly);
    CHECK(schemaVersion(database) == kSchemaVersion);
    const RunRow run = Runs(database).all().at(0);
    CHECK(run.dataset == "karate");
    CHECK(Epochs(database).epochs(run.id).size() == stored.epochs);
    CHECK(Spans(database).count(run.id) == stored.spans);
    CHECK(Iterations(database).iterations(run.id).size() == stored.iterations);
    CHECK(Hybrid(database).actors(run.id).empty());
    CHECK(checkRecording(database).faults == std::vector<std::string>());
  }
}

TEST_CASE("shipped recordings have the present schema, so that none is migrated when it is opened",
          "[record]") {
  constexpr std::uintmax_t kMostBytes = 8'000'000;
  std::size_t recordings = 0;
  const std::filesystem::path resources = std::string(kSourceDir) + "/resources";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(resources)) {
    if (entry.path().extension() != ".db") continue;
    CAPTURE(entry.path().string());
    ++recordings;
    CHECK(entry.file_size() < kMostBytes);
    const Scratch folder;
    const auto copy = folder / "shipped.db";
    std::filesystem::copy_file(entry.path(), copy);
    std::filesystem::permissions(copy, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    {
      Database database(copy, Access::readWrite);
      CHECK(schemaVersion(database) == kSchemaVersion);
      CHECK(checkRecording(database, {}).faults.empty());
    }
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      CHECK(file.path().extension() != ".bak");
  }
  CHECK(recordings == 1);
}

TEST_CASE("a migration removes what one that was killed has left beside the recording", "[record]") {
  const Scratch folder;
  restore("schema_5.sql", folder / "r.db");
  for (const char* name : {".haloscope-00112233445566ff.part", ".haloscope-00112233445566ff.part-journal"})
    std::ofstream(folder / name) << "half a copy";
  { Database database(folder / "r.db", Access::readWrite); }
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  CHECK(names.contains("r.db"));
  for (const std::string& name : names) CHECK(name.find(".haloscope-") == std::string::npos);
}
