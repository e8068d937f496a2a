#include "engine/hybrid/sharing.h"

#include <algorithm>
#include <limits>
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

std::vector<double> sharedEnds(std::span<const SharedUse> uses, double capacity) {
  constexpr double kNotYet = -1;
  std::vector<double> ends(uses.size(), kNotYet), left(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    HALO_CHECK(uses[i].after < static_cast<int>(i) && (uses[i].amount <= 0 || uses[i].most > 0));
    left[i] = std::max(0.0, uses[i].amount);
  }
  for (double now = 0;;) {
    std::vector<std::size_t> active;
    std::vector<double> demands;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const int after = uses[i].after;
      if (ends[i] != kNotYet || (after >= 0 && ends[static_cast<std::size_t>(after)] == kNotYet)) continue;
      if (left[i] == 0) {
        ends[i] = now;
        continue;
      }
      active.push_back(i);
      demands.push_back(uses[i].most);
    }
    if (active.empty()) return ends;
    const std::vector<double> shares = maxMinShares(demands, capacity);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < active.size(); ++k) step = std::min(step, left[active[k]] / shares[k]);
    now += step;
    for (std::size_t k = 0; k < active.size(); ++k) {
      double& rest = left[active[k]];
      rest = rest / shares[k] <= step ? 0 : rest - shares[k] * step;  // whatever rounding says
    }
  }
}

}  // namespace halo
