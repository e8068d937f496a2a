#include "engine/hybrid/sharing.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"

namespace halo {

std::vector<double> maxMinShares(std::span<const double> demands, double capacity) {
  HALO_CHECK(capacity >= 0);
  std::vector<std::size_t> rising(demands.size());
  std::iota(rising.begin(), rising.end(), std::size_t{0});
  std::ranges::stable_sort(rising, {}, [&](std::size_t i) { return demands[i]; });
  std::vector<double> shares(demands.size());
  double left = capacity;
  for (std::size_t k = 0; k < rising.size(); ++k) {
    const double fair = left / static_cast<double>(rising.size() - k);
    const double share = std::min(demands[rising[k]], fair);
    shares[rising[k]] = share;
    left = std::max(0.0, left - share);
  }
  return shares;
}

}  // namespace halo
