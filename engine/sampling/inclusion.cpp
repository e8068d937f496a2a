#include "engine/sampling/inclusion.h"

#include <algorithm>
#include <cmath>

namespace halo {

double metOnce(double p, double m) { return -std::expm1(m * std::log1p(-std::min(p, 1.0))); }

double metBoth(double p, double q, double both, double m) {
  const double missesP = 1 - p, missesQ = 1 - q;
  if (missesP <= 0) return metOnce(q, m);  // every draw meets the first
  if (missesQ <= 0) return metOnce(p, m);
  // 1 − p − q + both = (1−p)(1−q)(1 − r)
  const double r = (p * q - both) / (missesP * missesQ);
  const double missesBoth = std::exp(m * (std::log1p(-p) + std::log1p(-q)));
  return metOnce(p, m) * metOnce(q, m) + missesBoth * std::expm1(m * std::log1p(-std::min(r, 1.0)));
}

}  // namespace halo
