// Which part of the graph each rank works on, and what is said of it.
#include "views/recording/rank_parts.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

std::vector<WorkerRow> workersOf(std::int64_t ranks) {
  std::vector<WorkerRow> workers(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    WorkerRow& worker = workers[static_cast<std::size_t>(rank)];
    worker.rank = rank;
    worker.vertices = 100 + rank;
    worker.remote = 10 * (rank + 1);
  }
  return workers;
}

std::map<std::string, std::string> of(const std::string& method, const std::string& key = {},
                                      const std::string& value = {}) {
  std::map<std::string, std::string> parameters{{"run.method", "\"" + method + "\""}};
  if (!key.empty()) parameters[key] = value;
  return parameters;
}

}  // namespace

TEST_CASE("a rank has a part of its own, with its size", "[views]") {
  const auto parts = partsOfRanks(workersOf(3), of("vanilla"));
  REQUIRE(parts.size() == 3);
  CHECK(parts.at(0) == "part 0: 100 vertices, 10 halo rows");
  CHECK(parts.at(2) == "part 2: 102 vertices, 30 halo rows");
  CHECK(partsOfRanks(workersOf(2), {}).at(1) == "part 1: 101 vertices, 20 halo rows");
}

TEST_CASE("ranks of a group of slices share its part", "[views]") {
  const auto parts = partsOfRanks(workersOf(4), of("mop-partition", "run.grid", "\"2x2\""));
  CHECK(parts.at(0) == "part 0 of ranks 0 to 1: 201 vertices, at most 20 halo rows a rank");
  CHECK(parts.at(1) == parts.at(0));
  CHECK(parts.at(2) == "part 1 of ranks 2 to 3: 205 vertices, at most 40 halo rows a rank");
  const auto square = partsOfRanks(workersOf(8), of("mop-partition", "run.grid", "\"auto\""));  // 2x4
  CHECK(square.at(3) == square.at(0));
  CHECK(square.at(4) != square.at(0));
  const auto all = partsOfRanks(workersOf(4), of("mop"));
  CHECK(all.at(3) == all.at(0));
}

TEST_CASE("ranks of one row of a grid share its block", "[views]") {
  std::map<std::string, std::string> replicated = of("cagnet", "run.variant", "\"1.5d\"");
  replicated["run.replication"] = "3";
  const auto rows = partsOfRanks(workersOf(6), replicated);
  CHECK(rows.at(2) == rows.at(0));
  CHECK(rows.at(3).startsWith("part 1 of ranks 3 to 5: 312 vertices"));
  const auto square = partsOfRanks(workersOf(4), of("cagnet", "run.variant", "\"2d\""));
  CHECK(square.at(1) == square.at(0));
  CHECK(square.at(2) != square.at(1));
  const auto blocks = partsOfRanks(workersOf(4), of("cagnet", "run.variant", "\"1d\""));
  CHECK(blocks.at(1).startsWith("part 1: "));
}

TEST_CASE("ranks without vertices and engines of devices have no part, and odd sizes share none", "[views]") {
  std::vector<WorkerRow> workers = workersOf(3);
  workers[0].vertices = 0;
  workers[1].role = "spu: adders";
  const auto parts = partsOfRanks(workers, of("moa"));
  CHECK(parts.size() == 1);
  CHECK(parts.contains(2));
  CHECK(partsOfRanks(workersOf(3), of("mop-partition", "run.grid", "\"2x2\"")).at(2).startsWith("part 2: "));
  CHECK(
      partsOfRanks(workersOf(3), of("mop-partition", "run.grid", "\"2xfour\"")).at(2).startsWith("part 2: "));
  CHECK(partsOfRanks({}, of("mop")).empty());
}
