// Names with anything in them through the writers of this folder, each result read by a parser of its format.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/plain_text.h"
#include "engine/record/export/export.h"
#include "engine/record/tables/components.h"
#include "engine/record/tables/runs.h"
#include "tests/support/csv.h"
#include "tests/support/hostile_names.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::Csv;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

/// A run in which everything that can be named is called so.
std::int64_t addNamed(Database& database, const std::string& name) {
  Runs runs(database);
  RunRow run;
  run.experimentId = runs.addExperiment(name, name);
  for (std::string* text : {&run.name, &run.method, &run.dataset, &run.model, &run.error, &run.marks,
                            &run.host, &run.version, &run.fingerprint, &run.tags, &run.startedAt})
    *text = name;
  const std::int64_t id = runs.add(run);
  WorkerRow worker;
  worker.host = worker.role = name;
  runs.setWorkers(id, {worker});
  runs.setParameters(id, {{name, name}});
  runs.setLatest(id, {{name, 1}});
  runs.addArtifact(id, {name, name, name});
  const ComponentRow component{name, name, 1, 2, 3, 4};
  Components(database).append(id, std::span(&component, 1));
  return id;
}

}  // namespace

TEST_CASE("any name stands whole in every CSV file of an export", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  for (const std::string& name : test::hostileNames()) {
    CAPTURE(name);
    const std::int64_t run = addNamed(database, name);
    const auto out = folder / ("out" + std::to_string(run));
    exportCsv(database, run, out);
    const std::string expected = validUtf8(name);
    for (const auto& entry : std::filesystem::directory_iterator(out))
      CHECK_NOTHROW(Csv(contents(entry.path())));
    const auto field = [&](const char* file, const char* heading) {
      return Csv(contents(out / file)).at(0, heading);
    };
    for (const char* heading :
         {"name", "method", "dataset", "model", "error", "marks", "host", "version", "tags"})
      CHECK(field("run.csv", heading) == expected);
    CHECK(field("experiment.csv", "text") == expected);
    CHECK(field("worker.csv", "host") == expected);
    CHECK(field("parameter.csv", "key") == expected);
    CHECK(field("latest.csv", "metric") == expected);
    CHECK(field("artifact.csv", "name") == expected);
    CHECK(field("component.csv", "device") == expected);
  }
}

TEST_CASE("text that would be a formula in a spreadsheet gets an apostrophe where asked, numbers never",
          "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  for (const char* name : {"=1+1", "+1", "-1", "@x", "\t=1", "\r=1"}) {
    CAPTURE(name);
    const std::int64_t run = addNamed(database, name);
    const auto out = folder / ("out" + std::to_string(run));
    exportCsv(database, run, out);
    CHECK(Csv(contents(out / "run.csv")).at(0, "name") == name);
    exportCsv(database, run, out, /*force=*/true, CsvFor::spreadsheet);
    const Csv table(contents(out / "run.csv"));
    CHECK(table.at(0, "name") == std::string("'") + name);
    CHECK(table.at(0, "seed") == "1");
    CHECK(Csv(contents(out / "parameter.csv")).at(0, "value") == std::string("'") + name);
  }
  const std::int64_t plain = addNamed(database, "a=1");
  exportCsv(database, plain, folder / "plain", false, CsvFor::spreadsheet);
  CHECK(Csv(contents(folder / "plain/run.csv")).at(0, "name") == "a=1");
}

TEST_CASE("any name stands whole in a Chrome trace", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  for (const std::string& name : test::hostileNames()) {
    CAPTURE(name);
    const std::int64_t run = addNamed(database, name);
    const auto file = folder / ("t" + std::to_string(run) + ".json");
    exportChromeTrace(database, run, file);
    const auto trace = nlohmann::json::parse(contents(file));  // throws for what is no JSON, or no UTF-8
    const std::string expected = validUtf8(name);
    CHECK(trace.at("otherData").at("run") == expected);
    CHECK(trace.at("otherData").at("dataset") == expected);
    CHECK(trace.at("traceEvents").at(0).at("args").at("name") ==
          "rank 0" + (expected.empty() ? "" : " on " + expected));
  }
}
