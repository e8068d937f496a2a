#pragma once

#include <QString>
#include <optional>

#include "views/recording/run_data.h"

namespace halo {

/// How far a run that goes on is.
struct RunProgress {
  std::int64_t epochs = 0;              // that are over
  std::optional<std::int64_t> planned;  // by the experiment; none: not recorded
  double perSecond = 0;                 // epochs of late; 0: none is over
  std::optional<double> secondsLeft;    // at that rate

  bool operator==(const RunProgress&) const = default;
};

/// The rate is that of the last twenty epochs, from the begin of the first to the end of the last: what lies
/// between them counts, such as evaluation.
RunProgress progressOf(const RunData& run);

/// "epoch 37 of 200, 12.3 epochs/s, time left 13.2 s"; empty before the first epoch.
QString progressText(const RunProgress& progress);

}  // namespace halo
