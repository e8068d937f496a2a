#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/metric.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// All metrics, in the order of reports. Those of any run come first, then those that the methods declare of
/// their own (MethodEntry::figures). Those of simulations follow, and at last what recordings had besides
/// (learnMetrics).
const std::vector<Metric>& metrics();
/// A metric of any training run.
struct RunMetric {
  Metric metric;
  std::string subject;  // the list of the manual that it stands in
};
const std::vector<RunMetric>& metricsOfRuns();
/// Adds what a recording has and nobody declared, under the name it is recorded by: a figure that was
/// measured is never left out. To be called before any values are read.
void learnMetrics(Database& database);
const Metric* metricNamed(const std::string& key);
/// "–" of NaN, which stands for what is not recorded.
std::string metricText(const Metric& metric, double value);

/// What a recording has of a metric. None: nothing, shown as "–" and left out of JSON. NaN: it was measured
/// and is no number, shown as NaN and null in JSON.
using MetricValue = std::optional<double>;
std::string metricText(const Metric& metric, const MetricValue& value);
bool isLost(const MetricValue& value);
double orNaN(const MetricValue& value);
/// In the order of metrics().
using MetricValues = std::vector<MetricValue>;
MetricValues metricsOf(Database& database, const RunRow& run);

}  // namespace halo
