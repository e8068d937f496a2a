#include <catch2/catch.hpp>

#include "tests/engine/experiment/known.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("an experiment file with ten mistakes gives ten messages in the order of the file",
          "[experiment]") {
  const std::string text = R"(schema = 1
nme = "a"
[dataset]
name = 7
scale = 2.5
[model]
dropout = 1.0
[training]
epoch = 10
optimizer = "adm"
[cluster]
hosts = ["node1:8", "a;rm -rf ~"]
link = "10gb"
[[run]]
method = "pipegcm"
[[run]]
method = "pipegcn"
smothing = "both"
)";
  CHECK(problemsOf(text) ==
        "a.toml:2:1: nme: unknown key; did you mean 'name'?\n"
        "a.toml:4:8: dataset.name: 7 cannot be used; a text in quotes\n"
        "a.toml:5:9: dataset.scale: 2.5 cannot be used; a number from 1e-06 to 1\n"
        "a.toml:7:11: model.dropout: 1 cannot be used; a number from 0 to 0.999\n"
        "a.toml:9:1: training.epoch: unknown key; did you mean 'epochs'?\n"
        "a.toml:10:13: training.optimizer: 'adm' cannot be used; one of adam sgd; did you mean 'adam'?\n"
        "a.toml:12:9: cluster.hosts: 'a;rm -rf ~' is not a host; a name of letters, digits, '.', '-', '_', "
        "and ':ranks' if "
        "wanted\n"
        "a.toml:13:8: cluster.link: '10gb' cannot be used; a table { bandwidth_gbit = 10.0, latency_us = "
        "20.0 } or one of "
        "10gbe none\n"
        "a.toml:15:10: run.method: 'pipegcm' is not a method; did you mean 'pipegcn'?\n"
        "a.toml:18:1: run.smothing: unknown key; did you mean 'smoothing'?");
}

TEST_CASE("a text that may be a number is written with or without quotes", "[experiment]") {
  const auto stagesOf = [](const std::string& written) {
    return parse("schema = 1\n[[run]]\nmethod = \"pipegcn\"\n" + written)
        .runs.front()
        .parameters.text("stages");
  };
  CHECK(stagesOf("") == "auto");
  CHECK(stagesOf("stages = 8") == "8");
  CHECK(stagesOf("stages = \"8\"") == "8");
  CHECK(problemsOf("schema = 1\n[[run]]\nmethod = \"pipegcn\"\nstages = 2.5") ==
        "a.toml:4:10: run.stages: 2.5 cannot be used; a text in quotes or a whole number");
}

TEST_CASE("values that mean the same give runs one fingerprint", "[experiment]") {
  const auto fingerprintOf = [](const std::string& written) {
    return parse("schema = 1\n" + written + "\n[[run]]\nmethod = \"pipegcn\"\n").runs.front().fingerprint();
  };
  for (const auto& [text, other] :
       {std::pair<std::string, std::string>{"[dataset]\npath = \"/tmp\"", "[dataset]\npath = \"/tmp/\""},
        {"[dataset]\npath = \"/tmp\"", "[dataset]\npath = \"/usr/../tmp//.\""},
        {"[training]\nweight_decay = 0", "[training]\nweight_decay = -0.0"},
        {"[training]\nlearning_rate = 0.5", "[training]\nlearning_rate = 5e-1"},
        {"[cluster]\nlink = { bandwidth_gbit = 8, latency_us = 20 }",
         "[cluster]\nlink = { latency_us = 20.0, bandwidth_gbit = 8.0 }"}}) {
    CAPTURE(text, other);
    CHECK(fingerprintOf(text) == fingerprintOf(other));
  }
}

TEST_CASE("a text that holds the character U+0000 is refused, and told to its end", "[experiment]") {
  CHECK(problemsOf(R"(schema = 1
name = "a\u0000b"
tags = ["c\u0000d"]
[dataset]
path = "gra\u0000ph"
[model]
norm = "la\u0000yer"
[[run]]
method = "pipegcn"
stages = "8\u0000"
)") == "a.toml:2:8: name: 'a\\u0000b' cannot be used; a text without the character U+0000\n"
       "a.toml:3:9: tags: 'c\\u0000d' cannot be used; a text in quotes, without commas and the character "
       "U+0000\n"
       "a.toml:5:8: dataset.path: 'gra\\u0000ph' cannot be used; a text without the character U+0000\n"
       "a.toml:7:8: model.norm: 'la\\u0000yer' cannot be used; one of none layer; did you mean 'layer'?\n"
       "a.toml:10:10: run.stages: '8\\u0000' cannot be used; a text without the character U+0000");
}

TEST_CASE("an experiment without keys has the documented defaults", "[experiment]") {
  const Experiment e = parse("schema = 1\n[[run]]\nmethod = \"vanilla\"");
  REQUIRE(e.runs.size() == 1);
  const RunSettings& run = e.runs.front();
  CHECK(e.name == "a");
  CHECK(run.name == "a / vanilla");
  CHECK(run.method == "vanilla");
  CHECK(run.dataset.scale == 1.0);
  CHECK(run.dataset.seed == 1);
  CHECK(run.model.kind == "gcn");
  CHECK(run.training.epochs == 200);
  CHECK(run.training.initialWeights.empty());
  CHECK(run.cluster.workers == 1);
  CHECK_FALSE(run.cluster.link.emulated());
  CHECK(run.partition.method == "metis");
  CHECK(run.record.spansEvery == 1);
  CHECK(run.record.staleness == 10);
}

TEST_CASE("every key of an experiment file arrives in the run", "[experiment]") {
  const Experiment e = parse(R"(
schema = 1
name = "n"
tags = ["one", "two"]
notes = "about"
[dataset]
path = "data/x"
directed = true
normalize_features = "row"
features = "f.npz"
labels = "l.txt"
split = "s.txt"
seed = 9
map_features = true
[model]
kind = "gin"
layers = 4
hidden = 256
dropout = 0.5
dropout_position = "after-aggregation"
norm = "layer"
order = "update-first"
learn_epsilon = true
[training]
epochs = 20
optimizer = "sgd"
learning_rate = 1
weight_decay = 5e-4
loss = "sigmoid"
seed = 3
evaluate_every = 5
initial_weights = "w.npz"
[cluster]
workers = 8
threads = 0
launcher = "hosts"
hosts = ["node1:8", "node2"]
link = { bandwidth_gbit = 10, latency_us = 2.5 }
silence_s = 30
[partition]
method = "hypergraph"
imbalance = 0.1
passes = 3
[record]
spans = "every 5 epochs"
staleness = 0
[[run]]
method = "pipegcn"
smoothing = "both"
decay = 0.5
)");
  REQUIRE(e.runs.size() == 1);
  const RunSettings& run = e.runs.front();
  const auto absolute = [](const char* name) { return std::filesystem::absolute(name).string(); };
  CHECK(e.tags == std::vector<std::string>{"one", "two"});
  CHECK(e.notes == "about");
  CHECK(run.name == "n / pipegcn / decay=0.5 / smoothing=both");
  CHECK(run.dataset.name == absolute("data/x"));
  CHECK(run.dataset.directed);
  CHECK(run.dataset.normalizeFeatures);
  CHECK(run.dataset.features == absolute("f.npz"));
  CHECK(run.dataset.labels == absolute("l.txt"));
  CHECK(run.dataset.split == absolute("s.txt"));
  CHECK(run.dataset.seed == 9);
  CHECK(run.dataset.mapFeatures);
  CHECK(run.model.kind == "gin");
  CHECK(run.model.layers == 4);
  CHECK(run.model.hidden == 256);
  CHECK(run.model.dropout == 0.5);
  CHECK(run.model.norm == "layer");
  CHECK(run.model.dropsAggregate());
  CHECK(run.model.order == "update-first");
  CHECK(run.model.learnEpsilon);
  CHECK(run.training.epochs == 20);
  CHECK(run.training.optimizer == "sgd");
  CHECK(run.training.learningRate == 1.0);
  CHECK(run.training.weightDecay == 5e-4);
  CHECK(run.training.loss == "sigmoid");
  CHECK(run.training.seed == 3);
  CHECK(run.training.evaluateEvery == 5);
  CHECK(run.training.initialWeights == absolute("w.npz"));
  CHECK(run.cluster.workers == 8);
  CHECK(run.cluster.threads == 0);
  CHECK(run.cluster.silenceS == 30);
  CHECK(run.cluster.launcher == "hosts");
  CHECK(run.cluster.hosts == std::vector<std::string>{"node1:8", "node2"});
  CHECK(run.cluster.link.bandwidthGbit == 10.0);
  CHECK(run.cluster.link.latencyUs == 2.5);
  CHECK(run.cluster.link.stagingGbit == 0);
  CHECK(run.partition.method == "hypergraph");
  CHECK(run.partition.imbalance == 0.1);
  CHECK(run.partition.parameters.integer("passes") == 3);
  CHECK(run.record.spansEvery == 5);
  CHECK(run.record.staleness == 0);
  CHECK(run.parameters.text("smoothing") == "both");
  CHECK(run.parameters.real("decay") == 0.5);
  CHECK(run.parameters.integer("delay") == 1);
}

TEST_CASE("values of the wrong type or range are refused with what is allowed", "[experiment]") {
  const auto problemsWith = [](const std::string& section, const std::string& line) {
    return problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\n[" + section + "]\n" + line);
  };
  CHECK(problemsWith("model", "layers = 0") ==
        "a.toml:5:10: model.layers: 0 cannot be used; a whole number from 1 to 1000");
  CHECK(problemsWith("model", "layers = 2.0") ==
        "a.toml:5:10: model.layers: 2.0 cannot be used; a whole number from 1 to 1000");
  CHECK(problemsWith("model", "dropout = -0.1") ==
        "a.toml:5:11: model.dropout: -0.1 cannot be used; a number from 0 to 0.999");
  CHECK(problemsWith("model", "dropout = nan") ==
        "a.toml:5:11: model.dropout: nan cannot be used; a number from 0 to 0.999");
  CHECK(problemsWith("model", "learn_epsilon = 1") ==
        "a.toml:5:17: model.learn_epsilon: 1 cannot be used; true or false");
  CHECK(problemsWith("model", "norm = [1]") ==
        "a.toml:5:8: model.norm: a list cannot be used; one of none layer");
  CHECK(problemsWith("model", "kind = \"gat2\"") ==
        "a.toml:5:8: model.kind: 'gat2' is not a layer kind; one of gcn gin graphsage");
  CHECK(problemsWith("training", "repeat = 0") ==
        "a.toml:5:10: training.repeat: 0 cannot be used; a whole number from 1 to 10000");
  CHECK(problemsWith("training", "seed = -1") ==
        "a.toml:5:8: training.seed: -1 cannot be used; a whole number from 0 to 9223372036854775807");
  CHECK(problemsWith("record", "spans = \"every 0 epochs\"") ==
        "a.toml:5:9: record.spans: 'every 0 epochs' cannot be used; \"all\", \"none\" or \"every N epochs\"");
  CHECK(problemsWith("record", "spans = 7") ==
        "a.toml:5:9: record.spans: 7 cannot be used; \"all\", \"none\" or \"every N epochs\"");
  CHECK(problemsWith("cluster", "hosts = \"a\"") ==
        "a.toml:5:9: cluster.hosts: 'a' cannot be used; a list like [\"node1:8\", \"node2:8\"]");
  CHECK(problemsWith("cluster", "link = { bandwidth_gbit = -1 }") ==
        "a.toml:5:8: cluster.link: bandwidth_gbit: -1 cannot be used; a number from 1e-06 to 1000000");
  CHECK(problemsWith("cluster", "link = { latency_us = 1 }") ==
        "a.toml:5:8: cluster.link: bandwidth_gbit is missing; write { bandwidth_gbit = 10.0, latency_us = "
        "20.0 }");
  CHECK(problemsWith("cluster", "link = { bandwith_gbit = 1 }") ==
        "a.toml:5:8: cluster.link: unknown key 'bandwith_gbit'; did you mean 'bandwidth_gbit'?");
  CHECK(problemsWith("cluster", "link = { bandwith_gbit = 1, latency_us = -1 }") ==
        "a.toml:5:8: cluster.link: unknown key 'bandwith_gbit'; did you mean 'bandwidth_gbit'?; and "
        "latency_us: -1 cannot be used; a number from 0 to 1000000000");
  CHECK(problemsWith("cluster.link", "bandwidth_gbit = 1\nper = 3\nlatencyus = 1") ==
        "a.toml:4:1: cluster.link: line 6: per: 3 cannot be used; one of rank host; and line 7: unknown key "
        "'latencyus'; did you mean 'latency_us'?");
  CHECK(problemsWith("cluster", "link = { bandwidth_gbit = 1, per = \"node\" }") ==
        "a.toml:5:8: cluster.link: per: 'node' cannot be used; one of rank host");
  CHECK(problemsWith("cluster", "link = { bandwidth_gbit = 1, per = \"host\" }") ==
        "a.toml:5:8: cluster.link: per = \"host\" needs ranks_per_host, how many consecutive ranks share a "
        "host's card");
  CHECK(problemsWith("cluster", "link = { bandwidth_gbit = 1, per = \"host\", ranks_per_host = 0 }") ==
        "a.toml:5:8: cluster.link: ranks_per_host: 0 cannot be used; a whole number from 1 to 65536");
  CHECK(problemsWith("cluster", "link = { bandwidth_gbit = 1, ranks_per_host = 2 }") ==
        "a.toml:5:8: cluster.link: ranks_per_host is of cards that ranks share; write per = \"host\" beside "
        "it");
  CHECK(
      problemsWith("cluster",
                   "link = { bandwidth_gbit = 1, per = \"host\", ranks_per_host = 2 }\nlauncher = \"hosts\"\n"
                   "hosts = [\"a\"]") ==
      "a.toml:5:8: cluster.link: per = \"host\" emulates cards that ranks share, and needs all ranks on one "
      "machine, but cluster.launcher is 'hosts'; launcher = \"local\", or per = \"rank\"");
}

TEST_CASE("keys and texts of megabytes are told by their beginnings", "[experiment]") {
  const std::string longest(3'000'000, 'x');
  for (const std::string& text :
       {longest + " = 1", "[" + longest + "]\na = 1", "[training]\n" + longest + " = 1",
        "[[run]]\nmethod = \"vanilla\"\n" + longest + " = 1", "[[run]]\nmethod = \"" + longest + "\"",
        "[sweep]\n\"training." + longest + "\" = [1]", "[cluster]\nlink = { " + longest + " = 1 }",
        "[dataset]\nname = \"" + longest + "\"", "[dataset]\n\"a " + longest + "\" = 1"}) {
    const std::string message = problemsOf("schema = 1\n" + text);
    CAPTURE(text.substr(0, 40));
    CHECK(message.size() < 2000);
    CHECK(message.find("xxx…") != std::string::npos);
  }
}

TEST_CASE("a number among the words of a choice needs no quotes", "[experiment]") {
  static constexpr std::string_view kBits[] = {"32", "8", "mixed"};
  static constexpr Parameter kCoder[] = {{"bits", "of an element", Choice{"32", kBits}}};
  Known coders = known();
  coders.methods = {{"coder", "codes rows", "", kCoder}};
  const auto bitsOf = [&](const std::string& written) {
    const std::string text = "schema = 1\n[dataset]\nname = \"karate\"\n[[run]]\nmethod = \"coder\"\nbits = ";
    return parseExperiment(text + written + "\n", "a.toml", coders, {}).runs.at(0).parameters.text("bits");
  };
  CHECK(bitsOf("8") == "8");
  CHECK(bitsOf("\"8\"") == "8");
  CHECK(bitsOf("\"mixed\"") == "mixed");
  CHECK_THROWS_WITH(bitsOf("5"), Catch::Contains("bits: 5 cannot be used; one of 32 8 mixed"));
}

TEST_CASE("a value that stands twice in a sweep and an empty name are refused", "[experiment]") {
  CHECK(problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\n[sweep]\n\"training.seed\" = [1, 2, 1]") ==
        "a.toml:5:26: sweep.training.seed: 1 stands twice in the list; each value once");
  CHECK(problemsOf("schema = 1\n[[run]]\nmethod = \"pipegcn\"\n[sweep]\n\"run.decay\" = [0.5, 0.5]") ==
        "a.toml:5:21: sweep.run.decay: 0.5 stands twice in the list; each value once");
  CHECK(problemsOf("schema = 1\nname = \" \"\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:2:8: name: is empty; a name, or leave the key out: the file's name is taken");
}

TEST_CASE("the schema of an experiment file must be known", "[experiment]") {
  CHECK(problemsOf("[[run]]\nmethod = \"vanilla\"") ==
        "a.toml: schema: missing; an experiment file begins with schema = 1");
  CHECK(problemsOf("schema = 2\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:1:10: schema: 2 is newer than this program, which reads 1; use a newer Haloscope");
  CHECK(problemsOf("schema = \"1\"\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:1:10: schema: '1' cannot be used; 1");
}

TEST_CASE("what is not TOML, or has no run, is said with its place", "[experiment]") {
  CHECK(problemsOf("schema = = 1").find("a.toml:1:10: not TOML: ") == 0);
  CHECK(problemsOf("schema = 1") ==
        "a.toml: run: missing; at least one [[run]] with a method, for example method = \"vanilla\", or one "
        "[[simulate]]");
  CHECK(problemsOf("schema = 1\n[run]\nmethod = \"vanilla\"") ==
        "a.toml:2:2: run: cannot be used so; write [[run]] with two brackets");
  CHECK(problemsOf("schema = 1\n[run]\nmethod = \"vanila\"\n") ==
        "a.toml:2:2: run: cannot be used so; write [[run]] with two brackets\n"
        "a.toml:3:10: run.method: 'vanila' is not a method; did you mean 'vanilla'?");
  CHECK(problemsOf("schema = 1\n[[run]]\n") == "a.toml:2:1: run: no method; one of pipegcn single vanilla");
  CHECK(problemsOf("schema = 1\nmodel = 3\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:2:9: model: 3 cannot be used; a table of keys");
  CHECK_THROWS_WITH(readExperiment("no/such.toml", known()),
                    "no/such.toml: cannot be read: No such file or directory");
}
