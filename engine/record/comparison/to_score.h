#pragma once

#include <functional>
#include <optional>

#include "engine/record/comparison/comparison.h"

namespace halo {

/// One figure of what the runs of a configuration took to the score.
struct ToScore {
  double mean = 0, median = 0;            // of the runs
  std::optional<Interval> interval = {};  // of the mean
  std::optional<double> delta = {};       // of the means, to the first configuration
  std::optional<Interval> change = {};    // of the delta
};

/// None where some run of it never got there. Intervals are of three runs or more: a run has one such figure
/// and no spread by itself. `delta`: none of the first configuration, of other data than that one's, and
/// where that one never got there.
std::optional<ToScore> toScore(const Comparison& comparison, std::size_t configuration,
                               const std::function<double(const Reached&)>& figure);

}  // namespace halo
