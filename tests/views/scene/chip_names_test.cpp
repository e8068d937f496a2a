#include "views/scene/chip_names.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

ChipFacts chip(std::vector<std::int64_t> runs, std::string method, std::int64_t workers,
               std::map<std::string, std::string> parameters = {}, const QString& recording = "/r/a.db") {
  return {recording, std::move(runs), std::move(method), workers, std::move(parameters)};
}

QStringList names(const std::vector<ChipFacts>& chips) { return chipNames(chips); }

}  // namespace

TEST_CASE("a chip is named by its runs and by what differs", "[scene]") {
  CHECK(names({}).isEmpty());
  CHECK(names({chip({1}, "vanilla", 4)}) == QStringList{"#1 vanilla"});
  CHECK(names({chip({1, 2, 3, 4, 5}, "vanilla", 4), chip({7, 9}, "pipegcn", 4)}) ==
        QStringList{"#1–5 vanilla", "#7,9 pipegcn"});
  CHECK(names({chip({1, 2}, "vanilla", 4), chip({3}, "vanilla", 16)}) == QStringList{"#1,2 ×4", "#3 ×16"});
  CHECK(names({chip({1}, "vanilla", 4, {{"run.overlap", "\"none\""}, {"model.hidden", "64"}}),
               chip({2}, "vanilla", 4, {{"run.overlap", "\"local-first\""}, {"model.hidden", "64"}})}) ==
        QStringList{"#1 overlap=none", "#2 overlap=local-first"});
  CHECK(names({chip({1}, "vanilla", 4), chip({1}, "vanilla", 4, {}, "/s/b.db")}) ==
        QStringList{"a.db #1", "b.db #1"});
}

TEST_CASE("seeds, results and what is named in other words are no part of a chip's settings", "[scene]") {
  CHECK(names({chip({1}, "vanilla", 4,
                    {{"training.seed", "1"}, {"result.orders", "x"}, {"run.method", "\"vanilla\""}}),
               chip({2}, "pipegcn", 4, {{"training.seed", "2"}, {"run.method", "\"pipegcn\""}})}) ==
        QStringList{"#1 vanilla", "#2 pipegcn"});
}

TEST_CASE("what only one method has is no part of a name, unless two runs of it differ in it", "[scene]") {
  const ChipFacts vanilla = chip({1}, "vanilla", 4, {{"run.overlap", "\"none\""}});
  const ChipFacts deep = chip({2}, "pipegcn", 4, {{"run.depth", "2"}});
  CHECK(names({vanilla, deep}) == QStringList{"#1 vanilla", "#2 pipegcn"});
  CHECK(names({vanilla, deep, chip({3}, "pipegcn", 4, {{"run.depth", "3"}})}) ==
        QStringList{"#1 vanilla", "#2 pipegcn depth=2", "#3 pipegcn depth=3"});
}

TEST_CASE("keys that end alike are named in full, and many settings are counted", "[scene]") {
  CHECK(names({chip({1}, "sar", 2, {{"a.bits", "1"}, {"b.bits", "2"}}),
               chip({2}, "sar", 2, {{"a.bits", "3"}, {"b.bits", "4"}})}) ==
        QStringList{"#1 a.bits=1 b.bits=2", "#2 a.bits=3 b.bits=4"});
  std::map<std::string, std::string> parameters, otherParameters;
  for (const char* key : {"k.a", "k.b", "k.c", "k.d", "k.e"})
    parameters[key] = "1", otherParameters[key] = "2";
  CHECK(names({chip({1}, "sar", 2, parameters), chip({2}, "sar", 2, otherParameters)}).front() ==
        "#1 a=1 b=1 c=1 and 2 more");
}

TEST_CASE("what only simulations have is no part of a name, unless two of them differ in it", "[scene]") {
  const ChipFacts trained = chip({1}, "vanilla", 4, {{"model.hidden", "64"}});
  const ChipFacts replay = chip({2}, "vanilla", 4, {{"simulate.cores", "0"}, {"simulate.link", "\"none\""}});
  const ChipFacts other = chip({3}, "vanilla", 4, {{"simulate.cores", "0"}, {"simulate.link", "\"10gbe\""}});
  CHECK(names({trained, replay}) == QStringList{"#1", "#2"});
  CHECK(names({trained, replay, other}) == QStringList{"#1", "#2 link=none", "#3 link=10gbe"});
}

TEST_CASE("a table whose keys tell chips apart is not named as a whole", "[scene]") {
  const ChipFacts slow = chip({1}, "vanilla", 2,
                              {{"cluster.link", "{ bandwidth_gbit = 0.4, latency_us = 50.0 }"},
                               {"cluster.link.bandwidth_gbit", "0.4"},
                               {"cluster.link.latency_us", "50.0"}});
  const ChipFacts fast = chip({2}, "vanilla", 2,
                              {{"cluster.link", "{ bandwidth_gbit = 1.0, latency_us = 50.0 }"},
                               {"cluster.link.bandwidth_gbit", "1.0"},
                               {"cluster.link.latency_us", "50.0"}});
  const ChipFacts plain = chip({3}, "vanilla", 2, {{"cluster.link", "\"none\""}});
  CHECK(names({slow, fast}) == QStringList{"#1 bandwidth_gbit=0.4", "#2 bandwidth_gbit=1.0"});
  CHECK(names({slow, plain}) == QStringList{"#1 bandwidth_gbit=0.4 latency_us=50.0", "#3 link=none"});
}
