// Shares of an epoch's time, as `show --json` has them.
#include <catch2/catch.hpp>

#include "tests/app/program.h"

using halo::test::jsonLines;
using halo::test::Program;

TEST_CASE("computing, quantising, waiting, other and idle time are all of an epoch, each its own", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "shares.toml",
      "schema = 1\nname = \"shares\"\n[dataset]\nname = \"karate\"\n[training]\nepochs = 4\n[cluster]\n"
      "workers = 2\n[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = "
      "\"minibatch\"\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  for (const char* run : {"1", "2", "3"}) {
    CAPTURE(run);
    const auto latest = jsonLines(haloscope({"show", run, "--json"}).out).at(0).at("latest");
    const auto share = [&](const char* name) { return latest.at(name).get<double>(); };
    CHECK(share("other_share") >= 0);
    CHECK(share("idle_share") > 0);
    CHECK(share("rest_share") == Approx(share("other_share") + share("idle_share")));
    CHECK(share("compute_share") + share("quantise_share") + share("exchange_wait_share") +
              share("synchronise_share") + share("other_share") + share("idle_share") ==
          Approx(1));
  }
}
