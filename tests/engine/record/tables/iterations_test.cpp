#include "engine/record/tables/iterations.h"

#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("iterations, blocks and caches come back as they were recorded", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  Iterations table(database);
  BatchRows rows;
  rows.iterations = {{1, 0, 10, 20, {}, 0.5, 3, 4, 5, 6}, {1, 1, 30, 40, 7, {}, 0, 1, 2, 3}};
  rows.blocks = {{1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}};
  rows.caches = {{1, 0, 1, 2, 3, 4, 1.5}};
  table.append(run, rows);
  table.append(run, BatchRows{{{2, 0, 50, 60, {}, 0.25, 1, 1, 1, 1}}, {}, {}});

  const std::vector<IterationRow> all = table.iterations(run);
  REQUIRE(all.size() == 3);
  CHECK(all[0].loss == 0.5);
  CHECK_FALSE(all[0].modelledNs);
  CHECK(all[0].messages == 6);
  CHECK(all[1].modelledNs == 7);
  CHECK_FALSE(all[1].loss);
  CHECK(table.iterations(run, 2).size() == 1);
  const BlockRow block = table.blocks(run).at(0);
  CHECK(block.nonzeros == 4);
  CHECK(block.sampleCpuNs == 8);
  CHECK(table.caches(run).at(0).expectedHits == 1.5);
  CHECK(table.caches(run, 2).empty());
}
