#pragma once

#include <QRectF>

namespace halo {

/// From a value to a place: pixels `from` … `to` for `low` … `high`.
struct FigureScale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  bool counts = false;  // as FigureAxis
  double at(double value) const;
  double valueAt(double place) const;  // the other way
  bool operator==(const FigureScale&) const = default;
};

/// Where data stand in a picture, and the scales of both axes.
struct Plot {
  QRectF box;
  FigureScale x, y;
  bool operator==(const Plot&) const = default;
};

/// [low, high] made fit to be an axis: widened to the outermost ticks, never of no extent. `counts`: the
/// ticks of a linear one are whole numbers.
void niceRange(double& low, double& high, bool logarithmic, int count, bool counts = false);

}  // namespace halo
