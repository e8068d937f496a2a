#pragma once

#include <vector>

#include "engine/record/comparison/time_parts.h"

namespace halo {

/// How much of a change of the mean epoch is due to one part of its time.
struct WaterfallStep {
  TimePart part = TimePart::compute;
  std::int64_t ns = 0;
};

/// The mean epoch of a configuration's runs and its parts, ns. The parts are means over ranks and epochs of
/// the runs' means, and add up to the mean epoch.
struct MeanEpoch {
  double ns = 0;
  std::array<double, kTimeParts> parts{};
};
MeanEpoch meanEpoch(const std::vector<RunParts>& runs);

/// From the mean epoch of `a` to that of `b`: a step for each part that either has. The steps add up to the
/// difference of the means, rounded to the nanosecond; each is within 1 ns of its own difference.
std::vector<WaterfallStep> waterfall(const MeanEpoch& a, const MeanEpoch& b);

}  // namespace halo
