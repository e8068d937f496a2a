#pragma once

#include <functional>
#include <vector>

#include "views/figure/figure_scale.h"
#include "views/figure/figure_sheet.h"
#include "views/look/axis.h"

namespace halo {

/// Whether an axis has a place for `value`: it is a number, and positive where the axis is logarithmic.
bool hasPlace(const FigureAxis& axis, double value);

/// Every how many names stand along an axis where names `needed` apart would just not touch. It is a round
/// number, and never picks lanes of two sorts in turn.
qsizetype nameStep(double needed);
/// The parts of a name, which has a line each, on one.
QString onOneLine(QString name);
/// Of names of the x axis that stand in a row as they are.
double plainNamesHeight(const FigureSheet& sheet);

/// Takes the plot's box out of the sheet's area, with the value axis at its left, its grid, and the titles of
/// both axes. The extents of plot.x and plot.y have to be set before. `namesHeight`: of what stands between
/// plot and title of x, by the plot's width.
void frameChart(FigureSheet& sheet, Plot& plot, const std::function<double(double)>& namesHeight);
void axisTitles(FigureSheet& sheet, const Plot& plot, double namesHeight);
/// The lines at the plot's left and bottom: painted last.
void axisLines(FigureSheet& sheet, const Plot& plot);

/// Round values of the x axis.
std::vector<Tick> ticksOfX(const Plot& plot);
/// Marks and names of them below the plot, `grid`: with a line through it.
void xTicks(FigureSheet& sheet, const Plot& plot, const std::vector<Tick>& ticks, bool grid);
/// Names of places `step` apart along the x axis: every k-th, so that they do not touch. The last moves to
/// the left where the page would cut it off, and is shortened where it then met the one before.
void categoryNames(FigureSheet& sheet, const Plot& plot, double step);

}  // namespace halo
