#include "datasets/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "datasets/columns.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kNumber = "a number";
/// Rows that a feature hardly gives the numbers 0, 1, 2, … in any order by chance.
constexpr Index kFewByChance = 8;

struct Shape {
  Index rows = 0, columns = 0;
  std::optional<ColumnNames> names;
  Index vertexColumn = -1;
  std::vector<Index> lines;  // of the rows
};

bool isMark(char separator) { return separator == ',' || separator == ';'; }

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

/// Calls take(column, fields, shape), which reads the number, for every number of a table. `rows`: how many
/// rows there have to be; −1: as many as there are.
template <class Take>
Shape eachNumber(TextFile& text, Index rows, bool mayHaveNames, Take take) {
  Shape shape;
  char separator = 0;
  std::string_view line;
  for (bool first = true; text.next(line);) {
    if (mayHaveNames && std::exchange(first, false) && (shape.names = columnNames(line))) {
      shape.vertexColumn = vertexColumn(text, *shape.names);
      shape.columns = static_cast<Index>(shape.names->names.size());
      if (shape.columns > 1) separator = shape.names->separator;
      continue;
    }
    Fields fields(text, line, Layout::table);
    if (!fields.more()) continue;
    if (shape.rows == rows)
      text.damaged("more than the " + std::to_string(rows) + " rows that there should be");
    Index width = 0;
    for (; fields.more(); ++width) take(width, fields, shape);
    if (shape.rows == 0 && !shape.names) shape.columns = width;
    requireLikeAbove(text, line, width, fields.separator(), separator, shape);
    ++shape.rows;
    shape.lines.push_back(text.line());
  }
  if (rows >= 0 && shape.rows != rows)
    text.damagedWhole("holds " + std::to_string(shape.rows) + " rows; " + std::to_string(rows) +
                      " vertices need one each");
  return shape;
}

/// Features whose rows go to the vertices of `rowOf`, without the column that numbers them. `skip`: −1: none.
Matrix featuresOf(const Growing<Scalar>& values, const Shape& shape, Index skip,
                  const std::vector<Index>& rowOf) {
  Matrix features(shape.rows, shape.columns - (skip >= 0 ? 1 : 0));
  const auto before = skip >= 0 ? skip : shape.columns;
  for (Index r = 0; r < shape.rows; ++r) {
    const Scalar* from = values.data() + r * shape.columns;
    Scalar* to = features.row(rowOf.empty() ? r : rowOf[static_cast<std::size_t>(r)]).data();
    std::copy(from, from + before, to);
    if (skip >= 0) std::copy(from + skip + 1, from + shape.columns, to + before);
  }
  return features;
}

std::string everyNumber(const RowNumbers& numbers, Index rows) {
  return " holds every number from " + std::to_string(numbers.first) + " to " +
         std::to_string(numbers.first + rows - 1) + " once";
}

/// Whether the first column, which nothing names so, numbers the vertices; remarks what was taken for what.
bool isNumbered(const TextFile& text, const Shape& shape, const std::vector<double>& first,
                std::vector<std::string>& remarks) {
  if (shape.rows < 3 || shape.columns < 2) return false;  // with fewer rows it may well be chance
  const auto numbers = rowNumbers(first);
  if (!numbers) return false;
  const std::string column = "the first column of " + text.path().filename().string();
  const std::string all = everyNumber(*numbers, shape.rows);
  constexpr const char* kHow = "a first line of names, with `vertex` for numbers of vertices, tells";
  if (numbers->inOrder && !shape.names) {
    remarks.push_back(column + " is the vertex number and no feature");
    return true;
  }
  if (!shape.names && shape.rows >= kFewByChance)
    text.damagedWhole("the first column" + all +
                      ", not in order: it may be a feature or number the vertices; " + kHow);
  remarks.push_back(column + all + "; it is read as a feature, " + kHow);
  return false;
}

}  // namespace

std::string numeral(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.15g", value);
  return digits.data();
}

void remarkNumbered(const Matrix& features, const std::string& file, std::vector<std::string>& remarks) {
  if (features.rows() < 3 || features.cols() < 2) return;
  std::vector<double> first;
  for (Index r = 0; r < features.rows(); ++r) first.push_back(features(r, 0));
  if (const auto numbers = rowNumbers(first))
    remarks.push_back("the first column of " + file + everyNumber(*numbers, features.rows()) +
                      "; it is read as a feature: leave it out if it numbers the vertices");
}

void NumberTable::damaged(Index row, Index col, const std::string& message) const {
  const Index line = lines.empty() ? 0 : lines[static_cast<std::size_t>(row)];
  const std::string place = (line > 0 ? "" : "row " + std::to_string(row) + ", ") +
                            (cols > 1 || line == 0 ? "column " + std::to_string(col) + ": " : "");
  throw DamagedInput({file.string(), line, 0, "", place + message});
}

Matrix readTable(const std::filesystem::path& file, Index rows, const Progress& progress) {
  TextFile text(file, progress);
  Growing<Scalar> values;
  const Shape shape = eachNumber(text, rows, false, [&](Index, Fields& fields, const Shape&) {
    values.push_back(static_cast<Scalar>(fields.scalar(kNumber)));
  });
  return featuresOf(values, shape, -1, {});
}

Matrix readLabelColumns(const std::filesystem::path& file, Index rows, const Progress& progress) {
  TextFile text(file, progress);
  Growing<Scalar> values;
  const Shape shape = eachNumber(text, rows, false, [&](Index column, Fields& fields, const Shape&) {
    const double flag = fields.real("0 or 1");
    if (flag != 0 && flag != 1)
      text.damaged("column " + std::to_string(column) + ": " + numeral(flag) + kNoFlag);
    values.push_back(static_cast<Scalar>(flag));
  });
  return featuresOf(values, shape, -1, {});
}

Matrix readFeatureTable(const std::filesystem::path& file, Index vertices,
                        std::vector<std::string>& remarks) {
  TextFile text(file);
  Growing<Scalar> values;
  NumberTable numbers{file, 0, 1, {}};  // the column that numbers the vertices, or the first, which may
  const Shape shape = eachNumber(text, vertices, true, [&](Index column, Fields& fields, const Shape& known) {
    const double value = fields.scalar(kNumber);
    if (column == std::max<Index>(known.vertexColumn, 0)) numbers.values.push_back(value);
    values.push_back(static_cast<Scalar>(value));
  });
  if (shape.vertexColumn < 0)
    return featuresOf(values, shape, isNumbered(text, shape, numbers.values, remarks) ? 0 : -1, {});
  numbers.rows = shape.rows;
  numbers.lines = shape.lines;
  return featuresOf(values, shape, shape.vertexColumn, verticesOf(numbers, 0, vertices, remarks));
}

NumberTable readNumbers(const std::filesystem::path& file) {
  TextFile text(file);
  NumberTable table{file};
  Shape shape = eachNumber(text, -1, true, [&](Index, Fields& fields, const Shape&) {
    table.values.push_back(fields.real(kNumber));
  });
  table.rows = shape.rows;
  table.cols = shape.columns;
  table.lines = std::move(shape.lines);
  table.vertexColumn = shape.vertexColumn;
  return table;
}

std::vector<Index> verticesOf(const NumberTable& table, Index column, Index vertices,
                              std::vector<std::string>& remarks) {
  double smallest = 1, largest = 0;
  for (Index r = 0; r < table.rows; ++r) {
    smallest = std::min(smallest, table(r, column));
    largest = std::max(largest, table(r, column));
  }
  const bool fromOne = smallest == 1 && largest == static_cast<double>(vertices);
  if (fromOne) remarks.push_back(table.file.filename().string() + " numbers the vertices from 1");
  std::vector<Index> found, rowOf(static_cast<std::size_t>(vertices), -1);
  for (Index r = 0; r < table.rows; ++r) {
    const double number = table(r, column), vertex = number - (fromOne ? 1 : 0);
    if (!(vertex >= 0 && vertex < static_cast<double>(vertices) && vertex == std::floor(vertex)))
      table.damaged(r, column, numeral(number) + " is no vertex; 0 to " + std::to_string(vertices - 1));
    Index& row = rowOf[static_cast<std::size_t>(vertex)];
    if (row >= 0)
      table.damaged(
          r, column,
          "vertex " + numeral(number) + " was in " +
              (table.lines.empty() ? "row " + std::to_string(row)
                                   : "line " + std::to_string(table.lines[static_cast<std::size_t>(row)])) +
              " already; a row a vertex");
    row = r;
    found.push_back(static_cast<Index>(vertex));
  }
  return found;
}

void requireWidth(const Matrix& features, const std::string& where) {
  if (features.cols() == 0)
    throw DamagedInput({where, 0, 0, "", "holds features of width 0; at least one column a vertex"});
}

std::vector<Index> readIndices(const std::filesystem::path& file, Index bound, const char* what) {
  TextFile text(file);
  std::vector<Index> indices;
  std::string_view line;
  while (text.next(line)) {
    Fields fields(text, line, Layout::table);
    if (!fields.more()) continue;
    const Index index = fields.integer(what);
    if (index < 0 || index >= bound)
      text.damaged(std::to_string(index) + " is out of range; " + what + " from 0 to " +
                   std::to_string(bound - 1));
    fields.end("one number a line");
    indices.push_back(index);
  }
  return indices;
}

std::filesystem::path plainOrPacked(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path)) return path;
  for (const char* packing : {".gz", ".xz", ".bz2", ".zst"}) {
    const std::filesystem::path packed = path.string() + packing;
    if (std::filesystem::is_regular_file(packed)) return packed;
  }
  return {};
}

const char* nameOf(Split part) {
  switch (part) {
    case Split::train:
      return "train";
    case Split::valid:
      return "valid";
    case Split::test:
      return "test";
    case Split::none:
      break;
  }
  return "none";
}

void assignSplit(std::vector<Split>& split, const std::vector<Index>& vertices, Split part,
                 const std::filesystem::path& file) {
  for (const Index vertex : vertices) {
    Split& now = split[static_cast<std::size_t>(vertex)];
    if (now != Split::none && now != part)
      throw DamagedInput({file.string(), 0, 0, "",
                          "vertex " + std::to_string(vertex) + " is in " + nameOf(now) + " and in " +
                              nameOf(part) + "; the parts of a split do not overlap"});
    now = part;
  }
}

std::vector<Split> readSplitFolder(const std::filesystem::path& folder, Index vertices) {
  std::vector<Split> split(static_cast<std::size_t>(vertices), Split::none);
  for (const Split part : {Split::train, Split::valid, Split::test}) {
    const auto file = plainOrPacked(folder / (std::string(nameOf(part)) + ".csv"));
    if (file.empty())
      throw DamagedInput({(folder / (std::string(nameOf(part)) + ".csv.gz")).string(), 0, 0, "",
                          "is missing; a split is train, valid and test"});
    assignSplit(split, readIndices(file, vertices, "a vertex number"), part, file);
  }
  return split;
}

std::vector<Split> splitMasks(const std::map<std::string, NpyArray>& arrays, Index vertices,
                              const std::filesystem::path& file) {
  constexpr std::pair<const char*, Split> kMasks[] = {
      {"train_mask", Split::train}, {"val_mask", Split::valid}, {"test_mask", Split::test}};
  std::vector<Split> split;
  for (const auto& [key, part] : kMasks) {
    const auto found = arrays.find(key);
    if (found == arrays.end()) continue;
    const auto mask = found->second.reals(file.string() + ": " + key);
    if (std::cmp_not_equal(mask.size(), vertices))
      throw DamagedInput({file.string(), 0, 0, key,
                          "has " + std::to_string(mask.size()) + " elements; " + std::to_string(vertices) +
                              " vertices need one each"});
    split.resize(mask.size(), Split::none);
    std::vector<Index> members;
    for (std::size_t v = 0; v < mask.size(); ++v) {
      if (mask[v] != 0 && mask[v] != 1)
        throw DamagedInput({file.string(), 0, 0, key,
                            "element " + std::to_string(v) + " is " + numeral(mask[v]) + "; 0 or 1"});
      if (mask[v] == 1) members.push_back(static_cast<Index>(v));
    }
    assignSplit(split, members, part, file);
  }
  return split;
}

}  // namespace halo
