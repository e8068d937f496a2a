#pragma once

#include <string>
#include <vector>

#include "engine/record/database.h"
#include "engine/record/rows.h"

namespace halo {

/// One figure of a run as the reports name it (recording.md, "Definitions").
struct Metric {
  std::string key;    // with its unit: "epoch_seconds"
  std::string title;  // "epoch, median"
  enum class Unit { seconds, bytes, plain } unit = Unit::plain;
};

/// All metrics, in the order of reports.
const std::vector<Metric>& metrics();
const Metric* metricNamed(const std::string& key);
std::string metricText(const Metric& metric, double value);
/// Whether a training run's figure is made of times that its workers took, and so says little where they
/// shared cores.
bool isTimed(const Metric& metric);

/// Values in the order of metrics(); NaN: the recording does not have it.
std::vector<double> metricsOf(Database& database, const RunRow& run);

}  // namespace halo
