#include "app/report/metrics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "engine/base/index.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/tables/runs.h"
#include "simulator/contract/simulation_kind.h"
#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("a method's own figures are reported as its file declares them", "[metrics]") {
  for (const auto& [name, entry] : registry<MethodEntry>())
    for (const Metric& figure : entry.figures) {
      CAPTURE(name, figure.key);
      const Metric* metric = metricNamed(figure.key);
      REQUIRE(metric != nullptr);
      CHECK(metric->title == figure.title);
      CHECK(metric->unit == figure.unit);
      CHECK(metric->timed == figure.timed);
    }
  CHECK(metricNamed("mean_bits") != nullptr);
  std::set<std::string> keys;
  for (const Metric& metric : metrics()) CHECK(keys.insert(metric.key).second);
}

TEST_CASE("a simulation's own figures are reported as its kind's file declares them", "[metrics]") {
  for (const auto& [name, entry] : registry<sim::SimulationEntry>()) {
    CAPTURE(name);
    CHECK_FALSE(entry.metrics.empty());
    std::set<std::string> keys;
    for (const Metric& figure : entry.metrics) {
      CAPTURE(figure.key);
      CHECK(keys.insert(figure.key).second);
      const Metric* metric = metricNamed(figure.key);
      REQUIRE(metric != nullptr);
      CHECK(metric->title == figure.title);
      CHECK(metric->unit == figure.unit);
    }
  }
}

TEST_CASE("a figure that nobody declared is reported by the name it was recorded under", "[metrics]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  RunRow run;
  run.id = Runs(database).add(run);
  Runs(database).setLatest(run.id, {{"never_heard_of_bytes", 2048.0}, {"loss", 0.5}});
  CHECK(metricNamed("never_heard_of_bytes") == nullptr);
  learnMetrics(database);
  const Metric* learned = metricNamed("never_heard_of_bytes");
  REQUIRE(learned != nullptr);
  CHECK(learned->title == "never heard of bytes");
  CHECK(learned->unit == Metric::Unit::bytes);
  const std::vector<MetricValue> values = metricsOf(database, run);
  REQUIRE(values.size() == metrics().size());
  CHECK(values[at(learned - metrics().data())] == 2048);
}
