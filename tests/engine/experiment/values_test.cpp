// Numbers, names and texts of an experiment that cannot be what they say.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/experiment/published_runs.h"
#include "tests/engine/experiment/known.h"

using namespace halo;
using namespace halo::test;

namespace {

std::string with(const std::string& lines) {
  return problemsOf("schema = 1\n" + lines + "\n[[run]]\nmethod = \"pipegcn\"\n");
}

}  // namespace

TEST_CASE("no number of an experiment may be infinite or none", "[experiment]") {
  for (const Declaration& section : sections())
    for (const Parameter& parameter : section.parameters)
      if (std::holds_alternative<Real>(parameter.type))
        for (const std::string value : {"inf", "-inf", "nan", "-nan", "+nan"}) {
          const std::string key = std::string(section.name) + "." + std::string(parameter.key);
          CAPTURE(key, value);
          CHECK_THAT(
              with("[" + std::string(section.name) + "]\n" + std::string(parameter.key) + " = " + value),
              Catch::StartsWith("a.toml:3:") && Catch::Contains(key + ": ") &&
                  Catch::Contains("cannot be used; a number from"));
        }
  CHECK_THAT(with("[cluster]\nlink = { bandwidth_gbit = inf, latency_us = nan }"),
             Catch::Contains("bandwidth_gbit: inf cannot be used"));
}

TEST_CASE("a whole number is written whole and within its range", "[experiment]") {
  CHECK(with("[cluster]\nworkers = 1e9") ==
        "a.toml:3:11: cluster.workers: 1e+09 cannot be used; a whole number from 1 to 65536");
  CHECK(with("[cluster]\nworkers = 2.0") ==
        "a.toml:3:11: cluster.workers: 2.0 cannot be used; a whole number from 1 to 65536");
  CHECK_THAT(with("[cluster]\nworkers = 99999999999999999999"),
             Catch::StartsWith("a.toml:3:") && Catch::Contains("not representable in 64 bits"));
  CHECK(with("[training]\nlearning_rate = 9007199254740993") ==
        "a.toml:3:17: training.learning_rate: 9007199254740993 cannot be used; a number from 0 to 1000");
  CHECK(parse("schema = 1\n[dataset]\nseed = 9223372036854775807\n[[run]]\nmethod = \"vanilla\"")
            .runs[0]
            .dataset.seed == 9223372036854775807U);
}

TEST_CASE("a whole number that no double holds is refused where a double is asked for", "[experiment]") {
  static constexpr Parameter kWide[] = {{"wide", "", Real{0, -1e300, 1e300}}};
  const Declaration wide{"w", "", "", kWide};
  CHECK(parametersOf(wide, {{"wide", "9007199254740992"}}).real("wide") == 9007199254740992.0);
  CHECK(parametersOf(wide, {{"wide", "1e18"}}).real("wide") == 1e18);
  for (const char* value : {"9007199254740993", "-9007199254740993", "9223372036854775807"})
    CHECK_THROWS_WITH(parametersOf(wide, {{"wide", value}}),
                      Catch::Contains("a whole number of at most 9007199254740992"));
}

TEST_CASE("an experiment's name is text of one line and not too long", "[experiment]") {
  const std::string rest = "; a text of one line, without tabs and control characters";
  CHECK(with("name = \"a\\nb\"") == "a.toml:2:8: name: 'a\\nb' cannot be used" + rest);
  CHECK(with("name = \"a\\u001b[31m\"") == "a.toml:2:8: name: 'a\\u001B[31m' cannot be used" + rest);
  CHECK_THAT(with("name = \"a\\u009b31m\""), Catch::Contains(rest));  // as short for ESC [
  for (const char* mark : {"202a", "202e", "2066", "2069", "2028"})   // change the order in which it is read
    CHECK_THAT(with(std::string("name = \"a\\u") + mark + "b\""), Catch::Contains(rest));
  CHECK_THAT(with("tags = [\"a\\u202eb\"]"), Catch::StartsWith("a.toml:2:9: tags: "));
  CHECK_THAT(with("tags = [\"a\\tb\"]"), Catch::StartsWith("a.toml:2:9: tags: "));
  CHECK(with("name = \"é – ü\"\nnotes = \"\"\"\nmany\n\tlines\"\"\"") == "");
  CHECK(with("name = \"" + std::string(500, 'n') + "\"") == "");
  const std::string tooLong = with("name = \"" + std::string(501, 'n') + "\"");
  CHECK_THAT(tooLong, Catch::Contains("a name of at most 500 bytes"));
  CHECK(tooLong.size() < 300);  // the name is not told to its end
}

TEST_CASE("an experiment without a name has its file's, whatever that holds", "[experiment]") {
  const auto nameIn = [](const std::string& file) {
    return parseExperiment("schema = 1\n[[run]]\nmethod = \"vanilla\"", file, known()).runs[0].name;
  };
  CHECK(nameIn("é.toml") == "é / vanilla");
  CHECK(nameIn("a\nb\x1b.toml") == "a_b_ / vanilla");
  CHECK(nameIn("a\xFF.toml") == "a_ / vanilla");
  CHECK(nameIn("é\xFF.toml") == "é_ / vanilla");  // what is writing stays
  CHECK(nameIn("a\u202Eb\u2066\u2028.toml") == "a_b__ / vanilla");
}

TEST_CASE("texts of a run's name stand on one line in it", "[experiment]") {
  CHECK(parse("schema = 1\n[[run]]\nmethod = \"vanilla\"\npartition.method = \"file\"\npartition.path = "
              "\"/a\\n\\u001bb\"\ncluster.workers = 2")
            .runs[0]
            .name == "a / vanilla / workers=2 / partition.method=file / path=/a__b");
}

TEST_CASE("empty texts are refused where something must be named", "[experiment]") {
  CHECK_THAT(with("[dataset]\nname = \"\""), Catch::Contains("dataset.name: '' is not in the catalogue"));
  CHECK(with("[dataset]\npath = \"\"") ==
        "a.toml:3:8: dataset.path: is empty; a file or folder, or dataset.name in its place");
  CHECK(with("[dataset]\npath = \"\"\nname = \"karate\"") == "");
  CHECK_THAT(with("[cluster]\nhosts = [\"\"]"), Catch::Contains("'' is not a host"));
  CHECK_THAT(with("[cluster]\nhosts = [\"" + std::string(254, 'h') + "\"]"),
             Catch::Contains("is not a host"));
  CHECK_THAT(with("[cluster]\nhosts = [\"a\\u001bb\"]"), Catch::Contains("'a\\u001Bb' is not a host"));
  CHECK_THAT(with("[model]\nkind = \"\""), Catch::Contains("model.kind: '' is not a layer kind"));
  CHECK_THAT(problemsOf("schema = 1\n[[run]]\nmethod = \"\""),
             Catch::StartsWith("a.toml:3:10: run.method: '' is not a method"));
}

TEST_CASE("what is set is text", "[experiment]") {
  CHECK_THAT(problemsOf("schema = 1\n[[run]]\nmethod = \"pipegcn\"", {{"run.stages", "\xFF"}}),
             Catch::Contains("holds bytes that are no UTF-8 text"));
}

TEST_CASE("a seed that repeats of two swept seeds share is refused", "[experiment]") {
  const auto swept = [](const std::string& seeds, const std::string& repeat) {
    return with("[training]\nrepeat = " + repeat + "\n[sweep]\n\"training.seed\" = " + seeds);
  };
  CHECK(
      swept("[1, 2]", "2") ==
      "a.toml:5:1: sweep.training.seed: seed 2 comes twice: training.repeat counts 2 up from each; seeds at "
      "least 2 apart");
  CHECK(swept("[1, 3]", "2") == "");
  CHECK(swept("[1, 2]", "1") == "");
}

TEST_CASE("a published condition tells long whole numbers apart", "[experiment]") {
  CHECK(meets({{"dataset.seed", "9007199254740993"}}, {{"dataset.seed", "9007199254740993"}}));
  CHECK_FALSE(meets({{"dataset.seed", "9007199254740993"}}, {{"dataset.seed", "9007199254740992"}}));
  CHECK(meets({{"model.dropout", "0.50"}}, {{"model.dropout", "5e-1"}}));
}

TEST_CASE("thousands of wrong keys are all told, and soon", "[experiment]") {
  std::string lines = "[training]\n";
  for (int i = 0; i < 5000; ++i) lines += "k" + std::to_string(i) + " = 1\n";
  const std::string message = with(lines);
  CHECK(std::ranges::count(message, '\n') == 4999);
}
