#pragma once

#include <vector>

namespace halo {

/// Values at ascending places; all positive.
struct PlacedValues {
  std::vector<double> x, y;
};

struct CrossOver {
  double x = 0, y = 0;
};

/// Where `a` and `b` meet and change sides, ascending. Between neighbours of the places that both have, both
/// are taken for straight on logarithmic axes. Values that meet and part again on the same side do not cross.
/// Nor do those that are equal at the first or the last common place. Cost: one pass.
std::vector<CrossOver> crossOvers(const PlacedValues& a, const PlacedValues& b);

}  // namespace halo
