#include "app/report/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/report/table.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "simulator/contract/simulation_kind.h"

namespace halo {

using Unit = Metric::Unit;

namespace {

std::vector<Metric>& knownMetrics() {
  static std::vector<Metric> all = [] {
    std::vector<Metric> metrics;
    for (const RunMetric& each : metricsOfRuns()) metrics.push_back(each.metric);
    const auto add = [&](const std::vector<Metric>& more) {
      for (const Metric& metric : more)
        if (std::ranges::find(metrics, metric.key, &Metric::key) == metrics.end()) metrics.push_back(metric);
    };
    for (const auto& [name, entry] : registry<MethodEntry>()) add(entry.figures);
    for (const auto& [name, entry] : registry<sim::SimulationEntry>()) add(entry.metrics);
    return metrics;
  }();
  return all;
}

/// Of a figure that nobody declared: as its name says, in which the unit stands.
Metric undeclared(const std::string& key) {
  Metric metric{key, key, Unit::plain};
  if (key.ends_with("_seconds")) metric.unit = Unit::seconds;
  if (key.ends_with("_bytes")) metric.unit = Unit::bytes;
  std::ranges::replace(metric.title, '_', ' ');
  return metric;
}

}  // namespace

const std::vector<Metric>& metrics() { return knownMetrics(); }

void learnMetrics(Database& database) {
  Statement names(database, "SELECT DISTINCT metric FROM latest ORDER BY metric");
  while (names.step())
    if (const std::string key = names.text(0); metricNamed(key) == nullptr)
      knownMetrics().push_back(undeclared(key));
}

const Metric* metricNamed(const std::string& key) {
  const auto metric = std::ranges::find(metrics(), key, &Metric::key);
  return metric == metrics().end() ? nullptr : &*metric;
}

std::string metricText(const Metric& metric, double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (std::isnan(value)) return "–";
  if (metric.key.ends_with("_bytes_per_second"))  // decimal, as devices and links state it
    return fmt::format("{} GB/s", shortNumber(value * 1e-9));
  switch (metric.unit) {
    case Unit::seconds:
      return secondsText(value);
    case Unit::bytes:
      return byteText(value);
    case Unit::plain:
      break;
  }
  return shortNumber(value);
}

std::string metricText(const Metric& metric, const MetricValue& value) {
  return isLost(value) ? "NaN" : metricText(metric, orNaN(value));
}

bool isLost(const MetricValue& value) { return value && std::isnan(*value); }

double orNaN(const MetricValue& value) { return value.value_or(std::numeric_limits<double>::quiet_NaN()); }

MetricValues metricsOf(Database& database, const RunRow& run) {
  std::map<std::string, double> figures = Runs(database).latest(run.id);
  if (figures.empty()) {  // a recording whose supervisor kept no table `latest`
    const Epochs table(database);
    figures =
        summarise(table.epochs(run.id), table.layers(run.id), Runs(database).workers(run.id), run.workers);
  }
  MetricValues values;
  for (const Metric& metric : metrics()) {
    const auto figure = figures.find(metric.key);
    values.push_back(figure == figures.end() ? MetricValue() : figure->second);
  }
  return values;
}

}  // namespace halo
