#pragma once

#include <QPainter>
#include <optional>
#include <vector>

#include "views/figure/figure_scale.h"
#include "views/figure/figure_style.h"

namespace halo {

/// Where a bar was drawn: what a pointer there points at.
struct FigureHit {
  QRectF box;
  std::size_t series = 0, category = 0;
};
using FigureHits = std::vector<FigureHit>;

/// Draws the whole figure into (0, 0, style.size): title, marks, legend, axes, data, notes, provenance.
/// The same figure and style give the same sequence of drawing calls. `hits`: takes the places of bars.
/// Returns where data stand if the x axis has numbers.
std::optional<Plot> paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style,
                                FigureHits* hits = nullptr);

/// How high a figure of rows, or a table that is to be seen whole, has to be for every row to have room.
/// Width and letters are those of `style`. For other figures 0.
double neededHeight(const Figure& figure, const FigureStyle& style);
/// `style`, higher where the figure needs it.
FigureStyle roomyStyle(const Figure& figure, FigureStyle style);

/// Only title and marks, at the top of style.size; returns where they end.
double paintFigureHeader(QPainter& painter, const Figure& figure, const FigureStyle& style);

}  // namespace halo
