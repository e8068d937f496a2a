#pragma once

#include <optional>

#include "views/figure/forms/series_points.h"

namespace halo {

/// The words of places, points and lines across of the figure. Names of points give way to rings, which are
/// drawn in any case. Words of places have a line each, to the left where there is no room to the right.
/// `obstacles`: what is drawn already.
void paintNotes(FigureSheet& sheet, const Plot& plot, Obstacles obstacles);

/// Where words `size` large stand beside `at`, inside `box` and free of marks and words. It is the first
/// place that is off all lines. If words may lie on some lines, it is else the place on the fewest; otherwise
/// none.
std::optional<QRectF> placeBeside(QPointF at, QSizeF size, const QRectF& box, const Obstacles& obstacles,
                                  bool offLines);

}  // namespace halo
