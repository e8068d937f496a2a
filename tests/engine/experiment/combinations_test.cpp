// Keys that are right alone and impossible together, or beyond what they may name.
#include <catch2/catch.hpp>

#include "tests/engine/experiment/known.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("host names that a shell could misread are refused", "[experiment]") {
  for (const std::string bad :
       {"a;rm -rf ~", "$(id)", "a b", "-oProxyCommand=x", "", "a:", "a:0", "a:b", "a:1:2", "a,b"}) {
    CAPTURE(bad);
    const std::string message =
        problemsOf("schema = 1\n[cluster]\nhosts = ['" + bad + "']\n[[run]]\nmethod = \"vanilla\"");
    CHECK(message.find("is not a host") != std::string::npos);
  }
  for (const std::string good : {"node1", "node-1.example.org", "10.0.0.1:4", "a_b:65535"}) {
    CAPTURE(good);
    CHECK(problemsOf("schema = 1\n[cluster]\nlauncher = \"hosts\"\nhosts = ['" + good +
                     "']\n[[run]]\nmethod = \"vanilla\"")
              .empty());
  }
}

TEST_CASE("impossible combinations of an experiment are refused", "[experiment]") {
  CHECK(problemsOf("schema = 1\n[cluster]\nworkers = 4\n[[run]]\nmethod = \"single\"") ==
        "a.toml:5:10: run.method: 'single' trains on exactly one worker, but cluster.workers is 4; give this "
        "[[run]] "
        "cluster.workers = 1");
  CHECK(problemsOf("schema = 1\n[cluster]\nlauncher = \"hosts\"\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:3:12: cluster.launcher: 'hosts' needs cluster.hosts, a list like [\"node1:8\", \"node2:8\"]");
  CHECK(problemsOf("schema = 1\n[dataset]\nname = \"karate\"\npath = \"y\"\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:4:8: dataset.path: stands beside dataset.name; only one of the two can say what to train on");
  CHECK(problemsOf("schema = 1\n[dataset]\nname = \"karate\"\nscale = 0.5\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:4:9: dataset.scale: only generated data sets can be scaled; 'karate' is none");
  CHECK(problemsOf("schema = 1\n[dataset]\nname = \"karatt\"\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:3:8: dataset.name: 'karatt' is not in the catalogue; did you mean 'karate'?");
  CHECK(problemsOf("schema = 1\n[model]\nlearn_epsilon = true\n[[run]]\nmethod = \"vanilla\"") ==
        "a.toml:3:17: model.learn_epsilon: only kind = \"gin\" has an epsilon to learn; model.kind is 'gcn'");
}

TEST_CASE("a loss that does not fit the labels of a known data set is refused", "[experiment]") {
  const auto with = [](const std::string& name, const std::string& loss, const std::string& more = "") {
    return problemsOf("schema = 1\n[dataset]\nname = \"" + name + "\"\n" + more + "[training]\nloss = \"" +
                      loss + "\"\n[[run]]\nmethod = \"vanilla\"");
  };
  CHECK(with("karate", "sigmoid") ==
        "a.toml:5:8: training.loss: 'sigmoid' is for several labels a vertex, and 'karate' has one each; "
        "softmax "
        "or auto");
  CHECK(with("yelp-like", "softmax") ==
        "a.toml:5:8: training.loss: 'softmax' is for one label a vertex, and 'yelp-like' has several each; "
        "sigmoid "
        "or auto");
  CHECK(with("karate", "softmax").empty());
  CHECK(with("yelp-like", "sigmoid").empty());
  CHECK(with("yelp-like", "auto").empty());
  CHECK(with("karate", "sigmoid", "labels = \"several.csv\"\n").empty());  // only the file knows
}

TEST_CASE("seeds that count up beyond the largest are refused", "[experiment]") {
  const auto with = [](const std::string& seed, int repeat) {
    return problemsOf("schema = 1\n[training]\nseed = " + seed + "\nrepeat = " + std::to_string(repeat) +
                      "\n[[run]]\nmethod = \"vanilla\"");
  };
  CHECK(with("9223372036854775807", 1).empty());
  CHECK(with("9223372036854775805", 3).empty());
  CHECK(with("9223372036854775807", 3) ==
        "a.toml:3:8: training.seed: 9223372036854775807 and 2 more above it (training.repeat) go beyond "
        "9223372036854775807; a smaller seed");
}

TEST_CASE("one bad host is one problem", "[experiment]") {
  CHECK(problemsOf("schema = 1\n[cluster]\nlauncher = \"hosts\"\nhosts = [\"a b\"]\n[[run]]\nmethod = "
                   "\"vanilla\"") ==
        "a.toml:4:9: cluster.hosts: 'a b' is not a host; a name of letters, digits, '.', '-', '_', and "
        "':ranks' if "
        "wanted");
}
