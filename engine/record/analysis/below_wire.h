#pragma once

#include <map>
#include <string>

#include "engine/record/analysis/pairing.h"

namespace halo {

/// The mark of a run whose median epoch is shorter than what the busiest card's bytes of a mean epoch take at
/// the bandwidth of its link, emulated or real: its epochs differ. Another where the mean is shorter, too.
/// Else "". latest: the run's metrics.
std::string belowWire(const PairedRun& run, const std::map<std::string, double>& latest);

}  // namespace halo
