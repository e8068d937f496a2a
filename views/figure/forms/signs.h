#pragma once

#include "views/figure/figure_sheet.h"

namespace halo {

// Signs beside colour: patterns of bars and boxes, marks of points.

constexpr double kMark = 4.5;  // half the size of a mark

/// Diagonal lines inside `box`: what is hidden under computing, in any colour and in print.
void hatch(FigureSheet& sheet, const QRectF& box, const QColor& color);
/// A filled box with the sign of its kind, or a hatched one where the series is an overlay or outlined.
void bar(FigureSheet& sheet, const QRectF& box, const FigureSeries& series, const QColor& color);
/// The second sign of a kind beside its colour: dots for quantising, vertical stripes for synchronising.
void cue(FigureSheet& sheet, const QRectF& box, Kind kind);
/// The mark of the series around `at`.
void mark(FigureSheet& sheet, QPointF at, const FigureSeries& series, const QColor& color);

}  // namespace halo
