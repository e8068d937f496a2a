#pragma once

#include "views/figure/csv_lines.h"
#include "views/figure/forms/bar_names.h"
#include "views/figure/forms/series_points.h"

namespace halo {

/// What stacked and grouped bars share: the legend, a value axis from 0, names below. The bars of a category
/// stand around its `middle`.
class BarChart {
 public:
  /// Paints legend and axes.
  BarChart(FigureSheet& sheet, BarNames::Below below);
  void paintNames() { names_.paint(plot_); }
  /// Notes and the lines of the axes; after the bars.
  void finish();

  const Plot& plot() const { return plot_; }
  std::size_t categories() const { return static_cast<std::size_t>(sheet_.figure.x.categories.size()); }
  double step() const;  // from category to category
  double middle(std::size_t category) const {
    return plot_.box.left() + (static_cast<double>(category) + 0.5) * step();
  }
  /// A bar, and where a pointer finds it.
  void paintBar(const QRectF& box, std::size_t series, std::size_t category);

 private:
  void range(BarNames::Below below);

  FigureSheet& sheet_;
  BarNames names_;
  Plot plot_;
};

/// Below it names and numbers would stand on each other.
double leastBarsHeight(FigureSheet& sheet, BarNames::Below below);
/// A line a category, a column a series, labels last.
void barLines(const Figure& figure, CsvLines& out);
QString barHint(const Figure& figure, const FigureHit& hit);

}  // namespace halo
