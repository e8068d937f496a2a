#pragma once

#include <string_view>
#include <vector>

#include "engine/record/rows/metric.h"

namespace halo {

// Metrics that both training on a node and its simulation record, each declared once.

Metric cpuShareMetric();
Metric decisionsMetric();
Metric windowsToRestMetric();
Metric prefetchHiddenShareMetric();

/// What predictionErrors() returns: of an iteration, then of its stages. `quotient` is of times, "predicted ÷
/// measured"; `remark` says what is held against what.
std::vector<Metric> predictionErrorMetrics(std::string_view quotient, std::string_view remark);

}  // namespace halo
