#pragma once

#include <vector>

#include "views/figure/csv_lines.h"
#include "views/figure/forms/plot.h"

namespace halo {

/// What words have to keep clear of: marks and other words, and lines in short pieces.
struct Obstacles {
  std::vector<QRectF> taken, lines;
};

/// Adds a straight line to the lines, in short pieces.
void addSegment(QPointF from, QPointF to, Obstacles& obstacles);

/// The points of all series but bands, joined where they are to be. A point without a place ends a line, and
/// another line may begin after it. What is drawn is added to `obstacles`.
void seriesPoints(FigureSheet& sheet, const Plot& plot, Obstacles& obstacles);
/// Of a series of points: its line, if they are joined, and its mark.
void pointsSwatch(FigureSheet& sheet, const QRectF& box, std::size_t series, const QColor& color);

/// Whether no series of the figure has a value.
bool hasNoSeries(const Figure& figure);
/// A line a point, then the rings. A line has series, x and y, the ends of its band where a series has some,
/// and its label where labels have a title. `everyPoint`: those without an x too.
void pointLines(const Figure& figure, CsvLines& out, bool everyPoint);
/// The rings among the notes, a line each, as pointLines ends.
void ringLines(const Figure& figure, CsvLines& out);
/// The label of a point or group, as the number that it rounds where there is one.
void csvLabel(const FigureSeries& series, std::size_t place, CsvLines& out);
/// Both axes, every series with its ends, and the rings.
QStringList describePoints(const Figure& figure);

}  // namespace halo
