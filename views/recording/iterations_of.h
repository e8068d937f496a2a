#pragma once

#include <QString>
#include <optional>

#include "views/recording/run_data.h"
#include "views/recording/time_window.h"

namespace halo {

/// Why a run has no iterations.
QString noBatches(const RunRow& run);

/// Iterations of an epoch, as far as the recording knows; at least 1.
double iterationsPerEpoch(const RunData& data);

/// The number of an iteration, counted over all epochs.
inline double placeOf(const IterationRow& row, double perEpoch) {
  return static_cast<double>(row.epoch) * perEpoch + static_cast<double>(row.iteration);
}

/// Iterations counted over all epochs, both ends included.
struct IterationRange {
  double first = 0, last = 0;
  bool operator==(const IterationRange&) const = default;
};

/// The recorded iterations that lie in `time`, whole or in part; none: there are none. Cost: one pass.
std::optional<IterationRange> iterationsIn(const RunData& data, TimeRange time);
/// From the begin of the first recorded iteration in `range` to the end of the last; empty: there is none.
TimeRange timeOf(const RunData& data, const IterationRange& range);

}  // namespace halo
