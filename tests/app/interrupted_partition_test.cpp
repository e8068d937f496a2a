// A signal while a graph is divided ends the program at once, whatever library is at work.
#include <signal.h>

#include <catch2/catch.hpp>

#include "engine/base/clock.h"
#include "tests/app/program.h"
#include "tests/support/descendants.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a partition that is interrupted ends by the signal, wherever it was", "[app][partition]") {
  const Program haloscope;
  const std::string graph = haloscope.file("graph.txt", edgeList(randomArcs(1500, 6000, 17)));
  // how it divides: the last two draw batches, and refine by their rows or by their closed form
  const std::vector<std::string> way = GENERATE(values<std::vector<std::string>>(
      {{"connectivity"},
       {"stochastic-hypergraph", "--set", "batch_vertices=300", "--set", "batches=400"},
       {"stochastic-hypergraph", "--set", "batch_vertices=300", "--set", "objective=expected"}}));
  CAPTURE(way);
  std::vector<std::string> words = {"partition", graph, "--parts", "16", "--method"};
  words.insert(words.end(), way.begin(), way.end());
  const auto command = Program::command(words);
  const std::int64_t begin = wallNs();
  REQUIRE(run(command, haloscope.environment(), haloscope.folder()).status == 0);
  const std::int64_t durationNs = wallNs() - begin;
  constexpr int kMoments = 24;
  int interrupted = 0;
  for (int moment = 1; moment < kMoments; ++moment) {
    CAPTURE(moment);
    const std::int64_t due = wallNs() + durationNs * moment / kMoments;
    Process process(command, haloscope.environment(), haloscope.folder());
    while (wallNs() < due) continue;
    process.signal(SIGTERM);
    const Ended ended = process.wait();
    CAPTURE(ended.error);
    CHECK((ended.status == 128 + SIGTERM || ended.status == 0));  // 0: it was faster this time
    interrupted += ended.status == 0 ? 0 : 1;
  }
  CHECK(interrupted > 0);
}

TEST_CASE("a run that is stopped twice while its graph is divided by drawn batches ends at once, cancelled",
          "[app][partition]") {
  const Program haloscope;
  // far longer than this test, in every part of it
  const std::string file =
      haloscope.file("divides.toml",
                     "schema = 1\n[dataset]\nname = \"products-like\"\nscale = 0.02\n[cluster]\nworkers = 2\n"
                     "[partition]\nmethod = \"stochastic-hypergraph\"\nbatches = 100000\n[[run]]\nmethod = "
                     "\"p2p-minibatch\"\n");
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"start\""));
  for (int i = 0; i < 2; ++i) {
    process.signal(SIGINT);
    while (pending(process.id(), SIGINT)) continue;
  }
  CHECK(process.wait().status == 128 + SIGINT);
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "cancelled");
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a partition whose library is killed ends with a message", "[app][partition]") {
  const Program haloscope;
  const std::string graph = haloscope.file("graph.txt", edgeList(randomArcs(100'000, 600'000, 5)));
  Process process(Program::command({"partition", graph, "--parts", "4", "--method", "metis"}),
                  haloscope.environment(), haloscope.folder());
  pid_t library = 0;  // the one below the one below this one
  for (const std::int64_t until = wallNs() + 60'000'000'000; library == 0 && wallNs() < until;)
    for (const auto& [pid, name] : descendants())
      for (const auto& [below, its] : descendants(pid)) library = below;
  REQUIRE(library != 0);
  REQUIRE(::kill(library, SIGKILL) == 0);
  const Ended ended = process.wait();
  CHECK(ended.status == 5);
  CHECK(ended.error.find("METIS: its process was ended by a signal") != std::string::npos);
}
