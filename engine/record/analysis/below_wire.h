#pragma once

#include <map>
#include <string>

#include "engine/record/analysis/pairing.h"

namespace halo {

/// Marks a run whose median epoch is shorter than the busiest card's bytes of a mean epoch take at its link's
/// bandwidth, emulated or real. The run's epochs then differ. Where the mean is shorter too, the mark is
/// another. Else "". latest: the run's metrics.
std::string belowWire(const PairedRun& run, const std::map<std::string, double>& latest);

}  // namespace halo
