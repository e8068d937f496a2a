#include "simulator/hybrid/normalised.h"

#include <cmath>

#include "engine/base/check.h"

namespace halo::sim {

double normalisedSeconds(double seconds, double peakTflops) { return seconds * peakTflops; }

double geometricMeanSpeedup(std::span<const double> other, std::span<const double> own) {
  HALO_CHECK(other.size() == own.size());
  double sum = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    HALO_CHECK(other[i] > 0 && own[i] > 0);
    sum += std::log(other[i] / own[i]);
  }
  return own.empty() ? 1 : std::exp(sum / static_cast<double>(own.size()));
}

}  // namespace halo::sim
