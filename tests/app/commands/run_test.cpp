#include <signal.h>

#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/support/descendants.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a run that mpirun started once is as any other, and more than one of it are refused", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(3, 2);
  const auto inside = [&](const std::string& processes) {
    std::vector<std::string> arguments = {"mpirun", "--oversubscribe", "--bind-to", "none", "-np", processes};
    for (const std::string& word : Program::command({"run", file})) arguments.push_back(word);
    return test::run(
        arguments,
        haloscope.environment({{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}),
        haloscope.folder());
  };
  const Ended refused = inside("2");
  CAPTURE(refused.error);
  CHECK(refused.status == 5);
  CHECK(holds(refused.error, "mpirun started this 2 times"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  const Ended ran = inside("1");
  CAPTURE(ran.error);
  CHECK(ran.status == 0);
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "completed");
}

TEST_CASE("a partitioner of the other kind than the method's is told of in the log", "[app]") {
  const Program haloscope;
  const auto logOf = [&](const std::string& method, const std::string& partitioner) {
    const std::string file = haloscope.file(
        "kinds.toml", "schema = 1\ntraining.epochs = 2\ncluster.workers = 2\npartition.method = \"" +
                          partitioner + "\"\nrun = [{method = \"" + method + "\"}]\n");
    const Ended ended = haloscope({"run", file});
    CAPTURE(ended.error);
    CHECK(ended.status == 0);
    return haloscope({"show", "last", "--log"}).out;
  };
  const std::string cut = "vertex-cut places arcs, and vanilla is trained on vertices",
                    placed = "metis places vertices, and distgnn is trained on arcs";
  CHECK(holds(logOf("vanilla", "vertex-cut"), cut));
  CHECK(holds(logOf("distgnn", "metis"), placed));
  CHECK_FALSE(holds(logOf("vanilla", "metis"), "places"));
  CHECK_FALSE(holds(logOf("distgnn", "vertex-cut"), "places"));
}

TEST_CASE("a run is recorded, and every command over a recording reads it", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(6, 2);
  const Ended ran = haloscope({"run", file, "--set", "training.repeat=2"});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  CHECK(holds(ran.out, "recorded in recordings.db"));

  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("status") == "completed");
  CHECK(rows[0].at("epochs") == 6);
  CHECK(rows[1].at("seed") == 2);
  const auto details = jsonLines(haloscope({"show", "last", "--json"}).out);
  REQUIRE(details.size() == 1);
  CHECK(details[0].at("run") == 2);
  CHECK(details[0].at("parameters").at("training.epochs") == "6");
  CHECK(details[0].at("workers_detail").size() == 2);
  double memory = 0;  // what a method keeps, by what for, adds up
  for (const auto& [key, value] : details[0].at("latest").items())
    if (key.starts_with("memory_")) memory += value.get<double>();
  CHECK(memory > 0);
  CHECK(memory == details[0].at("latest").at("feature_bytes"));
  CHECK(details[0].at("latest").at("memory_history_bytes") == 0);
  CHECK(holds(haloscope({"show", "1", "--experiment"}).out, "name = \"small\""));
  CHECK(holds(haloscope({"compare", "1", "2"}).out, " ± "));
  CHECK(
      holds(haloscope({"compare", "1", "2", "--each"}).out, "warning: runs differ in training.seed: 1 | 2"));
  CHECK(haloscope({"check"}).out == "recordings.db: ok, 2 runs\n");

  for (const std::string format : {"csv", "chrome-trace", "weights"}) {
    CAPTURE(format);
    CHECK(haloscope({"export", "1", "--format", format, "-o", "out"}).status == 0);
    CHECK(haloscope({"export", "1", "--format", format, "-o", "out"}).status == 2);
    CHECK(haloscope({"export", "1", "--format", format, "-o", "out", "--force"}).status == 0);
  }
  CHECK(std::filesystem::exists(haloscope.folder() / "out/run-1.weights.npz"));

  CHECK(haloscope({"tag", "1", "2", "--add", "good"}).out == "run 1: good\nrun 2: good\n");
  CHECK(jsonLines(haloscope({"list", "--tag", "good", "--json"}).out).size() == 2);
  CHECK(haloscope({"tag", "1", "--remove", "good"}).out == "run 1: no tags\n");
  CHECK_THAT(haloscope({"tag", "1", "--remove", "good"}).error,
             Catch::Matchers::Contains("run 1 has no tag 'good' to remove"));
  CHECK(haloscope({"delete", "1"}).status == 0);
  CHECK(haloscope({"show", "1"}).status == 2);
  CHECK(jsonLines(haloscope({"list", "--json"}).out).size() == 1);
}

TEST_CASE("resume leaves out what is done, dry-run and only choose without running", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(2, 1, "");
  CHECK(haloscope({"run", file, "--dry-run"}).out == "small / vanilla\n");
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  REQUIRE(haloscope({"run", file}).status == 0);
  const Ended again = haloscope({"run", file, "--resume"});
  CHECK(again.status == 0);
  CHECK(again.error == "small / vanilla: already done as run 1\nnothing left to run\n");
  CHECK(
      jsonLines(haloscope({"run", file, "--resume", "--set", "training.epochs=3", "--dry-run", "--json"}).out)
          .size() == 1);
  const Ended only = haloscope({"run", file, "--only", "single"});
  CHECK(only.status == 2);
  CHECK(only.error == "--only: no run has the method 'single'; there are vanilla\n");
  CHECK(haloscope({"run", file, "--set", "epochs"}).error ==
        "--set: 'epochs' cannot be used; section.key=value, for example training.epochs=10\n");
}

TEST_CASE("show and compare tell the figures that only some methods record", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(2, 2, R"([[run]]
method = "distgnn"
delay = 0
[[run]]
method = "sancus"
[[run]]
method = "adaqp"
cycle = 1
)");
  REQUIRE(haloscope({"run", file}).status == 0);
  const std::vector<std::pair<std::string, std::vector<std::string>>> recorded = {
      {"1", {"replication_factor", "arc_imbalance"}},
      {"2", {"broadcasts", "skipped_broadcasts", "skipped_share"}},
      {"3", {"mean_bits", "assigned_bytes"}}};
  for (const auto& [run, keys] : recorded) {
    const auto figures = jsonLines(haloscope({"show", run, "--json"}).out).at(0);
    for (const std::string& key : keys) {
      CAPTURE(run, key);
      CHECK(figures.contains(key));
    }
  }
  CHECK(holds(haloscope({"show", "1"}).out, "workers that hold a vertex or get its rows, mean"));
  const std::string side = haloscope({"compare", "1", "2", "3", "4"}).out;
  for (const std::string title :
       {"workers that hold a vertex or get its rows, mean", "broadcasts of blocks", "bits an element"}) {
    CAPTURE(title);
    CHECK(holds(side, title));
  }
}

TEST_CASE("events of a run come as JSON lines with units in the keys", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.experiment(3, 1), "--json"});
  REQUIRE(ended.status == 0);
  std::map<std::string, int> events;
  for (const auto& line : jsonLines(ended.out)) {
    ++events[line.at("event")];
    if (line.at("event") == "epoch") CHECK(line.contains("wall_ns"));
  }
  CHECK(events == std::map<std::string, int>{{"start", 1}, {"epoch", 3}, {"finish", 1}});
}

TEST_CASE("a threshold that is not met ends compare with status six", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(2, 1)}).status == 0);
  haloscope.file("easy.toml", "[loss]\nmax = 1000\n");
  haloscope.file("hard.toml", "[loss]\nmax = 0.0\n");
  haloscope.file("wrong.toml", "[los]\nmax = 1\n");
  CHECK(haloscope({"compare", "1", "--gate", "easy.toml"}).status == 0);
  const Ended hard = haloscope({"compare", "1", "--gate", "hard.toml"});
  CHECK(hard.status == 6);
  CHECK(holds(hard.error, "gate not met by #1 vanilla: loss is "));
  const Ended wrong = haloscope({"compare", "1", "--gate", "wrong.toml"});
  CHECK(wrong.status == 2);
  CHECK(wrong.error == "wrong.toml:1:2: los: is not a table of a metric; did you mean [loss]?\n");
}

TEST_CASE("an interrupted run keeps its epochs and says so by its status", "[app]") {
  const auto [number, expected] =
      GENERATE(std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}, std::pair{SIGHUP, 129});
  CAPTURE(number);
  const Program haloscope;
  const std::string file = haloscope.experiment(1'000'000, 1);
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  process.signal(number);
  CHECK(process.wait().status == expected);
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "cancelled");
  CHECK(rows[0].at("epochs") >= 1);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a run whose supervisor was killed is found interrupted, with its epochs", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1'000'000, 2);
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  process.signal(SIGKILL);
  CHECK(process.wait().status == 128 + SIGKILL);
  haloscope({"list"});  // whoever opens the recording next finds out
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "interrupted");
  CHECK(rows[0].at("epochs") >= 1);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a second Ctrl-C does not wait for the end of the epoch", "[app]") {
  const Program haloscope;
  // each message takes twenty seconds: an epoch takes far longer than this test
  const std::string file = haloscope.experiment(3, 2, "link = { bandwidth_gbit = 1.0, latency_us = 20e6 }\n");
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"start\""));
  for (int i = 0; i < 2; ++i) {
    process.signal(SIGINT);
    while (pending(process.id(), SIGINT)) continue;  // two that wait together would count as one
  }
  CHECK(process.wait().status == 130);
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "cancelled");
  CHECK_FALSE(rows[0].contains("epochs"));
}

TEST_CASE("a batch of which some runs failed ends with status three", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("some.toml", R"(schema = 1
[training]
epochs = 30
optimizer = "sgd"
[[run]]
method = "vanilla"
[[run]]
method = "vanilla"
model.kind = "gin"
model.layers = 20
model.hidden = 64
training.learning_rate = 1000.0
)");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 3);
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("status") == "completed");
  CHECK(rows[1].at("status") == "failed");
  CHECK(rows[1].at("epochs") >= 1);
}
