#include "engine/methods/contract/fairness.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/methods/contract/method_entry.h"

using namespace halo;

namespace {

RunSettings runOf(const std::string& method, const std::string& order = "auto") {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.order = order;
  run.cluster.workers = 2;
  return run;
}

bool names(const std::string& text, std::initializer_list<const char*> words) {
  return std::ranges::all_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

}  // namespace

TEST_CASE("methods that auto leaves unlike are named with the order they take", "[fair]") {
  const std::vector<RunSettings> runs = {runOf("vanilla"), runOf("pipegcn"), runOf("dgcl")};
  const auto sentences = unlikeByAuto(runs);
  REQUIRE(sentences.size() == 1);
  CHECK(names(sentences[0],
              {"aggregate-first (pipegcn)", "the cheaper by widths (dgcl, vanilla)", "fair = true"}));
}

TEST_CASE("runs that are alike, or were made unlike, have nothing to say", "[fair]") {
  CHECK(unlikeByAuto(std::vector{runOf("vanilla"), runOf("dgcl")}).empty());
  CHECK(unlikeByAuto(std::vector{runOf("vanilla", "aggregate-first"), runOf("pipegcn")}).empty());
  CHECK(unlikeByAuto(std::vector{runOf("vanilla", "update-first"), runOf("vanilla")}).empty());
  CHECK(unlikeByAuto(std::vector{runOf("single"), runOf("pipegcn")}).empty());
  CHECK(unlikeByAuto({}).empty());
}

TEST_CASE("fair runs all aggregate first where their methods' orders differ", "[fair]") {
  std::vector<RunSettings> runs = {runOf("vanilla"), runOf("pipegcn"), runOf("dgcl", "update-first")};
  CHECK(makeAlike(runs).empty());
  CHECK(runs[0].model.order == "aggregate-first");
  CHECK(runs[1].model.order == "aggregate-first");
  CHECK(runs[2].model.order == "update-first");  // as was asked for
  CHECK(unlikeByAuto(runs).empty());
  std::vector<RunSettings> same = {runOf("vanilla"), runOf("dgcl")};
  CHECK(makeAlike(same).empty());
  CHECK(same[0].model.order == "auto");
}

TEST_CASE("fair runs all keep layer 0's aggregate where one method always does", "[fair]") {
  std::vector<RunSettings> runs = {runOf("bns"), runOf("vanilla")};
  REQUIRE(unlikeByAuto(runs).size() == 2);
  CHECK(makeAlike(runs).empty());
  CHECK(runs[1].parameters.flag("layer0_cache"));
  CHECK(unlikeByAuto(runs).empty());
}

TEST_CASE("a method that cannot keep it is refused, by its name and those that keep it", "[fair]") {
  int refused = 0;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (!entry.distributed || entry.alwaysCachesLayer0) continue;
    if (fallbacks(entry.declaration.parameters).contains("layer0_cache")) continue;
    CAPTURE(name);
    std::vector<RunSettings> runs = {runOf("bns"), runOf(std::string(name)), runOf("vanilla")};
    const auto sentences = unlikeByAuto(runs);
    CHECK(!sentences.empty());
    const std::string refuses =
        "; fair = true would refuse this file, as it cannot make " + std::string(name) + " like the others";
    for (const std::string& sentence : sentences) CHECK(sentence.ends_with(refuses));
    const auto besides = unlikeByAuto(std::vector{runOf("vanilla"), runOf("pipegcn")}, runs);
    REQUIRE(besides.size() == 1);
    CHECK(besides[0].ends_with(refuses));
    auto problems = makeAlike(runs);
    REQUIRE(!problems.empty());
    CHECK(problems.back().key == "fair");
    CHECK(problems.back().message.starts_with(name));
    const std::string leave = "leave either " + std::string(name) + " or bns out of the file";
    CHECK(names(problems.back().message, {"bns always keeps its aggregate", leave.c_str()}));
    CHECK_FALSE(names(problems.back().message, {"vanilla"}));  // which is made to keep it

    std::vector<RunSettings> pair = {runOf(std::string(name)), runOf("vanilla")};
    pair[1].parameters["layer0_cache"] = true;
    problems = makeAlike(pair);
    REQUIRE(!problems.empty());
    CHECK(names(problems.back().message,
                {"vanilla was told to keep its aggregate", "set layer0_cache = false for vanilla"}));
    pair[1].parameters["layer0_cache"] = false;
    CHECK(makeAlike(pair).empty());
    ++refused;
  }
  CHECK(refused > 0);
}

TEST_CASE("a sweep of what orders depend on, or a method that a file varies, hides no unlike methods",
          "[fair]") {
  std::vector<RunSettings> swept;
  for (const char* method : {"vanilla", "pipegcn"})
    for (const char* position : {"before-aggregation", "after-aggregation"}) {
      swept.push_back(runOf(method));
      swept.back().model.dropout = 0.5;
      swept.back().model.dropoutPosition = position;
    }
  CHECK(unlikeByAuto(swept).size() == 1);
  CHECK(makeAlike(swept).empty());
  CHECK(unlikeByAuto(swept).empty());
  CHECK(swept[0].model.order == "aggregate-first");

  std::vector<RunSettings> varied = {runOf("vanilla", "aggregate-first"), runOf("bns", "aggregate-first"),
                                     runOf("pipegcn", "aggregate-first"),
                                     runOf("pipegcn", "aggregate-first")};
  varied[3].parameters["layer0_cache"] = true;
  CHECK(unlikeByAuto(varied).size() == 1);
  CHECK(makeAlike(varied).empty());
  CHECK(varied[0].parameters.flag("layer0_cache"));
  CHECK_FALSE(varied[2].parameters.flag("layer0_cache"));  // as was asked for
  CHECK(unlikeByAuto(varied).empty());
}
