#include "views/figure/figure_scale.h"

#include <algorithm>
#include <cmath>

namespace halo {

namespace {

double tickStep(double extent, int count) {
  const double raw = extent / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * 1.0000001) return factor * power;
  return 10 * power;
}

}  // namespace

void niceRange(double& low, double& high, bool logarithmic, int count, bool counts) {
  if (logarithmic) {
    low = std::pow(10.0, std::floor(std::log10(low) + 1e-9));
    high = std::pow(10.0, std::ceil(std::log10(high) - 1e-9));
    if (high <= low) high = low * 10;
    return;
  }
  constexpr double kAlike = 1e-12;  // of their size: no axis tells such numbers apart
  if (high - low <= kAlike * std::max(std::abs(low), std::abs(high))) {
    const double pad = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= pad;
    high += pad;
  }
  const double round = tickStep(high - low, count), step = counts ? std::max(1.0, round) : round;
  if (!std::isfinite(step * count)) return;  // as large as numbers get: no rounder ends
  low = std::floor(low / step + 1e-6) * step;
  high = std::ceil(high / step - 1e-6) * step;
}

double FigureScale::at(double value) const {
  const double share = logarithmic
                           ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
                           : (value - low) / (high - low);
  return from + share * (to - from);
}

double FigureScale::valueAt(double place) const {
  const double share = (place - from) / (to - from);
  if (!logarithmic) return low + share * (high - low);
  return std::pow(10.0, std::log10(low) + share * (std::log10(high) - std::log10(low)));
}

}  // namespace halo
