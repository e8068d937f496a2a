// What a recording says of epochs over an emulated link is what the link could have carried.
#include <catch2/catch.hpp>

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
