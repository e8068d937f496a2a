#pragma once

#include <QString>
#include <algorithm>

#include "views/recording/nothing_recorded.h"
#include "views/recording/run_data.h"

namespace halo {

/// Why a run has no iterations.
inline QString noBatches(const RunRow& run) {
  return run.kind == "training"
             ? nothingOf(run, "No iteration has been recorded yet.",
                         "This run is %1, and recorded no iterations: it does not train in mini-batches, or "
                         "record.iterations is none.")
             : QString("A simulation records no iterations.");
}

/// Iterations of an epoch, as far as the recording knows; at least 1.
inline double iterationsPerEpoch(const RunData& data) {
  double most = 1;
  for (const IterationRow& row : data.batches.iterations)
    most = std::max(most, static_cast<double>(row.iteration + 1));
  const auto recorded = data.latest.find("iterations_per_epoch");
  return recorded == data.latest.end() ? most : std::max(most, recorded->second);
}

}  // namespace halo
