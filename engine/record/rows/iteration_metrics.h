#pragma once

#include <string>
#include <utility>

#include "engine/record/rows/metric.h"

namespace halo {

// Metrics of iterations that both training and simulations record, each declared once. `help` says which
// iterations they are medians of.

inline Metric iterationSecondsMetric(std::string help, bool timed = false) {
  return {"iteration_seconds", "iteration, median once it is steady", Metric::Unit::seconds, std::move(help),
          timed};
}
inline Metric mtepsMetric(std::string help, bool timed = false) {
  return {"mteps", "edges traversed a second, 10^6", Metric::Unit::plain, std::move(help), timed};
}

}  // namespace halo
