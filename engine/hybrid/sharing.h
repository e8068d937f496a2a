#pragma once

#include <span>
#include <vector>

namespace halo {

/// What each of several users gets of a resource that they share max-min fairly. Nobody gets more than it
/// asks for. Nobody gets less than another, unless that is all it asks for. Together they get all of the
/// resource, or all that they ask for.
///
/// demands  0 or more, or infinite; capacity 0 or more, in the same unit. Time: n log n.
std::vector<double> maxMinShares(std::span<const double> demands, double capacity);

}  // namespace halo
