// Mini-batches from the experiment file to the recording, and what of their keys is refused before.
#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/support/changed_platform.h"

using namespace halo;
using namespace halo::test;

namespace {

std::string experimentOf(const std::string& run, const std::string& more = "") {
  return "schema = 1\n[dataset]\nname = \"karate\"\n[training]\nepochs = 3\n[cluster]\nworkers = 2\n" + more +
         "[[run]]\nmethod = \"p2p-minibatch\"\n" + run;
}

}  // namespace

TEST_CASE("runs on vertex sets that workers share are recorded as predicted, and found sound", "[app]") {
  const Program haloscope;
  for (const std::string run : {"budget = 10\n", "budget = 34\nedge_weights = \"global\"\n",
                                "sampler = \"saint-node\"\nbudget = 12\naccumulation = \"fixed\"\n",
                                "budget = 9\nmodel.order = \"aggregate-first\"\n",
                                "budget = 9\nevaluation = \"sampled\"\neval_fanouts = \"3,3\"\n"}) {
    const Ended ran = haloscope({"--quiet", "run", haloscope.file("sets.toml", experimentOf(run))});
    CAPTURE(run, ran.error);
    CHECK(ran.status == 0);
  }
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
  const auto rows = jsonLines(haloscope({"show", "1", "--json"}).out);
  REQUIRE_FALSE(rows.empty());
  CHECK(holds(rows.front().dump(), "iterations_per_epoch"));
}

TEST_CASE("keys of vertex sets that cannot be are refused all at once, before anything starts", "[app]") {
  const Program haloscope;
  const auto refused = [&](const std::string& run, const std::string& more = "") {
    const Ended ended = haloscope({"run", haloscope.file("wrong.toml", experimentOf(run, more))});
    CAPTURE(run, ended.out);
    CHECK(ended.status == 2);
    return ended.error;
  };
  CHECK(holds(refused("budget = 35\n"), "run.budget: 35 is more than the 34 vertices; at most 34"));
  const std::string several = refused("sampler = \"neighbour\"\nbudget = -1\nfanouts = \"5,5\"\n");
  CHECK(holds(several, "run.sampler: 'neighbour' cannot be used; one of uniform saint-node"));
  CHECK(holds(several, "run.budget: -1 cannot be used"));
  CHECK(holds(several, "run.fanouts: `fanouts` is a key of the methods distdglv2"));
  CHECK(holds(refused("", "[model]\nkind = \"gat\"\n"), "model.kind: p2p-minibatch is not defined for gat"));
  // which nobody wrote: the place is the run's
  CHECK(holds(refused("evaluation = \"sampled\"\n"), "wrong.toml:8:"));
}

TEST_CASE("what is wrong in a platform file is told by that file and line", "[app]") {
  const Program haloscope;
  for (const std::string figure : {"", "pcie_gbps = -1.0", "pcie_gbps = 0.0"}) {
    const std::string file = changedPlatform(haloscope.folder(), "pcie_gbps = 16.0", figure);
    const Ended ended =
        haloscope({"run", haloscope.file("node.toml",
                                         "schema = 1\n[dataset]\nname = \"karate\"\n[[run]]\nmethod = "
                                         "\"hyscale\"\nplatform = \"" +
                                             file + "\"\n")});
    CAPTURE(figure, ended.error);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, file + ":"));
    CHECK(holds(ended.error, "figures.pcie_gbps: "));
  }
}
