#pragma once

#include <functional>

#include "views/figure/figure_sheet.h"

namespace halo {

/// Draws what a series looks like into a box of 18 by 10.
using Swatch = std::function<void(const QRectF& box, std::size_t series, const QColor& color)>;

/// The names of the series at the top of the sheet's area, where there are at least `least` of them. Names
/// that would take too much of the area are only counted. Bands are hatched, the others as `swatch` draws
/// them.
void seriesLegend(FigureSheet& sheet, std::size_t least, const Swatch& swatch);

/// Swatches and words from left to right, in as many lines as they take, at the top of the sheet's area.
class LegendLines {
 public:
  explicit LegendLines(FigureSheet& sheet) : sheet_(sheet), x_(sheet.area.left()) {}
  void add(const FigureSeries& series, const QString& label);
  /// Takes the lines out of the sheet's area.
  void end() { sheet_.area.setTop(sheet_.area.top() + sheet_.line + 4); }

 private:
  FigureSheet& sheet_;
  double x_;
};

}  // namespace halo
