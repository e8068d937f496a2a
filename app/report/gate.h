#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/report/metrics.h"

namespace halo {

/// Thresholds of one metric: a table of the gate file named like the metric.
///
///   [epoch_seconds]
///   max_increase_percent = 5.0   # against the first run
///   [test]
///   min = 0.8
struct Gate {
  std::string metric;
  std::optional<double> min, max, maxIncreasePercent, maxDecreasePercent;
};

/// Throws InputError with every problem of the file.
std::vector<Gate> readGates(const std::filesystem::path& file);

/// What changes are measured against.
struct Baseline {
  std::string title;  // "#1 vanilla"
  MetricValues values;
  std::string incomparable;  // why no change from it says anything; empty: it does
};

/// What `values` does not meet, a line each. A limit of a change that cannot be computed is not met; without
/// baseline, for the first run itself, it is not asked.
std::vector<std::string> unmet(const std::vector<Gate>& gates, const MetricValues& values,
                               const std::optional<Baseline>& baseline);

}  // namespace halo
