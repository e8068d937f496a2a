#include "engine/record/database/schema.h"

#include <catch2/catch.hpp>

#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/older_recording.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

std::int64_t countOf(Database& database, const std::string& table) {
  Statement count(database, "SELECT count(*) FROM " + table);
  count.step();
  return count.integer(0);
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
