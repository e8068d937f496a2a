#include "engine/run/protocol/look.h"

#include <catch2/catch.hpp>

#include "tests/datasets/own_cache.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

RunSettings runOf(const std::string& dataset) {
  RunSettings run;
  run.dataset.name = dataset;
  return run;
}

}  // namespace

TEST_CASE("a look finds what is wrong, what is damaged and what is remarked of each run", "[look]") {
  const OwnCache own;
  std::vector<RunSettings> runs = {runOf("karate"),
                                   runOf(own.write("g.txt", "0 1\n1 2\n2 2\n").string()),
                                   runOf(own.write("bad.txt", "0 1\n1 x\n").string()),
                                   runOf("karat"),
                                   runOf("karate"),
                                   runOf("karate")};
  runs[4].training.loss = "sigmoid";
  runs[5].training.initialWeights = own.write("empty.npz", "").string();
  const auto results = look(runs);
  REQUIRE(results.size() == runs.size());
  CHECK((results[0].wrong.empty() && results[0].damaged.empty() && results[0].remarks.empty()));
  CHECK((results[1].wrong.empty() && results[1].damaged.empty()));
  REQUIRE(results[1].remarks.size() == 2);
  CHECK(results[1].remarks[1] == "g.txt: 1 self loop removed");
  REQUIRE(results[2].damaged.size() == 1);
  CHECK_THAT(results[2].damaged[0], Contains("bad.txt:2:3: 'x'"));
  REQUIRE(results[3].wrong.size() == 1);
  CHECK(results[3].wrong[0].key == "dataset.name");
  REQUIRE(results[4].wrong.size() == 1);
  CHECK(results[4].wrong[0].key == "training.loss");
  REQUIRE(results[5].damaged.size() == 1);
  CHECK_THAT(results[5].damaged[0], Contains("empty.npz: training.initial_weights: is empty"));
}

TEST_CASE("a data set of several runs is looked at once", "[look]") {
  const OwnCache own;
  own.write("cache", "a file where the folder should be: nothing is remembered");
  const std::vector<RunSettings> runs(5, runOf(own.write("g.txt", "0 1\n1 2\n").string()));
  int readings = 0;
  look(runs, [&](const std::string& stage, double share) {
    readings += stage == "building the graph" && share == 1;
  });
  CHECK(readings == 1);
}

TEST_CASE("initial weights that do not fit the shapes are found", "[look]") {
  const OwnCache own;
  RunSettings run = runOf("karate");
  run.training.initialWeights =
      own.write("none.npz", std::string("PK\5\6", 4) + std::string(18, '\0')).string();
  const auto results = look(std::vector<RunSettings>{run});
  REQUIRE_FALSE(results[0].wrong.empty());
  CHECK_THAT(results[0].wrong[0].message, Contains("missing"));
}

TEST_CASE("what two machines say to each other about a look loses nothing", "[look]") {
  std::vector<RunSettings> runs = {runOf("karate"), runOf("caf\xC3\xA9")};
  runs[1].training.seed = 9'000'000'000'000'000'000ULL;
  const auto back = jobFromJson(jobToJson(runs));
  REQUIRE(back.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(back[i].flat() == runs[i].flat());
  CHECK(jobFromJson(jobToJson({})).empty());
  std::vector<LookFound> results(2);
  results[1].wrong = {{"a \"file\"", 3, 4, "dataset.name", "is\nwrong"}};
  results[1].damaged = {"one", "two"};
  results[0].remarks = {"g: a remark"};
  const auto same = foundFromJson(foundToJson(results));
  REQUIRE(same.size() == 2);
  CHECK(same[0].remarks == results[0].remarks);
  CHECK(same[1].damaged == results[1].damaged);
  REQUIRE(same[1].wrong.size() == 1);
  CHECK(describe(same[1].wrong[0]) == describe(results[1].wrong[0]));
}
