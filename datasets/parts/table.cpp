#include "datasets/parts/table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "datasets/edges/decimal_marks.h"
#include "datasets/parts/comments_above.h"
#include "datasets/parts/row_numbering.h"
#include "datasets/parts/split.h"
#include "datasets/parts/table_row_names.h"
#include "datasets/text/columns.h"
#include "datasets/text/empty_lines.h"
#include "datasets/text/separator_line.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kFeature = "a feature is a number";
constexpr const char* kLabel = "vertices and classes are numbers from 0, not names";

struct Shape {
  Index rows = 0, columns = 0;
  std::optional<ColumnNames> names;
  bool commented = false;  // names stand in a comment
  Index firstLine = 1;     // below names and comments
  Index vertexColumn = -1;
  std::vector<Index> lines;  // of the rows
  TableRowNames rowNames;
};

/// A row has to have as many columns as the table so far, and its separator.
void requireLikeAbove(const TextFile& text, std::string_view line, Index width, char separator, char& above,
                      const Shape& shape) {
  const bool below =
      shape.rows == 0 && !(isMark(above) && isMark(separator));  // names may be separated otherwise
  if (separator != 0 && above != 0 && separator != above && !below)
    text.damaged("cells are not separated as in the lines above; one kind of separator in a table");
  if (above == 0 || below) above = separator;
  if (width == shape.columns) return;
  const std::string has = std::to_string(width) + (width == 1 ? " column" : " columns");
  text.damaged(shape.rows == 0 ? "has " + has + "; the first line names " + std::to_string(shape.columns)
                               : "row " + std::to_string(shape.rows) + " has " + has +
                                     "; the rows above have " + std::to_string(shape.columns),
               line.substr(line.size() - 1));
}

/// A tab at the end of every row is no slip: an empty cell stands behind it, as behind a comma.
class LastTabs {
 public:
  void pass(std::string_view row) { all_ &= row[row.find_last_not_of(' ')] == '\t'; }
  void refuse(const TextFile& text, const Shape& shape, char separator) const {
    if (!all_ || shape.rows < 2 || (separator != '\t' && separator != 0)) return;
    throw DamagedInput(
        {.file = text.path().string(),
         .line = shape.lines[0],
         .message = "an empty cell at the end of this and every row; every tab stands between two values"});
  }

 private:
  bool all_ = true;
};

/// What may stand in a table beside rows of numbers.
struct Allowed {
  bool names = false;   // on the first line, and comments above it
  bool quotes = false;  // around nothing, in the place of a row
};

/// The first row says whether names of rows stand before the values.
void findRowNames(const TextFile& text, std::string_view line, Allowed allowed, Shape& shape) {
  if (shape.names && shape.vertexColumn < 0 && shape.rowNames.find(text, line, shape.columns)) {
    shape.vertexColumn = 0;
    ++shape.columns;
  } else if (!shape.names && shape.rowNames.findByQuotes(text, line)) {
    if (!allowed.names)
      text.damaged("the first cell alone is in quotes, as R writes names of rows; a row holds values alone",
                   line);
    shape.vertexColumn = 0;
  }
}

/// `counted`: the first row may hold the numbers of the columns.
[[noreturn]] void refuseFurtherRow(const TextFile& text, const Shape& shape, bool counted) {
  text.damaged("more than the " + std::to_string(shape.rows) + " rows that there should be" +
               (counted ? "; if line " + std::to_string(shape.lines[0]) +
                              " holds the numbers of columns, as pandas writes them, take it out"
                        : ""));
}

/// Calls take(column, fields, shape), which reads the number, for every number of a table. `rows`: how many
/// rows there have to be; −1: as many as there are.
template <class Take>
Shape eachNumber(TextFile& text, Index rows, Allowed allowed, Take take) {
  Shape shape;
  char separator = 0;
  LastTabs lastTabs;
  bool counted = false;  // the first row holds the numbers of its columns
  CommentsAbove comments;
  EmptyLines empty;
  std::string_view line;
  for (bool first = allowed.names; text.next(line);) {
    if (first && (comments.take(line) || namesSeparator(line))) continue;
    if (first && !allowed.quotes && line.find_first_not_of(" \t\r") == std::string_view::npos) {
      if (!comments.any()) empty.pass(text);
      continue;
    }
    if (std::exchange(first, false)) {
      shape.names = columnNames(line);
      const bool header = shape.names.has_value();
      if (!header) shape.names = comments.names(line);
      shape.commented = !header && shape.names;
      shape.firstLine = text.line() + (header ? 1 : 0);
      if (shape.names) {
        shape.vertexColumn = vertexColumn(text, *shape.names);
        shape.columns = static_cast<Index>(shape.names->names.size());
      }
      if (header && shape.columns > 1) separator = shape.names->separator;
      if (header) {
        empty = {};
        continue;
      }
    }
    Fields fields(text, line, Layout::table);
    if (!fields.more() || (allowed.quotes && line == "\"\"")) {
      empty.pass(text);
      continue;
    }
    if (shape.rows == rows) refuseFurtherRow(text, shape, counted);
    if (shape.rows == 0) {
      counted = !shape.names && countedColumns(line) > 0;
      findRowNames(text, line, allowed, shape);
    }
    shape.rowNames.require(text, line, shape.rows);
    Index width = 0;
    for (; fields.more(); ++width) take(width, fields, shape);
    if (shape.rows == 0 && !shape.names) shape.columns = width;
    requireLikeAbove(text, line, width, fields.separator(), separator, shape);
    if (width == 1 && !allowed.quotes) empty.refuse(text);
    empty = {};
    lastTabs.pass(line);
    ++shape.rows;
    shape.lines.push_back(text.line());
  }
  lastTabs.refuse(text, shape, separator);
  if (shape.rows > 0) shape.rowNames.requireMany(text, shape.rows, shape.lines[0]);
  if (rows >= 0 && shape.rows != rows)
    throw WrongRows(text.path(), shape.rows, rows, shape.lines.empty() ? 0 : shape.lines.back());
  return shape;
}

/// Features whose rows go to the vertices of `rowOf`, without the column that numbers them. `skip`: −1: none.
Matrix featuresOf(const Growing<Scalar>& values, const Shape& shape, Index skip,
                  const std::vector<Index>& rowOf) {
  Matrix features(shape.rows, shape.columns - (skip >= 0 ? 1 : 0));
  const auto before = skip >= 0 ? skip : shape.columns;
  for (Index r = 0; r < shape.rows; ++r) {
    const Scalar* from = values.data() + r * shape.columns;
    Scalar* to = features.row(rowOf.empty() ? r : rowOf[at(r)]).data();
    std::copy(from, from + before, to);
    if (skip >= 0) std::copy(from + skip + 1, from + shape.columns, to + before);
  }
  return features;
}

/// Whether the first column, which nothing names so, numbers the vertices; remarks what was taken for what.
bool isNumbered(const TextFile& text, const Shape& shape, const NumberTable& first,
                const GraphVertices& graph, std::vector<std::string>& remarks) {
  if (shape.rows < 3 || shape.columns < 2) return false;  // with fewer rows it may well be chance
  const auto numbers = numbering(first, graph);
  if (!numbers) {
    if (!shape.names) remarkDoubled(first, text.path().filename().string(), remarks);
    return false;
  }
  const std::string column = "the first column of " + text.path().filename().string();
  constexpr const char* kHow = "a first line of names, with `vertex` for numbers of vertices, tells";
  constexpr const char* kWhich =
      ", not in order: it may be a feature or number the vertices; name it `vertex` in a first line of names "
      "if it numbers them, put it behind another column if it is a feature";
  if (numbers->inOrder && !shape.names) {
    remarks.push_back(column + " is the vertex number and no feature");
    return true;
  }
  if (!numbers->inOrder && shape.rows >= kFewByChance)  // whatever a name says, few of which are known
    text.damagedWhole("the first column" + (shape.names ? " (" + shown(shape.names->names[0]) + ")" : "") +
                      numbers->words + kWhich);
  remarks.push_back(column + numbers->words + "; it is read as a feature, " + kHow);
  return false;
}

/// Remarks names of features that a part of a split may have.
void remarkParts(const TextFile& text, const Shape& shape, std::vector<std::string>& remarks) {
  const Index before = shape.rowNames.any() ? 1 : 0;
  for (Index c = 0; c < std::ssize(shape.names->names); ++c) {
    const std::string& name = shape.names->names[at(c)];
    if (c + before == shape.vertexColumn || !partNamed(name)) continue;
    remarks.push_back(text.path().filename().string() + ": column " + std::to_string(c + before + 1) +
                      " is named " + shown(name) +
                      " and is read as a feature: take it out if it marks a part of the split");
  }
}

/// Whether the first rows of a column go on as numbers of all rows do: whole numbers, no two alike.
bool mayNumber(const Matrix& features, Index column) {
  for (Index r = 0; r < std::min(features.rows(), kFewByChance); ++r) {
    const Scalar value = features(r, column);
    if (!(value >= 0) || value != std::trunc(value)) return false;
    for (Index above = 0; above < r; ++above)
      if (features(above, column) == value) return false;
  }
  return true;
}

/// Remarks the columns from `begin` on that may number the vertices, `left` columns of the file being left
/// out before them.
void remarkColumns(const Matrix& features, Index begin, Index left, const std::string& file,
                   const GraphVertices& graph, std::vector<std::string>& remarks) {
  std::string first;
  Index others = 0;
  for (Index c = begin; c < features.cols() && features.rows() >= 3; ++c) {
    if (!mayNumber(features, c)) continue;
    NumberTable column{file, features.rows(), 1, {}};
    for (Index r = 0; r < features.rows(); ++r) column.values.push_back(features(r, c));
    const auto numbers = numbering(column, graph);
    // a few rows may well have it by chance
    if (!numbers || (c > 0 && !numbers->inOrder && features.rows() < kFewByChance)) continue;
    const std::string place = c + left == 0 ? "the first column" : "column " + std::to_string(c + left + 1);
    if (first.empty())
      first = place + " of " + file + numbers->words;
    else
      ++others;
  }
  if (!first.empty())
    remarks.push_back(
        first +
        (others > 0 ? ", like " + std::to_string(others) + (others > 1 ? " other columns" : " other column")
                    : "") +
        "; it is read as a feature: leave it out if it numbers the vertices");
}

/// A feature that can be trained with.
double finite(const TextFile& text, Fields& fields) {
  const std::string_view ahead = fields.rest();
  const double value = fields.scalar(kFeature);
  if (!std::isfinite(value))
    text.damaged(shown(firstWord(ahead)) + " is no feature; a finite number", ahead.substr(0, 1));
  return value;
}

}  // namespace

WrongRows::WrongRows(const std::filesystem::path& file, Index rowCount, Index vertices, Index last)
    : DamagedInput({.file = file.string(),
                    .line = last,
                    .message = (last > 0 ? "the rows end after " + std::to_string(rowCount)
                                         : "holds " + std::to_string(rowCount) + " rows") +
                               "; " + std::to_string(vertices) + " vertices need one each"}),
      rows(rowCount) {}

void remarkNumbered(const Matrix& features, const std::string& file, const GraphVertices& graph,
                    std::vector<std::string>& remarks) {
  if (features.cols() > 1 && features.rows() >= kFewByChance && mayNumber(features, 0)) {
    std::vector<double> first;
    for (Index r = 0; r < features.rows(); ++r) first.push_back(features(r, 0));
    if (const auto rows = rowNumbers(first); rows && !rows->inOrder)
      throw DamagedInput(
          {.file = file,
           .message = "the first column holds every number from " + std::to_string(rows->first) + " to " +
                      std::to_string(rows->first + features.rows() - 1) +
                      " once, not in order: if it numbers the vertices, sort the rows by it and take it "
                      "out; if it is a feature, put it behind another column"});
  }
  remarkColumns(features, 0, 0, file, graph, remarks);
}

Matrix readTable(const std::filesystem::path& file, Index rows, const Progress& progress) {
  TextFile text(file, progress);
  Growing<Scalar> values;
  const Shape shape = eachNumber(text, rows, {}, [&](Index, Fields& fields, const Shape&) {
    values.push_back(static_cast<Scalar>(finite(text, fields)));
  });
  return featuresOf(values, shape, -1, {});
}

Matrix readLabelColumns(const std::filesystem::path& file, Index rows, const Progress& progress) {
  TextFile text(file, progress);
  Growing<Scalar> values;
  bool none = false;  // the row begins with nan, and so says everywhere that there is no label
  const Shape shape = eachNumber(text, rows, {}, [&](Index column, Fields& fields, const Shape&) {
    const double flag = fields.real("0 or 1");
    if (column == 0) none = std::isnan(flag);
    if (none ? !std::isnan(flag) : flag != 0 && flag != 1) {
      const std::string beside = none ? " stands beside nan" : " stands beside numbers";
      text.damaged(
          "column " + std::to_string(column + 1) + ": " + numeral(flag) +
          (none || std::isnan(flag) ? beside + "; a row of nan alone is a vertex without labels" : kNoFlag));
    }
    values.push_back(static_cast<Scalar>(none ? 0 : flag));
  });
  return featuresOf(values, shape, -1, {});
}

Matrix readFeatureTable(const std::filesystem::path& file, const GraphVertices& graph,
                        std::vector<std::string>& remarks) {
  TextFile text(file);
  Growing<Scalar> values;
  NumberTable numbers{file, 0, 1, {}};  // the column that numbers the vertices, or the first, which may
  const Shape shape =
      eachNumber(text, graph.count, {.names = true}, [&](Index column, Fields& fields, const Shape& layout) {
        const std::string_view ahead = fields.rest();
        const double value = finite(text, fields);
        if (column == std::max<Index>(layout.vertexColumn, 0)) {
          numbers.values.push_back(value);
          numbers.keepExactly(layout.rows, value, [&] { return unquoted(firstWord(ahead)); });
        }
        values.push_back(static_cast<Scalar>(value));
      });
  numbers.rows = shape.rows;
  numbers.lines = shape.lines;
  if (shape.names) {
    requireNoLabel(text, *shape.names, shape.vertexColumn, shape.rowNames.any() ? 1 : 0, remarks);
    remarkParts(text, shape, remarks);
  }
  if (shape.rowNames.any()) remarks.push_back(shape.rowNames.remark(text));
  if (shape.commented && shape.vertexColumn >= 0)
    remarks.push_back("rows of " + file.filename().string() + " go to the vertices of column " +
                      std::to_string(shape.vertexColumn + 1) + ", as a comment above names it");
  const std::size_t before = remarks.size();
  if (shape.names)
    remarkPoints(file, PairsOf::features, remarks);
  else
    remarkMarks(file, shape.columns, PairsOf::features, remarks);
  const bool doubtful = !shape.names && shape.columns == 2 && remarks.size() == before;
  if (shape.vertexColumn < 0) {
    const bool numbered = isNumbered(text, shape, numbers, graph, remarks);
    if (doubtful && !numbered) remarkWholePairs(file, remarks);
    Matrix features = featuresOf(values, shape, numbered ? 0 : -1, {});
    const Index begin = numbered || shape.columns == 1 ? 0 : 1;  // the first one has been looked at
    remarkColumns(features, begin, numbered ? 1 : 0, file.filename().string(), graph, remarks);
    return features;
  }
  return featuresOf(values, shape, shape.vertexColumn, verticesOf(numbers, 0, graph, remarks));
}

NumberTable readNumbers(const std::filesystem::path& file) {
  TextFile text(file);
  NumberTable table;
  table.file = file;
  Shape shape = eachNumber(
      text, -1, {.names = true, .quotes = true}, [&](Index column, Fields& fields, const Shape& layout) {
        const std::string_view ahead = fields.rest();
        table.values.push_back(fields.real(kLabel));
        if (column == std::max<Index>(layout.vertexColumn, 0))
          table.keepExactly(layout.rows, table.values.back(), [&] { return unquoted(firstWord(ahead)); });
      });
  table.rows = shape.rows;
  table.cols = shape.columns;
  table.lines = std::move(shape.lines);
  table.vertexColumn = shape.vertexColumn;
  if (shape.names) table.names = std::move(shape.names->names);
  if (shape.rowNames.any()) table.names.insert(table.names.begin(), "");
  table.rowNames = shape.rowNames.remark(text);
  table.firstLine = shape.firstLine;
  table.lastLine = text.line();
  return table;
}

void requireWidth(const Matrix& features, const std::string& where) {
  if (features.cols() == 0)
    throw DamagedInput({.file = where, .message = "holds features of width 0; at least one column a vertex"});
}

}  // namespace halo
