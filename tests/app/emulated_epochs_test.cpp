// What a recording says of epochs over an emulated link is what the link could have carried.
#include <catch2/catch.hpp>

#include "engine/record/epochs.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("no epoch over an emulated link is shorter than its bytes, whatever is done between epochs",
          "[app]") {
  const Program haloscope;
  std::string runs;
  for (const char* method : {"vanilla", "pipegcn", "sar", "bns", "supergcn", "sancus", "p2p", "cagnet", "mop",
                             "moa", "adaqp", "distgnn", "dgcl", "dorylus", "neutronstar"})
    runs += std::string("[[run]]\nmethod = \"") + method + "\"\n";
  runs += "[[run]]\nmethod = \"pipegcn\"\ndepth = 3\n";
  const std::string file = haloscope.file(
      "slow.toml",
      "schema = 1\n[model]\norder = \"aggregate-first\"\n[training]\nepochs = 12\nevaluate_every = 1\n"
      "[record]\nstaleness = 2\nspans = \"all\"\n"
      "[cluster]\nworkers = 2\nlink = { bandwidth_gbit = 0.01, latency_us = 50.0 }\n" +
          runs);
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
}

TEST_CASE("a run whose epochs all fill the pipeline is sound, though it has no times", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("short.toml",
                                          "schema = 1\n[training]\nepochs = 2\n[cluster]\nworkers = 2\n"
                                          "[[run]]\nmethod = \"pipegcn\"\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CHECK(ran.status == 0);
  CHECK(holds(ran.error, "all its epochs fill the pipeline"));
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
}

TEST_CASE("ranks that share a card learn the same, and take the time that their hosts' bytes take", "[app]") {
  const Program haloscope;
  std::string runs;
  const std::vector<std::string> methods = {"vanilla", "pipegcn", "mop"};
  for (const std::string& method : methods) runs += "[[run]]\nmethod = \"" + method + "\"\n";
  const auto ran = [&](const std::string& cards) {
    const std::string file = haloscope.file("cards.toml",
                                            "schema = 1\n[training]\nepochs = 4\n[cluster]\nworkers = 4\n"
                                            "link = { bandwidth_gbit = 0.01, latency_us = 50.0" +
                                                cards + " }\n" + runs);
    const Ended ended = haloscope({"--quiet", "run", file});
    CAPTURE(ended.error);
    REQUIRE(ended.status == 0);
  };
  ran("");
  ran(", per = \"host\", ranks_per_host = 2");
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const auto lossesOf = [&](std::size_t run) {
    std::vector<double> losses;
    for (const EpochRow& epoch : Epochs(database).epochs(static_cast<std::int64_t>(run)))
      losses.push_back(epoch.loss);
    return losses;
  };
  for (std::size_t run = 1; run <= methods.size(); ++run) {
    CAPTURE(methods[run - 1]);
    CHECK(lossesOf(run).size() == 4);
    CHECK(lossesOf(run) == lossesOf(run + methods.size()));
  }
}
