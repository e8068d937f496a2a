#include "engine/record/tables/components.h"

#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("components of a simulation are read as they were written", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  RunRow run;
  run.kind = "simulation";
  const std::int64_t id = Runs(database).add(run);
  Components components(database);
  CHECK(components.rowsOf(id).empty());
  const ComponentRow rows[] = {{"spu 0", "hbm", 5, 2, std::int64_t{1} << 40, 0.5},
                               {"spu 0", "adders", 7, 0, 9, 1e15}};
  components.append(id, rows);
  const auto read = components.rowsOf(id);
  REQUIRE(read.size() == 2);
  CHECK(read[0].component == "adders");
  CHECK(read[0].energyPj == 1e15);
  CHECK(read[1].busyCycles == 5);
  CHECK(read[1].stallCycles == 2);
  CHECK(read[1].bytes == std::int64_t{1} << 40);
  CHECK_THROWS_AS(components.append(id, {rows, 1}), RecordError);
  Runs(database).remove(id);
  CHECK(components.rowsOf(id).empty());
}

TEST_CASE("names of spans that a file lacks are added when it is opened for writing", "[record]") {
  const Scratch folder;
  const auto names = [&](Access access) {
    Database database(folder / "r.db", access);
    Statement count(database, "SELECT count(*), max(text = 'stall: rows') FROM span_name");
    count.step();
    return std::pair(count.integer(0), count.integer(1));
  };
  const auto all = static_cast<std::int64_t>(Name::count);
  { Database(folder / "r.db", Access::create).execute("DELETE FROM span_name WHERE name > 20"); }
  CHECK(names(Access::readOnly) == std::pair<std::int64_t, std::int64_t>(21, 0));
  CHECK(names(Access::readWrite) == std::pair<std::int64_t, std::int64_t>(all, 1));
  CHECK(names(Access::readOnly) == std::pair<std::int64_t, std::int64_t>(all, 1));
}
