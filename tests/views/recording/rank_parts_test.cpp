// Which part of the graph each rank works on, and what is said of it.
#include "views/recording/rank_parts.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

std::vector<WorkerRow> workersOf(std::int64_t ranks) {
  std::vector<WorkerRow> workers;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    WorkerRow& worker = workers.emplace_back();
    worker.rank = rank;
    worker.vertices = 100 + rank;
    worker.remote = 10 * (rank + 1);
  }
  return workers;
}

std::map<std::string, std::string> sharedBy(const std::string& ranks) {
  return {{"result.ranks_per_part", ranks}};
}

}  // namespace

TEST_CASE("a rank has a part of its own, with its size, where the run tells of none that share", "[views]") {
  const auto parts = partsOfRanks(workersOf(3), {});
  REQUIRE(parts.size() == 3);
  CHECK(parts.at(0) == "part 0: 100 vertices, 10 halo rows");
  CHECK(parts.at(2) == "part 2: 102 vertices, 30 halo rows");
  CHECK(partsOfRanks(workersOf(2), sharedBy("1")).at(1) == "part 1: 101 vertices, 20 halo rows");
  // of a method that shares, recorded before runs said so
  CHECK(partsOfRanks(workersOf(2), {{"run.method", "\"mop\""}}).at(1).startsWith("part 1: "));
}

TEST_CASE("neighbouring ranks share a part as the run says", "[views]") {
  const auto parts = partsOfRanks(workersOf(4), sharedBy("2"));
  CHECK(parts.at(0) == "part 0 of ranks 0 to 1: 201 vertices, at most 20 halo rows a rank");
  CHECK(parts.at(1) == parts.at(0));
  CHECK(parts.at(2) == "part 1 of ranks 2 to 3: 205 vertices, at most 40 halo rows a rank");
  const auto rows = partsOfRanks(workersOf(6), sharedBy("3"));
  CHECK(rows.at(2) == rows.at(0));
  CHECK(rows.at(3).startsWith("part 1 of ranks 3 to 5: 312 vertices"));
  const auto all = partsOfRanks(workersOf(4), sharedBy("4"));
  CHECK(all.at(3) == all.at(0));
}

TEST_CASE("ranks without vertices and engines of devices have no part, and odd sizes share none", "[views]") {
  std::vector<WorkerRow> workers = workersOf(3);
  workers[0].vertices = 0;
  workers[1].role = "spu: adders";
  const auto parts = partsOfRanks(workers, {});
  CHECK(parts.size() == 1);
  CHECK(parts.contains(2));
  for (const std::string ranks : {"2", "4", "0", "-1", "two", ""}) {
    CAPTURE(ranks);
    CHECK(partsOfRanks(workersOf(3), sharedBy(ranks)).at(2).startsWith("part 2: "));
  }
  CHECK(partsOfRanks({}, sharedBy("2")).empty());
}
