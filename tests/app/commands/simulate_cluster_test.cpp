#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Two workers on the karate club behind an emulated link, and the same simulated.
constexpr const char* kRunAndSimulation =
    "schema = 1\nname = \"both\"\n[training]\nepochs = 3\n[cluster]\nworkers = 2\nlink = \"10gbe\"\n"
    "[[run]]\nmethod = \"vanilla\"\n"
    "[[simulate]]\ncluster = \"emulated-10gbe\"\nmethod = \"vanilla\"\nworkers = 2\n"
    "[[simulate]]\nreplay = \"last\"\n"
    "[[simulate]]\nreplay = \"last\"\nlink = { bandwidth_gbit = 0.01, latency_us = 1000.0 }\n"
    "[[simulate]]\nreplay = 1\nrank_speed = \"0:0.001, 1:0.001\"\n";

std::string simulation(const std::string& keys) { return "schema = 1\n[[simulate]]\n" + keys; }

}  // namespace

TEST_CASE("a cluster's bytes are those that a run counts, and the run replays", "[app][cluster]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.file("both.toml", kRunAndSimulation)});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  const auto trained = runs.latest(1), simulated = runs.latest(2), replayed = runs.latest(3),
             slowLink = runs.latest(4), slowWorkers = runs.latest(5);
  CHECK(simulated.at("bytes_per_epoch") == trained.at("predicted_bytes_per_epoch"));
  CHECK(simulated.at("bytes_per_epoch") == trained.at("bytes_per_epoch"));
  CHECK(replayed.at("bytes_per_epoch") == trained.at("bytes_per_epoch"));
  CHECK(simulated.at("messages_per_epoch") == trained.at("messages_per_epoch"));
  const double parts = simulated.at("simulated_sparse_seconds") + simulated.at("simulated_dense_seconds") +
                       simulated.at("simulated_pack_seconds") + simulated.at("simulated_quantise_seconds") +
                       simulated.at("simulated_wait_seconds") + simulated.at("simulated_reduce_seconds") +
                       simulated.at("simulated_idle_seconds");
  CHECK(parts == Approx(simulated.at("epoch_seconds")));
  CHECK(simulated.at("simulated_efficiency") == Approx(simulated.at("simulated_speedup") / 2));
  CHECK(replayed.at("replayed_epoch_seconds") > 0);
  CHECK(slowLink.at("epoch_seconds") > replayed.at("epoch_seconds"));
  CHECK(slowWorkers.at("epoch_seconds") > replayed.at("epoch_seconds"));

  const auto row = runs.find(2);
  CHECK(row->kind == "simulation");
  CHECK(row->method == "vanilla");
  CHECK(row->marks.find("extrapolated") == std::string::npos);
  CHECK(runs.parameters(2).at("result.plan") == "counted");
  CHECK(runs.parameters(2).at("result.engine") == "events");
  CHECK(runs.parameters(2).at("machine.gb_per_s.source").find("derived: ") == 0);
  CHECK(runs.parameters(3).at("result.plan") == "recorded");
  CHECK(runs.parameters(3).at("result.run") == "1");
  // lanes of both ranks: what they do, and what travels to them
  const auto workers = runs.workers(2);
  REQUIRE(workers.size() == 2);
  CHECK(workers[0].vertices + workers[1].vertices == 34);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const auto spans = Spans(database).all(2, rank);
    const auto has = [&](Name name) {
      return std::ranges::any_of(spans, [&](const Span& span) { return span.name == name; });
    };
    CHECK(has(Name::aggregate));
    CHECK(has(Name::receive));
    CHECK(has(Name::allReduce));
    for (const Span& span : spans)
      CHECK(static_cast<double>(span.endNs()) <= 1.001e9 * simulated.at("epoch_seconds"));
  }
  CHECK(runs.artifact(2, "ranks")->bytes.find("rank,rows,entries,memory_bytes,") == 0);
  const Ended details = haloscope({"show", "2"});
  CHECK(holds(details.out, "speedup over one worker"));
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("of methods whose epochs differ the mean is simulated and replayed that is measured",
          "[app][cluster]") {
  const std::string keys =
      GENERATE("method = \"sancus\"\ninterval = 1\n", "method = \"sancus\"\ninterval = 2\n",
               "method = \"sancus\"\ninterval = 4\n", "method = \"sancus\"\npolicy = \"age\"\ninterval = 4\n",
               "method = \"distgnn\"\ndelay = 0\n", "method = \"distgnn\"\ndelay = 1\n",
               "method = \"distgnn\"\ndelay = 3\n");
  CAPTURE(keys);
  const bool ages = keys.find("age") != std::string::npos;
  const std::string epochs = keys.find("sancus") != std::string::npos ? "8" : "6";
  const Program haloscope;
  const Ended ended =
      haloscope({"run", haloscope.file("cycle.toml",
                                       "schema = 1\n[training]\nepochs = " + epochs +
                                           "\n[cluster]\nworkers = 2\nlink = \"10gbe\"\n[[run]]\n" + keys +
                                           "[[simulate]]\ncluster = \"emulated-10gbe\"\nworkers = 2\n" +
                                           keys + "[[simulate]]\nreplay = 1\n")});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  const auto trained = runs.latest(1), simulated = runs.latest(2), replayed = runs.latest(3);
  for (const char* volume : {"bytes_per_epoch", "messages_per_epoch"}) {
    if (!ages)
      CHECK(simulated.at(volume) == Approx(trained.at(volume)));  // there all send in the first epoch
    CHECK(replayed.at(volume) == Approx(simulated.at(volume)));
  }
}

TEST_CASE("mini-batches of a cluster send what a run of them counts", "[app][cluster]") {
  const auto* method = GENERATE("minibatch", "distdglv2", "p3", "pagraph");
  CAPTURE(method);
  // all neighbours and seeds in order: every epoch sends the same
  const std::string keys =
      std::string("method = \"") + method + "\"\nfanouts = \"all,all\"\nshuffle = false\nbatch = 5\n";
  const Program haloscope;
  const Ended ended = haloscope(
      {"run",
       haloscope.file("batches.toml",
                      "schema = 1\n[training]\nepochs = 3\n[cluster]\nworkers = 2\nlink = \"10gbe\"\n"
                      "[[run]]\n" +
                          keys + "[[simulate]]\ncluster = \"emulated-10gbe\"\nworkers = 2\ndraws = 1000\n" +
                          keys)});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  const auto trained = runs.latest(1), simulated = runs.latest(2);
  for (const char* figure : {"bytes_per_epoch", "messages_per_epoch", "iterations_per_epoch"})
    CHECK(simulated.at(figure) == Approx(trained.at(figure)));
  CHECK(simulated.at("iterations_per_epoch") > 1);
  CHECK(simulated.at("epoch_seconds") > 0);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("vertex sets of a cluster send what a run of them counts", "[app][cluster]") {
  const std::string sampler = GENERATE("uniform", "saint-node");
  CAPTURE(sampler);
  const std::string keys = "method = \"p2p-minibatch\"\nsampler = \"" + sampler + "\"\nbudget = 34\n";
  const Program haloscope;
  // a set of all vertices is the same in every epoch; others are drawn anew
  const bool same = sampler == "uniform";
  const Ended ended = haloscope(
      {"run",
       haloscope.file("sets.toml",
                      "schema = 1\n[training]\nepochs = 2\n[cluster]\nworkers = 2\nlink = \"10gbe\"\n"
                      "[[run]]\n" +
                          keys + "[[simulate]]\ncluster = \"emulated-10gbe\"\nworkers = 2\ndraws = 1000\n" +
                          keys)});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  const auto trained = runs.latest(1), simulated = runs.latest(2);
  for (const char* figure : {"bytes_per_epoch", "messages_per_epoch", "iterations_per_epoch"})
    CHECK(simulated.at(figure) == Approx(trained.at(figure)).epsilon(same ? 1e-9 : 0.3));
  CHECK(simulated.at("epoch_seconds") > 0);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("mini-batches of two thousand workers are simulated, of vertices that these own by chance",
          "[app][cluster]") {
  const auto* method = GENERATE("minibatch", "p3", "p2p-minibatch");
  CAPTURE(method);
  const Program haloscope;
  const Ended ended = haloscope(
      {"run", haloscope.file("many.toml", simulation("cluster = \"a64fx-tofu\"\nmethod = \"" +
                                                     std::string(method) + "\"\nworkers = 2000\n"))});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  CHECK(runs.parameters(1).at("result.plan_source") == "expected");
  CHECK(runs.latest(1).at("epoch_seconds") > 0);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("what of mini-batches cannot be laid out in steps is refused", "[app][cluster]") {
  const Program haloscope;
  const auto refused = [&](const std::string& keys) {
    const Ended ended = haloscope(
        {"run", haloscope.file("no.toml", simulation("cluster = \"emulated-10gbe\"\nbatch = 5\n" + keys))});
    CHECK(ended.status == 2);
    return ended.error;
  };
  CHECK(holds(refused("method = \"minibatch\"\nworkers = 2\nfanouts = \"2,2\"\ngraph = \"papers100m\"\n"),
              "counted, on a data set"));
  CHECK(holds(refused("method = \"minibatch\"\nworkers = 2000\nfanouts = \"2,2\"\nplan = \"counted\"\n"),
              "at most 1024"));
  CHECK(holds(refused("method = \"minibatch\"\nworkers = 2\nfanouts = \"2,2,2\"\n"), "fanouts"));
}

TEST_CASE("what values decide is marked a bound", "[app][cluster]") {
  const Program haloscope;
  const Ended ended = haloscope(
      {"simulate", haloscope.file("bound.toml", simulation("cluster = \"emulated-10gbe\"\nmethod = "
                                                           "\"sancus\"\npolicy = \"variation\"\n"))});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  CHECK(Runs(database).find(1)->marks.find("bound(every block sent)") != std::string::npos);
}

TEST_CASE("thousands of workers are extrapolated, and marked", "[app][cluster]") {
  const Program haloscope;
  const std::string file =
      haloscope.file("wide.toml",
                     "schema = 1\n[model]\nkind = \"graphsage\"\nlayers = 3\nhidden = 128\n"
                     "[[simulate]]\ncluster = \"a64fx-tofu\"\nmethod = \"pipegcn\"\ngraph = \"papers100m\"\n"
                     "workers = [8, 8192]\nsensitivity = 2.0\n");
  const Ended ended = haloscope({"simulate", file});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  REQUIRE(runs.all().size() == 2);
  CHECK(runs.find(1)->marks.find("extrapolated(expected)") != std::string::npos);
  CHECK(runs.find(1)->marks.find("over 8 GB of memory") !=
        std::string::npos);  // 111 million rows on 8 workers
  CHECK(runs.find(2)->marks.find("of memory") == std::string::npos);
  CHECK(runs.latest(1).at("simulated_over_memory") == 1);
  const auto fewWorkers = runs.latest(1), manyWorkers = runs.latest(2);
  CHECK(manyWorkers.at("simulated_speedup") > fewWorkers.at("simulated_speedup"));
  CHECK(manyWorkers.at("simulated_efficiency") < fewWorkers.at("simulated_efficiency"));
  CHECK(manyWorkers.at("simulated_faster_compute_seconds") <= manyWorkers.at("epoch_seconds"));
  CHECK(manyWorkers.at("simulated_slower_bandwidth_seconds") >= manyWorkers.at("epoch_seconds"));
  CHECK(runs.parameters(2).at("result.engine") == "bulk");
  CHECK(runs.workers(2).size() == 1);  // one lane: the slowest rank of each step
}

TEST_CASE("what a cluster cannot do is refused by its key", "[app][cluster]") {
  struct Case {
    const char *keys, *says;
  };
  const auto wrong = GENERATE(
      Case{"cluster = \"a64fx\"\n",
           "'a64fx' is no cluster of this version; one of a64fx-tofu edr-infiniband"},
      Case{"cluster = \"\"\n", "no cluster; one of"},
      Case{"cluster = \"ethernet-10g\"\nmethod = \"vanila\"\n",
           "'vanila' is not a method; did you mean 'vanilla'?"},
      Case{"cluster = \"ethernet-10g\"\nworkers = 0\n", "0 cannot be used"},
      Case{"cluster = \"ethernet-10g\"\nworkers = 600\n", "600 workers do not fit ethernet-10g"},
      Case{"cluster = \"ethernet-10g\"\nengine = \"event\"\n",
           "'event' cannot be used; one of auto bulk events flows"},
      Case{"cluster = \"a64fx-tofu\"\nengine = \"events\"\nworkers = 2048\n",
           "'events' follows every message, of at most 1024 workers, and there are 2048; bulk"},
      Case{"cluster = \"a64fx-tofu\"\nengine = \"flows\"\nworkers = 600\n", "of at most 512 workers"},
      Case{"cluster = \"ethernet-10g\"\nengine = \"flows\"\n", "advances transfers by polls or waits"},
      Case{"cluster = \"a64fx-tofu\"\nengine = \"flows\"\nmachine.overlap_slowdown = 1.5\n",
           "slows work beside transfers; use engine events"},
      Case{"cluster = \"a64fx-tofu\"\nengine = \"flows\"\nmachine.cores_per_node = 2\n",
           "workers share cores; use engine events"},
      Case{"cluster = \"a64fx-tofu\"\ngraph = \"reddit\"\nengine = \"events\"\n",
           "a plan that is expected has sums of each worker only"},
      Case{"cluster = \"a64fx-tofu\"\ngraph = \"reddit\"\nplan = \"counted\"\n",
           "'counted' needs a graph that is at hand"},
      Case{"cluster = \"a64fx-tofu\"\ngraph = \"redit\"\n", "'redit' is no graph with published figures"},
      Case{"cluster = \"a64fx-tofu\"\nplan = \"counted\"\nworkers = 2048\n", "at most 1024, or plan summed"},
      Case{"cluster = \"a64fx-tofu\"\nplan = \"fitted\"\nworkers = 8\n", "8 are too few to fit"},
      Case{"cluster = \"a64fx-tofu\"\nhalo_rows = 5\n", "stands for what a plan that is expected finds"},
      Case{"cluster = \"a64fx-tofu\"\ngraph = \"reddit\"\nmethod = \"mop\"\nhalo_rows = 5\n",
           "exchanges columns or whole blocks, no halo rows"},
      Case{"cluster = \"a64fx-tofu\"\nmethod = \"mop\"\nworkers = 64\n", "at most 34 slices"},
      Case{"cluster = \"a64fx-tofu\"\nmethod = \"mop\"\nworkers = 200\ngraph = \"papers100m\"\nmodel.hidden "
           "= 256\n",
           "the number of input features is 128; at most 128 slices"},
      Case{"cluster = \"a64fx-tofu\"\nmethod = \"single\"\n", "single trains on one worker"},
      Case{"cluster = \"a64fx-tofu\"\nmethod = \"dorylus\"\n", "dorylus has volumes but no time here"},
      Case{"cluster = \"a64fx-tofu\"\nmethod = \"distgnn\"\nworkers = 2048\n",
           "distgnn's messages depend on more"},
      Case{"cluster = \"a64fx-tofu\"\nmethod = \"distgnn\"\ngraph = \"reddit\"\n", "have no closed form"},
      Case{"cluster = \"a64fx-tofu\"\nmachine.gb_per_s = 0.0\n", "0 cannot be used; a number from 1e-06"},
      Case{"cluster = \"a64fx-tofu\"\nmachine.gbps = 1.0\n", "unknown key"},
      Case{"cluster = \"a64fx-tofu\"\nmachine.dims = \"2x2\"\n", "hold 4 nodes, and the machine has 158976"},
      Case{"cluster = \"a64fx-tofu\"\ndepth = 2\n", "`depth` is a key of the methods minibatch and pipegcn"},
      Case{"replay = \"first\"\n", "'first' cannot be used; the number of a run"},
      Case{"replay = 0\n", "'0' cannot be used"},
      Case{"replay = \"01\"\n", "'01' cannot be used; the number of a run"},
      Case{"replay = \"last\"\nrank_speed = \"03:0.5\"\n", "'03:0.5' cannot be used; WORKER:FACTOR"},
      Case{"replay = \"last\"\nrank_speed = \"3\"\n", "'3' cannot be used; WORKER:FACTOR"},
      Case{"replay = \"last\"\nrank_speed = \"3:0\"\n", "WORKER:FACTOR with a factor from 0.001 to 1000"},
      Case{"replay = \"last\"\nrank_speed = \"0:1, 0:2\"\n", "names worker 0 twice"},
      Case{"replay = \"last\"\nbits = 33\n", "33 cannot be used; a number from 0 to 32"},
      Case{"replay = \"last\"\noverlap = \"own\"\n", "'own' cannot be used"},
      Case{"replay = \"last\"\nlink = \"11gbe\"\n", "'11gbe' cannot be used"},
      Case{"replay = \"last\"\ncores = 2\nengine = \"flows\"\n", "'flows' has a core for every worker"},
      Case{"replay = \"last\"\nlook_us = 5.0\nengine = \"bulk\"\n", "is known to engine events alone"},
      Case{"replay = \"last\"\nworkers = 4\n",
           "`workers` is a key of [cluster] and [[simulate]] with cluster"});
  const Program haloscope;
  const Ended ended = haloscope({"simulate", haloscope.file("wrong.toml", simulation(wrong.keys))});
  CAPTURE(wrong.keys, ended.error);
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, wrong.says));
}

TEST_CASE("replays say what is missing, and damaged ledgers end with status 4", "[app][cluster]") {
  const Program haloscope;
  const std::string replay = haloscope.file("replay.toml", simulation("replay = \"last\"\n"));
  const Ended none = haloscope({"simulate", replay});
  CHECK(none.status == 2);
  CHECK(holds(none.error, "replay.toml:3:10: simulate.replay: "));
  CHECK(holds(none.error, "has no run that could be simulated; `haloscope run` records one"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  REQUIRE(haloscope({"run", haloscope.experiment(2, 2)}).status == 0);
  const Ended linkless = haloscope({"simulate", replay});
  CHECK(linkless.status == 2);
  CHECK(holds(linkless.error,
              "replay.toml:2:1: simulate.link: run 1 had no emulated link whose figures are known, and no "
              "cluster.wire between hosts of equally many workers; name one in link"));
  const std::string other = haloscope.file("other.toml", simulation("replay = \"last\"\nlink = \"10gbe\"\n"));
  CHECK(haloscope({"simulate", other}).status == 0);
  const std::string file =
      haloscope.file("few.toml", simulation("replay = \"last\"\nlink = \"10gbe\"\nrank_speed = \"2:3\"\n"));
  const Ended missing = haloscope({"simulate", file, "--dry-run"});
  CHECK(missing.status == 2);
  CHECK(holds(missing.error,
              "few.toml:5:14: simulate.rank_speed: worker 2 is none of run 1, which has 2, from 0"));
  const std::string absent = haloscope.file("absent.toml", simulation("replay = 40\n"));
  CHECK(holds(haloscope({"simulate", absent, "--dry-run"}).error,
              "absent.toml:3:10: simulate.replay: run 40 is not in recordings.db; see `haloscope list`"));
  const std::string second = haloscope.file("second.toml", simulation("replay = 2\nlink = \"10gbe\"\n"));
  CHECK(holds(haloscope({"simulate", second}).error, "run 2 is a simulation; replayed is what trained"));
  {
    Database database(haloscope.folder() / "recordings.db", Access::readWrite);
    database.execute("UPDATE message SET source = 7 WHERE source = 1 AND target = 0");
  }
  const Ended damaged = haloscope({"simulate", other});
  CHECK(damaged.status == 4);
  CHECK(holds(damaged.error, "source 7 of a run with 2 workers; 0 to 1"));
}

TEST_CASE("ranks that shared a card in a run share it in its replay", "[app][cluster]") {
  const Program haloscope;
  const std::string link = "{ bandwidth_gbit = 0.01, latency_us = 50.0";
  REQUIRE(
      haloscope({"--quiet", "run",
                 haloscope.experiment(4, 4, "link = " + link + ", per = \"host\", ranks_per_host = 2 }\n")})
          .status == 0);
  const Ended cores =
      haloscope({"simulate", haloscope.file("cores.toml", simulation("replay = 1\ncores = 2\n"))});
  CHECK(cores.status == 2);
  CHECK(holds(cores.error, "simulate.cores: are of one host, and the workers of run 1 were on several"));
  const Ended ended = haloscope({"simulate", haloscope.file("shared.toml", simulation("replay = 1\n"))});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  REQUIRE(
      haloscope({"simulate", haloscope.file("own.toml", simulation("replay = 1\nlink = " + link + " }\n"))})
          .status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const auto secondsOf = [&](std::int64_t run) { return Runs(database).latest(run).at("epoch_seconds"); };
  const double least = Runs(database).latest(1).at("wire_bytes_per_epoch") * 8 / 0.01e9;
  CHECK(secondsOf(2) >= least);
  CHECK(secondsOf(3) != secondsOf(2));  // where messages within a host take the wire too
}

TEST_CASE("a replay is of the run that it names, also for --resume", "[app][cluster]") {
  const Program haloscope;
  const std::string replay =
      haloscope.file("replay.toml", simulation("replay = \"last\"\nlink = \"10gbe\"\n"));
  REQUIRE(haloscope({"run", haloscope.experiment(2, 2)}).status == 0);
  REQUIRE(haloscope({"simulate", replay, "--resume"}).status == 0);
  const Ended again = haloscope({"simulate", replay, "--resume"});
  CHECK(again.status == 0);
  CHECK(holds(again.error, "already done as run 2"));
  {
    Database database(haloscope.folder() / "recordings.db", Access::readOnly);
    const Runs runs(database);
    const auto trained = runs.find(1), row = runs.find(2);
    REQUIRE(row);
    CHECK(row->method == trained->method);
    CHECK(row->dataset == trained->dataset);
    CHECK(row->model == trained->model);
    CHECK(holds(row->name, " / run 1"));
    CHECK(runs.parameters(2).at("simulate.replay") == "\"1\"");
  }
  REQUIRE(haloscope({"run", haloscope.experiment(3, 2)}).status == 0);
  REQUIRE(haloscope({"simulate", replay, "--resume"}).status == 0);  // of another run now
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  REQUIRE(runs.all().size() == 4);
  CHECK(runs.parameters(4).at("result.run") == "3");
}

TEST_CASE("a replay of a run that is still to come waits for it", "[app][cluster]") {
  const Program haloscope;
  const std::string both =
      haloscope.file("both.toml",
                     "schema = 1\n[training]\nepochs = 2\n[cluster]\nworkers = 2\nlink = \"10gbe\"\n[[run]]\n"
                     "method = \"vanilla\"\n[[simulate]]\nreplay = \"last\"\n");
  CHECK(haloscope({"run", both, "--dry-run"}).status == 0);
  REQUIRE(haloscope({"run", both}).status == 0);
  const Ended again = haloscope({"run", both, "--resume"});
  CHECK(holds(again.error, "already done as run 2"));
  CHECK(holds(again.error, "nothing left to run"));
}
