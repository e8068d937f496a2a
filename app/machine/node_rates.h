#pragma once

#include <optional>

#include "app/machine/calibration.h"
#include "simulator/calibration/calibration_files.h"

namespace halo {

/// What one thread of this machine does as an actor of a hybrid node does it. The thread samples neighbours,
/// gathers rows, sums neighbours' rows, updates and copies. How long another thread takes to begin is timed
/// too. Each figure is the fastest of several runs. Nothing where it was stopped.
std::optional<sim::NodeRates> measureNode(bool quick, const KitProgress& progress);

}  // namespace halo
