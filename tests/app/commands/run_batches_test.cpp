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

namespace {

/// Two runs of their own seeds on three workers, each with a key that the training vertices do not allow.
std::string ofOwnSeeds(const std::string& first, const std::string& second) {
  return "schema = 1\n[dataset]\nname = \"karate\"\n[training]\nepochs = 3\n[cluster]\nworkers = 3\n"
         "[[run]]\nmethod = \"minibatch\"\n" +
         first + "\n[[run]]\nmethod = \"p3\"\n" + second + "\n";
}

int timesIn(const std::string& text, const std::string& words) {
  int times = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++times;
  return times;
}

}  // namespace

TEST_CASE("what the data do not allow is told at its line, once, all at once, before anything starts",
          "[app]") {
  const Program haloscope;
  const auto refused = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run", haloscope.file("wrong.toml", text)};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = haloscope(words);
    CAPTURE(text, ended.out, ended.error);
    CHECK(ended.status == 2);
    CHECK(jsonLines(haloscope({"list", "--json"}).out).empty());
    return ended.error;
  };
  const std::string tooLarge = "run.batch: 100 is more than the ";
  const std::string both = refused(ofOwnSeeds("batch = 100", "batch = 100"));
  CHECK(holds(both, "wrong.toml:10:9: " + tooLarge));
  CHECK(holds(both, "wrong.toml:13:9: " + tooLarge));
  CHECK(timesIn(both, "run.batch: ") == 2);
  // of several runs of a line it is one problem
  CHECK(timesIn(refused(ofOwnSeeds("batch = 100", "batch = 1") + "[sweep]\n\"training.seed\" = [1, 2, 3]\n"),
                "run.batch: ") == 1);
  CHECK(holds(refused(ofOwnSeeds("batch = 1", "batch = 1"), {"--set", "run.batch=100"}),
              "--set run.batch: 100 is more than the "));
  // which parts have how many training vertices is found out beforehand, too
  const std::string nothing =
      "no iteration is left: no worker has 20 training vertices; a smaller batch, or "
      "drop_last = false";
  const std::string left =
      refused(ofOwnSeeds("batch = 20\ndrop_last = true", "batch = 20\ndrop_last = true"));
  CHECK(holds(left, "wrong.toml:11:13: run.drop_last: " + nothing));
  CHECK(holds(left, "wrong.toml:15:13: run.drop_last: " + nothing));
  CHECK(timesIn(left, "run.drop_last: ") == 2);
}

TEST_CASE("own batches that some worker fills are trained, if others have fewer training vertices", "[app]") {
  const Program haloscope;
  const Ended ran = haloscope({"--quiet", "run",
                               haloscope.file("fills.toml", ofOwnSeeds("batch = 7\ndrop_last = true",
                                                                       "batch = 5\ndrop_last = true"))});
  CAPTURE(ran.error);
  CHECK(ran.status == 0);
}

TEST_CASE("caches that no device has, and fan-outs of the wrong length, are told at their line", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope(
      {"run",
       haloscope.file("wrong.toml",
                      "schema = 1\n[dataset]\nname = \"karate\"\n[model]\nlayers = 3\n[[run]]\nmethod = "
                      "\"pagraph\"\ncache_mb = 100000\nfanouts = \"25,10\"\n")});
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "wrong.toml:8:12: run.cache_mb: 100000 is more than device_mb leaves beside "));
  CHECK(holds(ended.error, "wrong.toml:9:11: run.fanouts: '25,10' has 2 numbers, and the model 3 layers; "));
  CHECK(timesIn(ended.error, "run.fanouts: ") == 1);
  CHECK(timesIn(ended.error, "run.cache_mb: ") == 1);
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
