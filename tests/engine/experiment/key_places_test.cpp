// A key in the wrong place is told where it belongs.
#include <catch2/catch.hpp>

#include "tests/engine/experiment/known.h"

using namespace halo;
using namespace halo::test;

namespace {

/// What is said of `line` in a table of an experiment that is right but for it.
std::string in(const std::string& table, const std::string& line) {
  const std::string run = "[[run]]\nmethod = \"vanilla\"\n";
  if (table == "run") return problemsOf("schema = 1\n" + run + line);
  if (table.empty()) return problemsOf("schema = 1\n" + line + "\n" + run);
  return problemsOf("schema = 1\n[" + table + "]\n" + line + "\n" + run);
}

std::string set(const std::string& key, const std::string& value = "2") {
  return problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\n", {{key, value}});
}

}  // namespace

TEST_CASE("a key of a section that stands in a run says how to vary it by run", "[experiment]") {
  CHECK(in("run", "workers = 4") ==
        "a.toml:4:1: run.workers: `workers` is a key of [cluster]. To vary it by run, use [sweep] with "
        "\"cluster.workers\".");
  CHECK(in("run", "seed = 4") == "a.toml:4:1: run.seed: `seed` is a key of [dataset] and [training]");
  CHECK(in("run", "worker = 4") == "a.toml:4:1: run.worker: unknown key; did you mean 'cluster.workers'?");
  CHECK(in("run", "latency_us = 4") ==
        "a.toml:4:1: run.latency_us: `latency_us` is a key of the table of cluster.link");
}

TEST_CASE("every key of every section is known in every other place", "[experiment]") {
  std::vector<std::string> tables = {"", "run"};
  for (const Declaration& section : sections()) tables.emplace_back(section.name);
  for (const Declaration& section : sections())
    for (const Parameter& parameter : section.parameters)
      for (const std::string& table : tables) {
        const std::string key(parameter.key);
        const Declaration* declaration = nullptr;
        for (const Declaration& other : sections())
          if (other.name == table) declaration = &other;
        const bool declared =
            declaration != nullptr && std::ranges::count(declaration->parameters, key, &Parameter::key) > 0;
        const bool other = (table == "run" && key == "method") || (table.empty() && key == "name");
        if (declared || other) continue;
        CAPTURE(table, section.name, key);
        // the partitioner `file`, too, has a path
        const std::string message = in(table, key + " = 1");
        CHECK_THAT(message, Catch::Contains("`" + key + "` is a key of ") &&
                                Catch::Contains("[" + std::string(section.name) + "]"));
      }
}

TEST_CASE("a key of a method or a partitioner is told whose it is", "[experiment]") {
  CHECK(
      in("run", "smoothing = \"both\"") ==
      "a.toml:4:1: run.smoothing: `smoothing` is a key of the method pipegcn. Only tables with such a method "
      "have it.");
  CHECK_THAT(in("training", "smoothing = \"both\""),
             Catch::Contains("training.smoothing: `smoothing` is a key of the method pipegcn."));
  CHECK(in("partition", "passes = 3") ==
        "a.toml:3:1: partition.passes: `passes` is a key of the partitioner hypergraph. partition.method "
        "chooses the partitioner.");
  CHECK(in("partition", "path = \"x\"") ==
        "a.toml:3:1: partition.path: `path` is a key of [dataset] and the partitioner file");
  CHECK_THAT(
      problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"\ndecay = 0.5\n[[run]]\nmethod = "
                 "\"pipegcn\"\n"),
      Catch::StartsWith("a.toml:4:1: run.decay: another method of this file has this key, this run's has "
                        "not; `decay` is a key of the method pipegcn."));
}

TEST_CASE("a key at the top of the file or a table in another is told its place", "[experiment]") {
  CHECK(in("", "workers = 4") == "a.toml:2:1: workers: `workers` is a key of [cluster]");
  CHECK_THAT(in("", "method = \"vanilla\""), Catch::Contains("`method` is a key of [partition] and [[run]]"));
  CHECK(in("training", "notes = \"x\"") ==
        "a.toml:3:1: training.notes: `notes` is a key of the file itself, above all tables");
  CHECK(in("cluster", "partition = { method = \"random\" }") ==
        "a.toml:3:1: cluster.partition: [partition] is a table of its own, outside [cluster]");
  CHECK(in("model", "worker = 2") ==
        "a.toml:3:1: model.worker: unknown key; did you mean 'cluster.workers'?");
  CHECK(in("", "worker = 2") == "a.toml:2:1: worker: unknown key; did you mean 'cluster.workers'?");
  CHECK(in("training", "modle = \"gcn\"") ==
        "a.toml:3:1: training.modle: unknown key; did you mean '[model]'?");
  CHECK(
      in("", "\"training.seed\" = [1, 2]") ==
      "a.toml:2:1: training.seed: is one name, for it stands in quotes; write training.seed without them, or "
      "below [sweep] to vary it");
}

TEST_CASE("a swept or set key in the wrong place is told its whole name", "[experiment]") {
  CHECK(in("sweep", "\"run.workers\" = [1, 2]") ==
        "a.toml:3:1: sweep.run.workers: `workers` is a key of [cluster]. Write \"cluster.workers\" = […].");
  CHECK(in("sweep", "\"training.workers\" = [1, 2]") ==
        "a.toml:3:1: sweep.training.workers: `workers` is a key of [cluster]. Write \"cluster.workers\" = "
        "[…].");
  CHECK(in("sweep", "smoothing = [\"both\"]") ==
        "a.toml:3:1: sweep.smoothing: unknown key; did you mean 'run.smoothing'?");
  CHECK(set("workers") == "--set workers: `workers` is a key of [cluster]. Write cluster.workers=….");
  CHECK(set("run.workers") == "--set run.workers: `workers` is a key of [cluster]. Write cluster.workers=….");
  CHECK(set("training.workers") ==
        "--set training.workers: `workers` is a key of [cluster]. Write cluster.workers=….");
  CHECK(set("clutser.worms") ==
        "--set clutser.worms: unknown key; write section.key=value, for example training.epochs=10");
}
