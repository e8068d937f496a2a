#pragma once

namespace halo::sim {

/// Epoch time × peak of the platform: what is left when hardware is taken out (HyScale Table VII), in s
/// TFLOPS.
inline double normalisedSeconds(double seconds, double peakTflops) { return seconds * peakTflops; }

}  // namespace halo::sim
