#pragma once

#include <span>

namespace halo::sim {

/// Epoch time × peak of the platform: what is left when hardware is taken out (HyScale Table VII), in s
/// TFLOPS.
double normalisedSeconds(double seconds, double peakTflops);
/// The geometric mean of other / own, pair by pair; 1 for no pairs. Times are above 0.
double geometricMeanSpeedup(std::span<const double> other, std::span<const double> own);

}  // namespace halo::sim
