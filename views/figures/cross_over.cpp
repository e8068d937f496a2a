#include "views/figures/cross_over.h"

#include <cmath>
#include <cstddef>

#include "engine/base/check.h"

namespace halo {

std::vector<CrossOver> crossOvers(const PlacedValues& a, const PlacedValues& b) {
  HALO_CHECK(a.x.size() == a.y.size() && b.x.size() == b.y.size());
  struct Place {
    double x = 0, y = 0, above = 0;  // logarithms: place, value of a, and how far a is above b
  };
  std::vector<CrossOver> crossOvers;
  Place before, meeting;  // the last place where they differ; the first since where they do not
  bool differed = false, meets = false;
  for (std::size_t i = 0, j = 0; i < a.x.size() && j < b.x.size();) {
    if (a.x[i] != b.x[j]) {
      a.x[i] < b.x[j] ? ++i : ++j;
      continue;
    }
    const Place current{std::log(a.x[i]), std::log(a.y[i]), std::log(a.y[i]) - std::log(b.y[j])};
    ++i, ++j;
    if (current.above == 0) {
      if (differed && !meets) meeting = current;
      meets = differed;
      continue;
    }
    if (differed && (current.above > 0) != (before.above > 0)) {
      const double share = before.above / (before.above - current.above);
      const Place at = meets ? meeting
                             : Place{before.x + share * (current.x - before.x),
                                     before.y + share * (current.y - before.y), 0};
      crossOvers.push_back({std::exp(at.x), std::exp(at.y)});
    }
    before = current;
    differed = true, meets = false;
  }
  return crossOvers;
}

}  // namespace halo
