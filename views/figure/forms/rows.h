#pragma once

#include "views/figure/forms/plot.h"

namespace halo {

/// Name of a row with its sign, as it stands left of the plot.
QString rowName(const Figure& figure, qsizetype row);

/// Takes the plot's box out of the sheet's area. Names of the rows stand left of it and the x axis below, and
/// `right` stays free at the other side. Paints the names, which have at most `namesShare` of the width, and
/// the titles of the axes; sets where plot.x goes from and to. Returns the height of a row.
double frameRows(FigureSheet& sheet, Plot& plot, double right, double namesShare = 1.0 / 3);

/// How high a sheet has to be for each row to have its lines, with title, legend, axis and the line below.
double rowsHeight(const FigureSheet& sheet, double namesShare);

}  // namespace halo
