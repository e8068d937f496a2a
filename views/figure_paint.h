#pragma once

#include <QPainter>

#include "views/figure_style.h"

namespace halo {

/// Draws the whole figure into (0, 0, style.size): title, marks, legend, axes, data, notes, provenance.
/// The same figure and style give the same sequence of drawing calls.
void paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style);

}  // namespace halo
