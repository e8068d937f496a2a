// What is said of the performance model of a run whose stages this machine does.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <set>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

std::string trainedOn(const std::string& devices) {
  return "schema = 1\n[dataset]\nname = \"karate\"\n[model]\nlayers = 2\n[training]\nepochs = 4\n"
         "[cluster]\nworkers = 1\n[[run]]\nmethod = \"hyscale\"\nbatch = 1\ncards = 1\nfanouts = \"4,3\"\n" +
         devices;
}

void change(const Program& haloscope, const std::string& words) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((haloscope.folder() / "recordings.db").c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, words.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

/// Makes of a run on a virtual clock one that this machine timed, with these errors of its model.
void make(const Program& haloscope, int run, double others, double load) {
  const std::string thatRun = " WHERE run_id = " + std::to_string(run);
  change(haloscope, "UPDATE parameter SET value = '\"host\"'" + thatRun + " AND key = 'run.device'");
  change(haloscope,
         "UPDATE parameter SET value = '\"mine-platform.toml\"'" + thatRun + " AND key = 'run.platform'");
  change(haloscope, "UPDATE latest SET value = " + std::to_string(others) + thatRun +
                        " AND metric LIKE 'prediction_error%'");
  change(haloscope, "UPDATE latest SET value = " + std::to_string(load) + thatRun +
                        " AND metric = 'prediction_error_load'");
}

}  // namespace

TEST_CASE("a run on this machine says of an iteration and every stage whether its model comes out", "[app]") {
  const Program haloscope;
  const Ended ran =
      haloscope({"--quiet", "run", haloscope.file("host.toml", trainedOn("device = \"host\"\n"))});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const auto run = jsonLines(haloscope({"show", "last", "--json"}).out).front();
  const auto& model = run.at("performance_model");
  CHECK(model.at("measured") == true);
  CHECK(model.at("platform") == "hyscale-u250");
  std::set<std::string> parts;
  bool holdsAll = true;
  for (const auto& part : model.at("parts")) {
    const std::string name = part.at("part");
    parts.insert(name);
    const std::string metric = name == "iteration" ? "prediction_error" : "prediction_error_" + name;
    CHECK(part.at("error") == run.at("latest").at(metric));
    const bool fits = std::abs(part.at("error").get<double>()) <= 0.15;
    CHECK(part.at("fits") == fits);
    CHECK((fits || holds(model.at("sentence"), name)));
    holdsAll = holdsAll && fits;
  }
  CHECK(parts == std::set<std::string>{"iteration", "sample", "load", "transfer", "propagate"});
  CHECK(model.at("holds") == holdsAll);
  CHECK_FALSE(holdsAll);  // nobody's threads are four U250
  const std::string text = haloscope({"show", "last"}).out;
  CHECK(holds(text, "Performance model"));
  CHECK(holds(text, "does not come out: "));
  CHECK(holds(text, "by the figures of platform hyscale-u250"));
}

TEST_CASE("with modelled devices it says that no machine is measured", "[app]") {
  const Program haloscope;
  const Ended ran =
      haloscope({"--quiet", "run", haloscope.file("modelled.toml", trainedOn("clock = \"virtual\"\n"))});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const auto model = jsonLines(haloscope({"show", "last", "--json"}).out).front().at("performance_model");
  CHECK(model.at("measured") == false);
  CHECK(model.at("holds").is_null());
  const std::string text = haloscope({"show", "last"}).out;
  CHECK(holds(text, "model against model, no machine is measured"));
  CHECK_FALSE(holds(text, "come out"));
}

TEST_CASE("beside each other, runs on this machine say whose model comes out, and which stage fails",
          "[app]") {
  const Program haloscope;
  for (const std::string prefetch : {"none", "one", "two"}) {
    const std::string devices = "clock = \"virtual\"\nprefetch = \"" + prefetch + "\"\n";
    const Ended ran = haloscope({"--quiet", "run", haloscope.file(prefetch + ".toml", trainedOn(devices))});
    CAPTURE(ran.error);
    REQUIRE(ran.status == 0);
  }
  make(haloscope, 1, 0.1, -0.149);
  make(haloscope, 2, 0.1, -0.312);
  const std::string text = haloscope({"compare", "1", "2", "3"}).out;
  CAPTURE(text);
  CHECK(holds(text, "#1 hyscale, performance model: comes out: iteration +10.0 %"));
  CHECK(
      holds(text,
            "#2 hyscale, performance model: does not come out: load -31.2 %; 15 % either way are allowed, by "
            "the figures of platform mine-platform.toml\n"));
  CHECK_FALSE(holds(text, "#3 hyscale, performance model"));  // no machine is measured
  const auto models =
      comparisonOf(haloscope({"compare", "1", "2", "3", "--json"}).out).at("performance_models");
  REQUIRE(models.size() == 2);
  CHECK(models[0].at("run") == 1);
  CHECK(models[0].at("holds") == true);
  CHECK(models[1].at("run") == 2);
  CHECK(models[1].at("holds") == false);
  CHECK(holds(models[1].at("sentence"), "load -31.2 %"));
}
