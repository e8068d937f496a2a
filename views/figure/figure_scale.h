#pragma once

namespace halo {

/// From a value to a place: pixels `from` … `to` for `low` … `high`.
struct FigureScale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  double at(double value) const;
};

/// [low, high] made fit to be an axis: widened to the outermost ticks, never of no extent.
void niceRange(double& low, double& high, bool logarithmic, int count);

}  // namespace halo
