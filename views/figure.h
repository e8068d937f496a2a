#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <utility>
#include <vector>

#include "engine/record/span.h"

namespace halo {

/// Names a value or the ends of a category axis; a unit stands in brackets behind the title.
struct FigureAxis {
  QString title, unit;
  bool logarithmic = false;
  QStringList categories;  // bars, lanes, heat map: one name a place; else empty
  QString label() const { return unit.isEmpty() ? title : title + " [" + unit + "]"; }
};

/// A curve (x, y the same length) or one layer of stacked bars (y: one value a category, x empty).
struct FigureSeries {
  QString name;
  std::vector<double> x, y;
  std::optional<Kind> kind;  // its colour and pattern; absent: by position
  bool overlay = false;      // bars: drawn narrow and hatched over the stack, not part of it
};

/// A cell a row and column; NaN: nothing there.
struct FigureGrid {
  std::vector<double> values;  // row by row, y.categories × x.categories
  QString unit;
};

/// A rectangle of one lane, on the x axis.
struct FigureBox {
  double begin = 0, end = 0;
  int lane = 0;  // index into y.categories
  Kind kind = Kind::compute;
  bool hatched = false;
};

struct FigureTable {
  QStringList columns;
  std::vector<QStringList> rows;
  std::vector<qsizetype> shown = {};  // columns of the picture, most wanted first; empty: all. CSV has all.
  std::size_t keys = 1;               // the first of them say what a row is of: they begin every block
  QString note = {};                  // below the picture
};

/// A word at a place of the x axis.
struct FigureNote {
  double x = 0;
  QString text;
};

enum class FigureForm { lines, stackedBars, heatMap, lanes, table };

/// What a picture says, apart from how it is drawn: the one source of the screen, SVG, PDF, PNG and CSV.
struct Figure {
  QString name;  // "convergence": stem of file names
  QString title;
  FigureForm form = FigureForm::lines;
  FigureAxis x, y;
  std::vector<FigureSeries> series;  // lines, stackedBars
  FigureGrid grid;                   // heatMap
  std::vector<FigureBox> boxes;      // lanes
  FigureTable table;                 // table
  std::vector<FigureNote> notes;
  QStringList marks;  // "emulated link", "simulated": shown beside the title
  std::vector<std::pair<QString, QString>> provenance;  // run, method, data set, version …
  QString emptyReason;                                  // why there is nothing to see; one sentence
  bool empty() const;
};

/// At most `limit` points of the curve (limit ≥ 4): first, last, and the smallest and largest of each of
/// equal shares of the points, in order. Cost: one pass. Points that are not finite are left out.
void decimate(std::vector<double>& x, std::vector<double>& y, std::size_t limit = 2000);

/// The numbers of a figure with a header line, RFC 4180, shortest decimals that read back to the same double.
QByteArray toCsv(const Figure& figure);

/// What the figure shows, for a reader who does not see it: its series with their ends, or its extent.
QString describe(const Figure& figure);

/// Provenance as one line of text; values of more than `longest` letters are cut.
QString provenanceLine(const Figure& figure, qsizetype longest = INT_MAX);

}  // namespace halo
