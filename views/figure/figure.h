#pragma once

#include <QString>
#include <QStringList>
#include <QVariantList>
#include <optional>
#include <utility>
#include <vector>

#include "engine/record/export/csv_text.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Names a value or the ends of a category axis; a unit stands in brackets behind the title.
struct FigureAxis {
  QString title, unit;
  bool logarithmic = false;
  QStringList categories;  // bars, lanes, heat map, points at 0, 1, …: one name a place; else empty
  std::vector<double> places =
      {};  // points: where the axis has its marks, as counts of workers; empty: round numbers
  QStringList signs =
      {};               // rowPoints: what stands behind the names of rows in a picture, "*"; empty: nothing
  bool counts = false;  // its values are whole numbers, and so are its ticks
  QString label() const { return unit.isEmpty() ? title : title + " [" + unit + "]"; }
};

enum class FigureMark { none, dot, square, triangle, diamond, cross };

/// A curve (x, y the same length), points, one layer of stacked bars, or one bar of each group. For bars y
/// has one value a category, and x is empty.
struct FigureSeries {
  QString name;
  std::vector<double> x, y;
  std::optional<Kind> kind;  // its colour and pattern; absent: by position
  bool overlay = false;      // bars: drawn narrow and hatched over the stack, not part of it
  bool band = false;         // rowPoints: two follow each other, the ends of a band in one row
  // points and groups
  FigureMark mark = FigureMark::none;
  bool outlined = false;          // marks and bars are not filled: what was not measured
  bool joined = true;             // a line goes through the points
  std::optional<int> color = {};  // place in the order of colours; absent: its own among the series
  int dash = 0;                   // of the line: place in the order of dashes; lines: where `color` is there
  std::vector<double> low = {}, high = {};  // lines: the ends of a band around y, one a point; empty: none
  /// One a point: what a pointer is told, of curves what is remarkable there. One a category: stands over the
  /// group.
  std::vector<QString> labels = {};
  std::vector<double> labelValues =
      {};  // the numbers that `labels` round, for the CSV form; empty: the labels serve
};

/// A cell a row and column; NaN: nothing there.
struct FigureGrid {
  std::vector<double> values;  // row by row, y.categories × x.categories
  QString unit;
  double scale =
      1;  // matrices: values that are shown are times this, in `unit`; the CSV form has them as are
};

/// One of several grids beside each other.
struct FigureMatrix {
  QString title, note;  // two lines above it
  QStringList rows, columns;
  std::vector<double> values;      // row by row; NaN: nothing there
  bool change = false;             // of two others: either way from 0
  QStringList columnNumbers = {};  // where a column is named by a word: what stands for each in CSV
};

/// A rectangle of one lane, on the x axis.
struct FigureBox {
  double begin = 0, end = 0;
  int lane = 0;  // index into y.categories
  Kind kind = Kind::compute;
  bool hatched = false;
  std::optional<Name> waits = {};  // of idle: for what
  double share = 1;                // of its length that is at work: paler where it is less
  std::optional<int> color = {};   // place in the order of colours, of a total: it is of no kind
};

struct FigureTable {
  QStringList columns;
  std::vector<QStringList> rows;
  std::vector<qsizetype> shown = {};  // columns of the picture, most wanted first; empty: all. CSV has all.
  std::size_t keys = 1;               // the first of them say what a row is of: they begin every block
  QString note = {};                  // below the picture
  bool showsAllRows = false;          // the picture is as high as all rows need
  // for the CSV form: numbers as they are, their unit in the heading; empty: `columns` and `rows` serve
  QStringList headings = {};
  std::vector<QVariantList> values = {};
};

/// A word at a place of the x axis, at a point, or at a line across (x is NaN).
struct FigureNote {
  double x = 0;
  QString text;
  std::optional<double> y = {};
  bool ring = false;  // around the point
};

/// The form `points` has curves and single points, and both axes may be logarithmic. `groupedBars` has bars
/// of the series side by side at each category; NaN: none. `matrices` has rows that go from y's title and
/// columns that go to x's, and `labelTitle` says what the values are. `rowPoints` has rows that y.categories
/// name from the top. Its x is the value, and its y the row of a point, or a part beside the row where that
/// has several. Both ends of a band are values of one row. `cards` makes each column of the table after the
/// first a card, with name and colour of the series at its place.
enum class FigureForm {
  lines,
  points,
  rowPoints,
  stackedBars,
  groupedBars,
  heatMap,
  matrices,
  lanes,
  table,
  cards
};

/// What a picture says, apart from how it is drawn: the one source of the screen, SVG, PDF, PNG and CSV.
struct Figure {
  QString name;  // "convergence": stem of file names
  QString title;
  FigureForm form = FigureForm::lines;
  FigureAxis x, y;
  std::vector<FigureSeries> series;  // lines, points, rowPoints, stackedBars, groupedBars, cards
  QString labelTitle;  // what the labels are, as a heading of the CSV form; empty: they are not in it
  FigureGrid grid;     // heatMap; of matrices the unit
  std::vector<FigureMatrix> matrices;
  std::vector<FigureBox> boxes;  // lanes
  FigureTable table;             // table, cards
  std::vector<FigureNote> notes;
  QStringList marks;  // "emulated link", "simulated": shown beside the title
  std::vector<std::pair<QString, QString>> provenance;  // run, method, data set, version …
  QString emptyReason;                                  // why there is nothing to see; one sentence
  bool empty() const;
  QString rowOf(double place) const;  // rowPoints: the name of the row nearest to it
};

/// At most `limit` points of the curve (limit ≥ 4): first, last, and the smallest and largest of each of
/// equal shares of the points, in order. Cost: one pass. Points that are not finite are left out.
void decimate(std::vector<double>& x, std::vector<double>& y, std::size_t limit = 2000);

/// The numbers of a figure with a header line, RFC 4180. They are the shortest decimals that read back to the
/// same double. The unit of a column is in its heading, and each heading stands once. An empty field: no
/// value, or one that is not a number.
QByteArray toCsv(const Figure& figure, CsvFor reader = CsvFor::program);

/// What the figure shows, for a reader who does not see it: its series with their ends, or its extent.
QString describe(const Figure& figure);

/// Provenance as one line of text; values of more than `longest` letters are cut.
QString provenanceLine(const Figure& figure, qsizetype longest = INT_MAX);

}  // namespace halo
