#include <catch2/catch.hpp>

#include <set>

#include "engine/base/fingerprint.h"
#include "tests/engine/experiment/known.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

std::vector<std::string> names(const Experiment& e) {
  std::vector<std::string> all;
  for (const RunSettings& run : e.runs) all.push_back(run.name);
  return all;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("runs are every table times the sweep times the repeats, in the order of the file",
          "[experiment]") {
  const Experiment e = parse(R"(
schema = 1
[training]
repeat = 2
seed = 5
[[run]]
method = "vanilla"
[[run]]
method = "pipegcn"
decay = 0.5
[sweep]
"cluster.workers" = [2, 4]
)");
  CHECK(names(e) == Names{"a / vanilla / workers=2 / seed=5", "a / vanilla / workers=2 / seed=6",
                          "a / vanilla / workers=4 / seed=5", "a / vanilla / workers=4 / seed=6",
                          "a / pipegcn / workers=2 / decay=0.5 / seed=5",
                          "a / pipegcn / workers=2 / decay=0.5 / seed=6",
                          "a / pipegcn / workers=4 / decay=0.5 / seed=5",
                          "a / pipegcn / workers=4 / decay=0.5 / seed=6"});
  CHECK(e.runs[3].training.seed == 6);
  CHECK(e.runs[3].cluster.workers == 4);
}

TEST_CASE("a run overrides any key, and keeps it against the sweep", "[experiment]") {
  const Experiment e = parse(R"(
schema = 1
[model]
kind = "graphsage"
[[run]]
method = "single"
cluster.workers = 1
[[run]]
method = "vanilla"
model.kind = "gin"
[sweep]
cluster.workers = [2, 4]
)");
  CHECK(names(e) == Names{"a / single / workers=1", "a / vanilla / workers=2 / kind=gin",
                          "a / vanilla / workers=4 / kind=gin"});
  CHECK(e.runs[0].model.kind == "graphsage");
  CHECK(e.runs[1].model.kind == "gin");
}

TEST_CASE("a swept parameter multiplies only the runs whose method has it", "[experiment]") {
  const Experiment e = parse(R"(
schema = 1
[[run]]
method = "vanilla"
[[run]]
method = "pipegcn"
[sweep]
"run.decay" = [0.1, 0.2]
)");
  CHECK(names(e) == Names{"a / vanilla", "a / pipegcn / decay=0.1", "a / pipegcn / decay=0.2"});
  CHECK(problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\n[sweep]\n\"run.decay\" = [0.1]") ==
        "a.toml:5:1: sweep.run.decay: `decay` is a key of the method pipegcn. Only tables with such a method "
        "have it.");
  CHECK(problemsOf("schema = 1\n[[run]]\nmethod = \"pipegcn\"\n[sweep]\n\"run.decay\" = [0.1, 3]") ==
        "a.toml:5:21: sweep.run.decay: 3 cannot be used; a number from 0 to 1");
}

TEST_CASE("a sweep names section and key and lists at least one value", "[experiment]") {
  const auto problemsWith = [](const std::string& line) {
    return problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\n[sweep]\n" + line);
  };
  CHECK(problemsWith("worms = [1]") ==
        "a.toml:5:1: sweep.worms: unknown key; write \"section.key\" = [...], for a method's "
        "parameter \"run.key\" = [...]");
  CHECK(problemsWith("workers = [1]") ==
        "a.toml:5:1: sweep.workers: unknown key; did you mean 'cluster.workers'?");
  CHECK(problemsWith("\"clutser.workers\" = [1]") ==
        "a.toml:5:1: sweep.clutser.workers: unknown key; did you mean 'cluster.workers'?");
  CHECK(problemsWith("\"cluster.workers\" = 2") ==
        "a.toml:5:21: sweep.cluster.workers: 2 cannot be swept over; a list of at least one "
        "value, like [1, 2]");
  CHECK(problemsWith("\"cluster.workers\" = []") ==
        "a.toml:5:21: sweep.cluster.workers: an empty list cannot be swept over; a list of at least "
        "one value, like [1, 2]");
  CHECK(problemsWith("\"cluster.worker\" = [1]") ==
        "a.toml:5:1: sweep.cluster.worker: unknown key; did you mean 'workers'?");
  std::string many = "schema = 1\n[[run]]\nmethod = \"vanilla\"\n[sweep]\n";
  for (const char* key : {"training.seed", "model.layers", "model.hidden", "training.epochs",
                          "cluster.workers", "dataset.seed"})
    many += "\"" + std::string(key) + "\" = [1, 2, 3, 4, 5, 6, 7, 8]\n";
  CHECK(problemsOf(many) == "a.toml: sweep: asks for 262144 runs; at most 100000");
}

TEST_CASE("repeats count among the runs that a file may ask for", "[experiment]") {
  CHECK(problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\n[training]\nrepeat = 10000\n"
                   "[sweep]\n\"model.hidden\" = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n") ==
        "a.toml: training.repeat: asks for 110000 runs in all; at most 100000");
}

TEST_CASE("more keys than all runs of a file can go through are refused at once", "[experiment]") {
  std::string keys = "schema = 1\n[partition]\n", seeds = "[sweep]\n\"training.seed\" = [0", tables;
  for (int i = 0; i < 4000; ++i) keys += "key" + std::to_string(i) + " = 1\n";
  for (int i = 1; i < 10'000; ++i) seeds += ", " + std::to_string(i);
  CHECK(problemsOf(keys + seeds + "]\n[[run]]\nmethod = \"vanilla\"\n") ==
        "a.toml: sweep: more keys than all runs can go through; fewer keys, or fewer runs");
  for (int i = 0; i < 8000; ++i) tables += "[[simulate]]\n";
  CHECK_THAT(problemsOf(keys + tables), Catch::Matchers::Contains("than all simulations can go through;"));
}

TEST_CASE("the command line has the last word over an experiment file, and is checked like it",
          "[experiment]") {
  const std::string text =
      "schema = 1\n[[run]]\nmethod = \"pipegcn\"\ncluster.workers = 3\n[sweep]\n\"training.epochs\" = [1, 2]";
  const Experiment e = parse(text, {{"training.epochs", "7"},
                                    {"cluster.workers", "2"},
                                    {"model.kind", "gin"},
                                    {"run.decay", "0.25"},
                                    {"dataset.path", "\"d\""}});
  REQUIRE(e.runs.size() == 1);
  CHECK(e.runs[0].training.epochs == 7);
  CHECK(e.runs[0].cluster.workers == 2);
  CHECK(e.runs[0].model.kind == "gin");
  CHECK(e.runs[0].parameters.real("decay") == 0.25);
  CHECK(e.runs[0].dataset.name == std::filesystem::absolute("d").string());
  CHECK(problemsOf(text,
                   {{"training.epoch", "7"}, {"epochs", "7"}, {"training.seed", "x"}, {"run.deca", "1"}}) ==
        "--set epochs: `epochs` is a key of [training]. Write training.epochs=….\n"
        "--set training.epoch: unknown key; did you mean 'epochs'?\n"
        "--set training.seed: 'x' cannot be used; a whole number from 0 to 9223372036854775807\n"
        "--set run.deca: unknown key; did you mean 'decay'?");
}

TEST_CASE("the command line replaces a method's own key where the file has it too", "[experiment]") {
  const std::string text =
      "schema = 1\n[[run]]\nmethod = \"pipegcn\"\ndecay = 0.5\n[sweep]\n\"run.decay\" = [0.1]";
  const Experiment e = parse(text, {{"run.decay", "0.25"}});
  REQUIRE(e.runs.size() == 1);
  CHECK(e.runs[0].parameters.real("decay") == 0.25);
}

TEST_CASE("the parameters of a partitioner stand in its section and are checked by its declaration",
          "[experiment]") {
  const auto with = [](const std::string& lines) {
    return "schema = 1\n[partition]\n" + lines + "\n[[run]]\nmethod = \"vanilla\"";
  };
  CHECK(parse(with("method = \"file\"\npath = \"o.txt\"")).runs[0].partition.parameters.text("path") ==
        std::filesystem::absolute("o.txt").string());
  CHECK(problemsOf(with("passes = 3")) ==
        "a.toml:3:1: partition.passes: `passes` is a key of the partitioner hypergraph. partition.method "
        "chooses the partitioner.");
  CHECK(problemsOf(with("method = \"hypergraph\"\npasses = 300")) ==
        "a.toml:4:10: partition.passes: 300 cannot be used; a whole number from 0 to 100");
  CHECK(problemsOf(with("method = \"hypergraf\"\npasses = 300")) ==
        "a.toml:3:10: partition.method: 'hypergraf' is not a partitioner; did you mean 'hypergraph'?");
}

TEST_CASE("a resolved run survives JSON, and its fingerprint names what changes results", "[experiment]") {
  const Experiment e = parse(R"(
schema = 1
name = "n \" \\ é"
[training]
learning_rate = 0.1
seed = 9223372036854775806
repeat = 2
[cluster]
launcher = "hosts"
hosts = ["a:2", "b"]
link = { bandwidth_gbit = 0.3, latency_us = 1e-7, staging_gbit = 80 }
[partition]
method = "hypergraph"
[[run]]
method = "pipegcn"
check = true
decay = 1.0
)");
  REQUIRE(e.runs.size() == 2);
  for (const RunSettings& run : e.runs) {
    const RunSettings back = runFromJson(toJson(run));
    CHECK(back.name == run.name);
    CHECK(back.flat() == run.flat());
    CHECK(toJson(back) == toJson(run));
    CHECK(back.parameters == run.parameters);
    CHECK(back.fingerprint() == run.fingerprint());
    CHECK(back.training.seed == run.training.seed);
  }
  CHECK(e.runs[0].flat().at("cluster.link") ==
        "{ bandwidth_gbit = 0.3, latency_us = 1e-07, staging_gbit = 80.0 }");
  CHECK(e.runs[0].flat().at("cluster.link.staging_gbit") == "80.0");
  CHECK(e.runs[0].flat().at("run.decay") == "1.0");
  CHECK(e.runs[0].flat().at("cluster.hosts") == "[\"a:2\", \"b\"]");
  CHECK(e.runs[0].fingerprint().size() == 32);
  CHECK(e.runs[0].fingerprint() != e.runs[1].fingerprint());
  RunSettings other = e.runs[0];
  other.name = "other";
  other.record.spansEvery = 0;
  other.cluster.silenceS += 1;
  CHECK(other.fingerprint() == e.runs[0].fingerprint());
  other.training.epochs += 1;
  CHECK(other.fingerprint() != e.runs[0].fingerprint());
  CHECK_THROWS_AS(runFromJson("{"), InputError);
}

TEST_CASE("whose the cards of a link are is a key of the run", "[experiment]") {
  const auto runWith = [](const std::string& cards) {
    return parse("schema = 1\n[cluster]\nlink = { bandwidth_gbit = 0.4" + cards +
                 " }\n[[run]]\nmethod = \"vanilla\"\n")
        .runs.at(0);
  };
  const RunSettings own = runWith(""), perRank = runWith(", per = \"rank\""),
                    shared = runWith(", per = \"host\", ranks_per_host = 2");
  CHECK(own.cluster.link.ranksPerHost == 0);
  CHECK(perRank.flat() == own.flat());
  CHECK_FALSE(own.flat().contains("cluster.link.ranks_per_host"));
  CHECK(shared.cluster.link.ranksPerHost == 2);
  CHECK(shared.flat().at("cluster.link.per") == "\"host\"");
  CHECK(shared.flat().at("cluster.link.ranks_per_host") == "2");
  CHECK(shared.flat().at("cluster.link") ==
        "{ bandwidth_gbit = 0.4, latency_us = 0.0, per = \"host\", ranks_per_host = 2 }");
  CHECK(shared.fingerprint() != own.fingerprint());
  CHECK(runFromJson(toJson(shared)).flat() == shared.flat());
}

TEST_CASE("a run's name has the texts of a swept table as they are written", "[experiment]") {
  const Experiment e = parse(
      "schema = 1\nname = \"links\"\n[sweep]\n\"cluster.link\" = [\"none\", { bandwidth_gbit = 1.0, per = "
      "\"host\", ranks_per_host = 2 }]\n[[run]]\nmethod = \"vanilla\"\n");
  REQUIRE(e.runs.size() == 2);
  CHECK(e.runs[0].name == "links / vanilla / link=none");
  CHECK(e.runs[1].name ==
        "links / vanilla / link={ bandwidth_gbit = 1.0, latency_us = 0.0, per = \"host\", ranks_per_host = 2 "
        "}");
}

TEST_CASE("what the network of real hosts carries is recorded and changes no run", "[experiment]") {
  const auto runWith = [](const std::string& wire) {
    return parse("schema = 1\n[cluster]\nworkers = 2\nlauncher = \"hosts\"\nhosts = [\"a:1\", \"b:1\"]\n" +
                 wire + "[[run]]\nmethod = \"vanilla\"\n")
        .runs.at(0);
  };
  const RunSettings without = runWith(""),
                    with = runWith("wire = { bandwidth_gbit = 0.39, latency_us = 80.0 }\n");
  CHECK(without.flat().at("cluster.wire") == "\"none\"");
  CHECK_FALSE(without.flat().contains("cluster.wire.bandwidth_gbit"));
  CHECK(with.flat().at("cluster.wire") == "{ bandwidth_gbit = 0.39, latency_us = 80.0 }");
  CHECK(with.flat().at("cluster.wire.bandwidth_gbit") == "0.39");
  CHECK(with.flat().at("cluster.wire.latency_us") == "80.0");
  CHECK(with.fingerprint() == without.fingerprint());
  CHECK(with.name == without.name);
  CHECK(runFromJson(toJson(with)).flat() == with.flat());
  CHECK(runWith("wire = \"10gbe\"\n").flat().at("cluster.wire") == "\"10gbe\"");
}

TEST_CASE("every key of the sections reaches the flat form of a run", "[experiment]") {
  const auto flat = parse("schema = 1\n[[run]]\nmethod = \"vanilla\"").runs[0].flat();
  for (const Declaration& section : sections())
    for (const Parameter& parameter : section.parameters) {
      const std::string key = std::string(section.name) + "." + std::string(parameter.key);
      if (key == "dataset.path") continue;  // resolved into dataset.name
      CAPTURE(key);
      CHECK(flat.contains(key));
    }
}

TEST_CASE("the interconnect presets of the program can be read", "[experiment]") {
  const auto links = readLinks(std::filesystem::path(kSourceDir) / "resources/links.toml");
  for (const char* name : {"pcie3-x16", "10gbe", "100g-ib"}) {
    CAPTURE(name);
    REQUIRE(links.contains(name));
    CHECK(links.at(name).name == name);
    CHECK(links.at(name).emulated());
  }
}

TEST_CASE("mapped features are of a run, and a run without them is what it was before there was the key",
          "[experiment]") {
  const auto keysWith = [](const std::string& maps) {
    return parse("schema = 1\n[dataset]\nmap_features = " + maps + "\n[[run]]\nmethod = \"vanilla\"\n")
        .runs.at(0);
  };
  auto without = keysWith("false").flat();
  CHECK(keysWith("true").fingerprint() != keysWith("false").fingerprint());
  without.erase("dataset.map_features");
  CHECK(trainingFingerprint(without) == keysWith("false").fingerprint());
}
