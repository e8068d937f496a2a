// What `compare` says of where the time of two configurations differs.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "engine/record/comparison/scope.h"
#include "engine/record/database/database.h"
#include "engine/record/tables/epochs.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

double meanEpochNs(const Program& haloscope, const std::vector<std::int64_t>& runs, const Scope& scope) {
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  double mean = 0;
  for (const std::int64_t run : runs) {
    const auto epochs = epochsIn(Epochs(database).epochs(run), scope);
    double sum = 0;
    for (const EpochRow& epoch : epochs) sum += static_cast<double>(epoch.wallNs);
    mean += sum / static_cast<double>(epochs.size() * runs.size());
  }
  return mean;
}

}  // namespace

TEST_CASE("compare says where the time of two configurations differs, in one object that adds up", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(8, 2, "[[run]]\nmethod = \"pipegcn\"\n");
  REQUIRE(haloscope({"run", file, "--set", "training.repeat=3"}).status == 0);
  const auto json = comparisonOf(haloscope({"compare", "1", "2", "3", "4", "5", "6", "--json"}).out);
  REQUIRE(json.at("columns").size() == 2);
  const auto runsOf = [&](std::size_t column) {
    return json.at("columns").at(column).at("runs").get<std::vector<std::int64_t>>();
  };
  const double first = meanEpochNs(haloscope, runsOf(0), {}), second = meanEpochNs(haloscope, runsOf(1), {});
  CHECK(json.at("columns").at(0).at("epochs_in_scope").at("mean_ns").get<double>() == Approx(first));
  CHECK(json.at("delta_ns").get<double>() == Approx(second - first).margin(1e-3));
  std::int64_t sum = 0;
  for (const auto& step : json.at("waterfall")) sum += step.at("ns").get<std::int64_t>();
  CHECK(sum == std::llround(second - first));
  CHECK(json.at("waterfall_by") == "spans");
  REQUIRE_FALSE(json.at("differences").empty());
  for (const auto& difference : json.at("differences")) {
    for (const char* key : {"count", "total_ns", "median_ns", "p95_ns", "mean_ns"})
      CHECK(difference.at(key).size() == 2);
    CHECK(difference.at("interval").size() == 2);
    CHECK(difference.at("delta").get<double>() ==
          Approx(difference.at("mean_ns").at(1).get<double>() - difference.at("mean_ns").at(0).get<double>())
              .margin(1e-6));
  }
  const auto& to = json.at("time_to_accuracy");
  CHECK(to.at("split") == "valid");
  for (const auto& column : to.at("columns")) {
    CHECK(column.at("reached") == 3);
    for (const char* key : {"epoch_seconds", "wall_seconds", "bytes"}) {
      const auto ends = column.at(std::string(key) + "_interval").get<std::vector<double>>();
      REQUIRE(ends.size() == 2);
      CHECK(ends[0] <= column.at(key).get<double>());
      CHECK(ends[1] >= column.at(key).get<double>());
    }
  }
  CHECK(to.at("columns").at(0).at("epoch_seconds_delta").is_null());
  CHECK(to.at("columns").at(1).at("epoch_seconds_delta").get<double>() ==
        Approx(to.at("columns").at(1).at("epoch_seconds").get<double>() -
               to.at("columns").at(0).at("epoch_seconds").get<double>()));
  CHECK(to.at("columns").at(1).at("epoch_seconds_delta_interval").size() == 2);
}

TEST_CASE("compare's tables name epochs, parts, spans and scores", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(4, 2, "[[run]]\nmethod = \"pipegcn\"\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const std::string output = haloscope({"compare", "1", "2"}).out;
  CAPTURE(output);
  for (const char* part : {"epochs in scope", "where the mean epoch changes", "together",
                           "spans, an epoch and worker", "aggregate", "to valid score", "95 % interval"})
    CHECK(holds(output, part));
  CHECK_FALSE(holds(haloscope({"compare", "1"}).out, "epochs in scope"));
}

TEST_CASE("the epochs that compare looks at, and the score, can be chosen", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(6, 2, "[[run]]\nmethod = \"sar\"\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto json =
      comparisonOf(haloscope({"compare", "1", "2", "--epochs", "2:4", "--accuracy", "0", "--json"}).out);
  CHECK(json.at("columns").at(1).at("epochs_in_scope").at("number") == nlohmann::json{3});
  CHECK(json.at("delta_ns").get<double>() ==
        Approx(meanEpochNs(haloscope, {2}, {2, 4}) - meanEpochNs(haloscope, {1}, {2, 4})).margin(1e-3));
  CHECK(json.at("time_to_accuracy").at("columns").at(0).at("runs").at(0).at("epoch") == 0);
  const auto never = comparisonOf(haloscope({"compare", "1", "2", "--accuracy", "1", "--json"}).out);
  for (const auto& column : never.at("time_to_accuracy").at("columns"))
    if (column.at("reached") == 0) CHECK(column.at("wall_seconds").is_null());
  for (const char* wrong : {"a", "4:2", "2:b", "-1:3", "1:2:3"}) {
    CAPTURE(wrong);
    const Ended refused = haloscope({"compare", "1", "2", std::string("--epochs=") + wrong});
    CHECK(refused.status == 2);
    CHECK(holds(refused.error, "--epochs"));
  }
  const auto beyond = comparisonOf(haloscope({"compare", "1", "2", "--epochs", "90:", "--json"}).out);
  CHECK(beyond.at("notes").at(0) == "Run 1 has no epoch in scope.");
  CHECK(beyond.at("waterfall").empty());
}

TEST_CASE("of three configurations each is held against the first", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(
      4, 2, "[[run]]\nmethod = \"sar\"\n[[run]]\nmethod = \"single\"\ncluster.workers = 1\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto json = comparisonOf(haloscope({"compare", "1", "2", "3", "--json"}).out);
  REQUIRE(json.at("further").size() == 1);
  const auto& third = json.at("further").at(0);
  CHECK(third.at("column") == 3);
  CHECK_FALSE(third.at("waterfall").empty());
  const auto single = comparisonOf(haloscope({"compare", "1", "--json"}).out);
  CHECK(single.at("waterfall").empty());
  CHECK(single.at("differences").empty());
}
