// A simulation of training beside the run it is of.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "engine/record/tables/runs.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

std::int64_t add(Database& database, const char* kind, std::int64_t workers, double epochSeconds,
                 const std::map<std::string, std::string>& parameters) {
  Runs runs(database);
  RunRow row;
  row.experimentId = 1;
  row.kind = kind;
  row.name = row.method = "vanilla";
  row.dataset = "karate";
  row.model = "gcn";
  row.workers = row.kind == "simulation" ? 1 : workers;  // lanes
  row.status = "completed";
  row.marks = row.kind == "simulation" ? "simulated" : "";
  const std::int64_t run = runs.add(row);
  runs.setParameters(run, parameters);
  runs.setLatest(run, {{"epoch_seconds", epochSeconds}, {"bytes_per_epoch", 1000}});
  if (row.kind == "simulation") runs.setLatest(run, {{"simulated_workers", static_cast<double>(workers)}});
  return run;
}

}  // namespace

TEST_CASE("compare has a simulation over the run it is of, and no keys that only one of them has", "[app]") {
  const Program haloscope;
  {
    Database database(haloscope.folder() / "recordings.db", Access::create);
    Runs(database).addExperiment("both", "schema = 1\n");
    add(database, "training", 4, 0.5,
        {{"partition.method", "metis"},
         {"training.epochs", "3"},
         {"training.optimizer", "adam"},
         {"model.layers", "2"}});
    add(database, "simulation", 4, 0.6,
        {{"partition.method", "metis"},
         {"training.optimizer", "sgd"},
         {"simulate.topology", "fat-tree"},
         {"factor.x", "1"},
         {"model.layers", "2"}});
    add(database, "simulation", 8, 0.4,
        {{"partition.method", "metis"}, {"factor.x", "2"}, {"factor.x.source", "assumed: a"}});
  }
  const Ended compared = haloscope({"compare", "1", "2"});
  CAPTURE(compared.out, compared.error);
  REQUIRE(compared.status == 0);
  CHECK(holds(compared.out, "#2 vanilla ÷ #1 vanilla, simulated ÷ measured: epoch, median 1.200\n"));
  CHECK(holds(compared.out, "simulated ÷ measured: volume, mean of epochs 1\n"));
  CHECK(holds(compared.out, "kind"));
  CHECK(holds(compared.out, "training.optimizer"));
  for (const char* alone : {"simulate.topology", "factor.x", "training.epochs"}) {
    CAPTURE(alone);
    CHECK_FALSE(holds(compared.out, alone));
  }

  const auto comparison = comparisonOf(haloscope({"compare", "1", "2", "3", "--json"}).out);
  int ratios = 0;
  for (const auto& ratio : comparison.at("simulated")) {
    ++ratios;
    CHECK(ratio.at("simulated") == 2);
    CHECK(ratio.at("measured") == 1);
    if (ratio.at("metric") == "epoch_seconds") CHECK(ratio.at("simulated_over_measured") == Approx(1.2));
  }
  CHECK(ratios == 2);  // of the second; eight workers have no run

  const std::string alike = haloscope({"compare", "2", "3"}).out;
  CHECK_FALSE(holds(alike, "factor."));
  CHECK_FALSE(holds(alike, "simulated ÷ measured"));
  CHECK(holds(alike, "simulate.topology"));
}

TEST_CASE("compare puts a simulation only over a run of one model and data, and a replay over its own run",
          "[app]") {
  const Program haloscope;
  {
    Database database(haloscope.folder() / "recordings.db", Access::create);
    Runs(database).addExperiment("both", "schema = 1\n");
    const std::map<std::string, std::string> narrow = {{"model.hidden", "8"}, {"dataset.scale", "1"}};
    add(database, "training", 2, 0.5, narrow);
    add(database, "training", 2, 0.4, narrow);
    add(database, "simulation", 2, 0.6, {{"model.hidden", "512"}});
    add(database, "simulation", 2, 0.6, {{"dataset.scale", "0.1"}});
    add(database, "simulation", 2, 0.6, {{"result.run", "1"}});
    add(database, "training", 4, 0.3, {{"partition.method", "random"}, {"training.epochs", "3"}});
    for (const char* partition : {"metis", "random"})
      add(database, "simulation", 4, 0.6, {{"partition.method", partition}});
  }
  std::set<std::pair<int, int>> pairs;
  const auto comparison =
      comparisonOf(haloscope({"compare", "1", "2", "3", "4", "5", "6", "7", "8", "--json"}).out);
  for (const auto& ratio : comparison.at("simulated"))
    pairs.emplace(ratio.at("simulated"), ratio.at("measured"));
  CHECK(pairs == std::set<std::pair<int, int>>{{5, 1}, {8, 6}});
}

TEST_CASE("compare holds a simulation of a period of epochs against the mean epoch of runs with its seed",
          "[app]") {
  const Program haloscope;
  {
    Database database(haloscope.folder() / "recordings.db", Access::create);
    Runs(database).addExperiment("seeds", "schema = 1\n");
    add(database, "training", 2, 0.5, {{"training.seed", "1"}});
    add(database, "training", 2, 0.25, {{"training.seed", "2"}});
    add(database, "simulation", 2, 0.75,
        {{"training.seed", "1"}, {"result.period", "16"}, {"result.unlike_epochs", "1"}});
    add(database, "simulation", 2, 0.75,
        {{"training.seed", "2"}, {"result.period", "5"}, {"result.unlike_epochs", "2"}});
    for (const int run : {1, 2}) Runs(database).setLatest(run, {{"mean_epoch_seconds", 3}});
  }
  std::map<std::pair<int, std::string>, double> ratios;
  const auto comparison = comparisonOf(haloscope({"compare", "1", "2", "3", "4", "--json"}).out);
  for (const auto& ratio : comparison.at("simulated"))
    ratios[{ratio.at("simulated"), ratio.at("metric")}] = ratio.at("simulated_over_measured");
  CHECK(ratios[{3, "epoch_seconds"}] == Approx(0.75 / 0.5));
  CHECK(ratios[{4, "mean_epoch_seconds"}] == Approx(0.75 / 3));
  CHECK_FALSE(ratios.contains({4, "epoch_seconds"}));
}

TEST_CASE("compare has no changes from one data set to another, and factors where there is much between",
          "[app]") {
  const Program haloscope;
  {
    Database database(haloscope.folder() / "recordings.db", Access::create);
    Runs(database).addExperiment("graphs", "schema = 1\n");
    add(database, "simulation", 1, 6.31e-11, {{"simulate.graph", "\"orkut\""}});
    add(database, "simulation", 1, 0.5, {{"simulate.graph", "\"reddit\""}});
    add(database, "simulation", 1, 6.31e-9, {{"simulate.graph", "\"orkut\""}, {"simulate.slices", "2"}});
    add(database, "simulation", 1, 7.5e-11, {{"simulate.graph", "\"orkut\""}, {"simulate.slices", "3"}});
  }
  const Ended compared = haloscope({"compare", "1", "2", "3", "4"});
  CAPTURE(compared.out);
  CHECK(holds(compared.out, "63.1 ps"));
  CHECK(holds(compared.out, "6.31 ns"));
  CHECK(holds(compared.out, "× 100"));
  CHECK(holds(compared.out, "+18.9 %"));
  CHECK_FALSE(holds(compared.out, "792393"));
  CHECK(holds(compared.out, "no changes from #1 vanilla to #2 vanilla: other data, other work\n"));
  const auto columns = comparisonOf(haloscope({"compare", "1", "2", "3", "--json"}).out).at("columns");
  CHECK_FALSE(columns.at(1).contains("epoch_seconds_change_percent"));
  CHECK(columns.at(2).contains("epoch_seconds_change_percent"));
}

TEST_CASE("a gate has no percentages from one data set to another, and says so", "[app]") {
  const Program haloscope;
  {
    Database database(haloscope.folder() / "recordings.db", Access::create);
    Runs(database).addExperiment("graphs", "schema = 1\n");
    add(database, "simulation", 1, 0.5, {{"simulate.graph", "\"orkut\""}});
    add(database, "simulation", 1, 0.50001, {{"simulate.graph", "\"reddit\""}});
    add(database, "simulation", 1, 0.49999, {{"simulate.graph", "\"orkut\""}, {"simulate.slices", "2"}});
  }
  haloscope.file("limits.toml", "[epoch_seconds]\nmax_increase_percent = 5\n");
  const Ended across = haloscope({"compare", "1", "2", "--gate", "limits.toml"});
  CAPTURE(across.out, across.error);
  CHECK(across.status == 6);
  CHECK(
      holds(across.error,
            "gate not met by #2 vanilla: epoch_seconds has no change from #1 vanilla in percent: other data, "
            "other work\n"));
  const Ended alike = haloscope({"compare", "1", "3", "--gate", "limits.toml"});
  CHECK(alike.status == 0);
  CHECK(holds(alike.out, " 0.0 %"));
  CHECK_FALSE(holds(alike.out, "-0.0 %"));
  haloscope.file("level.toml", "[epoch_seconds]\nmax = 1\n");
  CHECK(haloscope({"compare", "1", "2", "--gate", "level.toml"}).status == 0);
}

TEST_CASE("compare names it where one of two simulated methods keeps layer 0's aggregate", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "two.toml",
      "schema = 1\nname = \"two\"\n[dataset]\nname = \"karate\"\n[[simulate]]\ncluster = \"emulated-10gbe\"\n"
      "method = \"vanilla\"\nworkers = 2\n[[simulate]]\ncluster = \"emulated-10gbe\"\nmethod = \"bns\"\n"
      "workers = 2\n");
  const Ended ran = haloscope({"simulate", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const auto fairness = comparisonOf(haloscope({"compare", "1", "2", "--json"}).out).at("fairness");
  CHECK(std::ranges::any_of(fairness, [](const nlohmann::json& sentence) {
    return holds(sentence.get<std::string>(), "layer0_cache");
  }));
}
