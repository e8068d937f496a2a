#include "views/recording/compared_runs.h"

#include <catch2/catch.hpp>

#include "tests/views/recording/compared_runs_fixture.h"

using namespace halo;

namespace {
std::vector<ScalingLine> linesOf(const ComparedRuns& runs, const std::vector<std::int64_t>& chosen) {
  return scalingLines(runs.data, chosen);
}
}  // namespace

TEST_CASE("a run is measured, simulated or extrapolated by its kind and marks", "[compared]") {
  RunRow run;
  CHECK(originOf(run) == Origin::measured);
  run.marks = "emulated link, generated graph";
  CHECK(originOf(run) == Origin::measured);
  run.kind = "simulation";
  run.marks = "simulated";
  CHECK(originOf(run) == Origin::simulated);
  run.marks = "simulated,extrapolated(expected)";
  CHECK(originOf(run) == Origin::extrapolated);
}

TEST_CASE("a line of scaling is one method as it was varied, in order of workers", "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 4, 0.4);
  runs.train("vanilla", 1, 1.0);
  runs.train("vanilla", 4, 0.4, " / overlap=local-first").marks = "";
  runs.train("pipegcn", 4, 0.3);
  runs.add("simulation", "vanilla", 8, {{"epoch_seconds", 0.2}}, "simulated");
  runs.device();
  runs.train("vanilla", 2, 0.7).status = "failed";
  const auto lines = scalingLines(runs.data, {});
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].method == "pipegcn");
  CHECK(lines[1].method == "vanilla");
  CHECK(lines[1].origin == Origin::measured);
  CHECK(lines[1].workers == std::vector<double>{1, 4});
  CHECK(lines[1].seconds == std::vector<double>{1.0, 0.4});
  CHECK(lines[2].origin == Origin::simulated);
  CHECK(lines[2].workers == std::vector<double>{8});
  CHECK(lines[3].method == "vanilla, overlap=local-first");

  const std::vector<std::int64_t> chosen{2, 4};
  CHECK(scalingLines(runs.data, chosen).size() == 2);
}

TEST_CASE("repeats give their median, a file run again its last runs", "[compared]") {
  ComparedRuns runs;
  for (const double seconds : {0.9, 0.5, 0.6}) runs.train("vanilla", 2, seconds);
  CHECK(scalingLines(runs.data, {}).at(0).seconds == std::vector<double>{0.6});
  runs.train("vanilla", 2, 0.3).experimentId = 2;
  runs.train("vanilla", 2, 0.4).experimentId = 2;
  const auto lines = scalingLines(runs.data, {});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].seconds[0] == Approx(0.35));
  CHECK(lines[0].runs[0].size() == 2);
}

TEST_CASE("runs of other data sets and models are other lines, named so", "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 2, 0.5);
  runs.train("vanilla", 2, 0.6).dataset = "reddit";
  runs.train("vanilla", 2, 0.7).model = "gat";
  const auto lines = scalingLines(runs.data, {});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].method == "vanilla, cora, gat");
  CHECK(lines[1].method == "vanilla, cora, gcn");
  CHECK(lines[2].method == "vanilla, reddit, gcn");
}

TEST_CASE("a simulated line is of its method on its machine", "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 2, 0.5);
  for (const char* machine : {"fdr", "gigabit"})
    for (const int workers : {8, 64})
      runs.add("simulation", "vanilla", workers, {{"epoch_seconds", 0.1}}, "simulated").name =
          std::string("x / ") + machine +
          " / graph=reddit / method=vanilla / workers=" + std::to_string(workers);
  const auto lines = scalingLines(runs.data, {});
  REQUIRE(lines.size() == 3);
  for (const ScalingLine& line : lines) CHECK(line.method == "vanilla");
  CHECK(lines[0].machine.isEmpty());
  CHECK(lines[1].machine == "fdr");
  CHECK(lines[2].machine == "gigabit");
  CHECK(lines[1].workers == std::vector<double>{8, 64});
  CHECK(lines[1].base != lines[2].base);
}

TEST_CASE("runs with other layers or widths are other lines, and do not cross", "[compared]") {
  ComparedRuns runs;
  for (const char* hidden : {"16", "256"}) {
    const std::int64_t id = runs.train("vanilla", 2, 0.5).id;
    runs.data.parameters[id] = {{"model.hidden", hidden}, {"model.layers", "2"}};
  }
  const auto lines = scalingLines(runs.data, {});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].method == "vanilla, hidden=16");
  CHECK(lines[1].method == "vanilla, hidden=256");
  CHECK(lines[0].base != lines[1].base);
}

TEST_CASE("pairs go by the rule of compare: layers, widths, data, and the run that was replayed",
          "[compared]") {
  ComparedRuns runs;
  const std::map<std::string, std::string> narrow = {{"model.hidden", "8"}, {"dataset.scale", "1.0"}};
  for (const double seconds : {0.5, 0.4}) runs.data.parameters[runs.train("vanilla", 2, seconds).id] = narrow;
  for (const std::map<std::string, std::string>& other :
       {std::map<std::string, std::string>{{"model.hidden", "512"}},
        {{"dataset.scale", "0.1"}},
        {{"result.run", "1"}}})
    runs.data.parameters[runs.add("simulation", "vanilla", 2, {{"epoch_seconds", 0.6}}, "simulated").id] =
        other;
  const auto pairs = simulatedPairs(runs.data, {});
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].measured->id == 1);
  CHECK(pairs[0].simulated->id == 5);
}

TEST_CASE("a simulation is held beside the youngest run that it is of", "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 4, 0.5);
  runs.train("vanilla", 4, 0.6);
  runs.train("vanilla", 8, 0.6);
  runs.train("vanilla", 4, 0.1).dataset = "reddit";
  runs.add("simulation", "vanilla", 4, {{"epoch_seconds", 0.4}}, "simulated");
  runs.add("simulation", "vanilla", 16, {{"epoch_seconds", 0.2}}, "simulated");
  runs.device("vanilla").workers = 4;  // engines
  const auto pairs = simulatedPairs(runs.data, {});
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].measured->id == 2);
  CHECK(pairs[0].simulated->id == 5);
}

TEST_CASE("runs of other partitioners are other lines, whatever names call them", "[compared]") {
  for (const char* key : {"method", "partition.method"}) {
    ComparedRuns runs;
    for (const char* partitioner : {"metis", "random"})
      for (const int workers : {2, 4})
        runs.train("vanilla", workers, 0.5).name =
            std::string("x / vanilla / workers=") + std::to_string(workers) + " / " + key + "=" + partitioner;
    const auto lines = scalingLines(runs.data, {});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].method == QString("vanilla, %1=metis").arg(key));
    CHECK(lines[0].workers == std::vector<double>{2, 4});
    CHECK(lines[1].method == QString("vanilla, %1=random").arg(key));
  }
  // what stands elsewhere is not said again
  ComparedRuns runs;
  RunRow& run = runs.train("vanilla", 2, 0.5);
  run.name = "x / big / name=cora / method=vanilla / graph=cora / seed=3 / workers=2";
  CHECK(variation(run, runs.data).isEmpty());
}

TEST_CASE("replays of one method and link are one line over the workers of their runs", "[compared]") {
  ComparedRuns runs = replays();
  const auto lines = linesOf(runs, {5, 6, 7, 8});
  REQUIRE(lines.size() == 2);
  for (const ScalingLine& line : lines) {
    CHECK(line.replayed);
    CHECK(line.method == "vanilla");
    CHECK(line.workers == std::vector<double>{2, 4});
  }
  CHECK(lines[0].machine == "10gbe");
  CHECK(lines[1].machine == "1gbe");
  CHECK(lines[0].base != lines[1].base);
  // a simulation of the cluster is no replay, though on a link of that name
  runs.add("simulation", "vanilla", 8, {{"epoch_seconds", 0.1}}, "simulated").name = "x / 10gbe / workers=8";
  CHECK(linesOf(runs, {5, 6, 7, 8, 9}).size() == 3);
}

TEST_CASE("replays of runs that were varied are lines of their own, and so are other links", "[compared]") {
  ComparedRuns runs = replays();
  runs.data.runs[1].name = "x / vanilla / overlap=local-first / workers=4";  // of runs 6 and 8
  auto lines = linesOf(runs, {5, 6});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].method == "vanilla");
  CHECK(lines[1].method == "vanilla, overlap=local-first");
  CHECK(lines[0].base == lines[1].base);

  runs = replays();
  for (const std::int64_t replay : {5, 6}) runs.data.parameters[replay]["result.machine"] = "its own link";
  lines = linesOf(runs, {5, 6});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].machine == "its own link of 9.4 Gbit/s, 20 µs");
  runs.data.parameters[6]["result.gb_per_s"] = "0.1175";
  CHECK(linesOf(runs, {5, 6}).size() == 2);

  // of a run that is no more nothing else is known
  runs = replays();
  runs.data.parameters[6]["simulate.replayed_fingerprint"] = "\"another\"";
  lines = linesOf(runs, {5, 6});
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].method == "vanilla, run 2");
}
