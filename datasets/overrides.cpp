#include "datasets/overrides.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "datasets/arrays/npz.h"
#include "datasets/edges/decimal_marks.h"
#include "datasets/input/archive.h"
#include "datasets/parts/json_file.h"
#include "datasets/parts/npz_parts.h"
#include "datasets/parts/split.h"
#include "datasets/parts/table.h"
#include "datasets/parts/unsigned_labels.h"
#include "datasets/text/class_number.h"
#include "datasets/text/columns.h"
#include "datasets/text/empty_lines.h"
#include "datasets/text/end_names.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message) {
  throw DamagedInput({.file = file.string(), .message = message});
}

void requireRows(const std::filesystem::path& file, Index rows, Index vertices) {
  if (rows != vertices)
    damaged(file, "holds " + std::to_string(rows) + " rows; " + std::to_string(vertices) +
                      " vertices need one each");
}

/// The same of a table, with the line where its rows end.
void requireRows(const NumberTable& table, Index vertices) {
  if (table.rows < vertices && !table.lines.empty())
    throw WrongRows(table.file, table.rows, vertices, table.lines.back());
  requireRows(table.file, table.rows, vertices);
}

/// Refuses an array of other rows before its elements are read.
ShapeCheck rowsFor(const std::filesystem::path& file, Index vertices) {
  return [file, vertices](const std::vector<Index>& shape) {
    if (!shape.empty()) requireRows(file, shape[0], vertices);
  };
}

/// Of several arrays it is said that they are several, whatever their rows.
bool holdsOne(const std::filesystem::path& npz) {
  const auto names = zipNames(npz);
  return names && names->size() == 1;
}

/// Text or .npy; a label is a class or a vertex number, so nothing is rounded.
NumberTable labelNumbers(const std::filesystem::path& file, Index vertices) {
  if (!isNpy(file)) return readNumbers(file);
  const NpyArray array = readNpy(file, [&](const std::vector<Index>& shape) {
    constexpr Index kPair = 2;  // vertex and class: no more rows than vertices
    if (!shape.empty() && (shape.size() != 2 || shape[1] != kPair || shape[0] > vertices))
      requireRows(file, shape[0], vertices);
  });
  const auto [rows, cols] = array.extent(file.string());
  NumberTable table{file, rows, cols, array.reals(file.string())};
  table.type = array.type;
  if (cols != 2 || (array.type[0] != 'i' && array.type[0] != 'u')) return table;
  const auto numbers = array.integers(file.string());  // the vertex comes first
  for (Index r = 0; r < rows; ++r)
    table.keepExactly(r, table(r, 0), [&] { return std::to_string(numbers[at(2 * r)]); });
  return table;
}

/// −1: none.
std::int32_t classOf(const NumberTable& table, Index row, Index col) {
  const auto label = classIn(table(row, col));
  if (!label) table.damaged(row, col, numeral(table(row, col)) + noClass());
  return *label;
}

/// Whether the first column and `second` are `vertex class`. Either they hold other numbers than flags, or no
/// vertex stands twice, which two columns of flags cannot keep up for long.
bool arePairs(const NumberTable& table, Index second) {
  std::vector<double> first;
  for (Index r = 0; r < table.rows; ++r) {
    for (const double value : {table(r, 0), table(r, second)})
      if (value != 0 && value != 1) return true;
    first.push_back(table(r, 0));
  }
  std::sort(first.begin(), first.end());
  return std::adjacent_find(first.begin(), first.end()) == first.end();
}

/// Columns of a table; −1: none.
struct LabelColumns {
  Index vertex = -1;
  Index label = -1;  // the only one; −1: all but the vertex
};

/// The only column that is called a label; −1: there are no names, or others than one are called so.
Index onlyLabel(const NumberTable& table) {
  if (std::ranges::count_if(table.names, namesLabel) != 1) return -1;
  return std::ranges::find_if(table.names, namesLabel) - table.names.begin();
}

/// Whether all of these begin with one word and name labels: `label_a`, `label_b`, or `label0`, `label1`.
bool namedAlike(const std::vector<std::string>& names) {
  const auto stem = [](const std::string& name) {
    const std::string word = NameParts(name).words.front();
    return word.substr(0, word.find_last_not_of("0123456789") + 1);
  };
  return std::ranges::all_of(names, namesLabel) &&
         std::ranges::all_of(names, [&](const std::string& name) { return stem(name) == stem(names[0]); });
}

/// Remarks columns that are not read beside the label, or that all are read as labels.
void remarkColumns(const NumberTable& table, LabelColumns columns, std::vector<std::string>& remarks) {
  const std::string file = table.file.filename().string();
  std::vector<std::string> others;
  for (std::size_t c = 0; c < table.names.size(); ++c)
    if (std::cmp_not_equal(c, columns.vertex) && std::cmp_not_equal(c, columns.label))
      others.push_back(table.names[c]);
  if (columns.label >= 0) {
    const std::string& label = table.names[at(columns.label)];
    for (const std::string& other : others) remarks.push_back(labelAlone(file, label, other));
  } else if (others.size() > 1 && !namedAlike(others)) {
    remarks.push_back(file + ": the columns `" + others.front() + "` to `" + others.back() +
                      "` are all read as labels: if one is, name that one alone `label`");
  }
}

LabelColumns columnsOf(const NumberTable& table, std::vector<std::string>& remarks) {
  LabelColumns columns{table.vertexColumn, onlyLabel(table)};
  const Index beside = columns.label < 0 && table.cols == 2 ? 1 : columns.label;
  const bool part = !table.names.empty() && partNamed(table.names[0]);  // of a split, and no vertex
  if (columns.vertex < 0 && beside > 0 && !part && arePairs(table, beside)) columns.vertex = 0;
  remarkColumns(table, columns, remarks);
  if (!table.names.empty())
    remarkPoints(table.file, PairsOf::labels, remarks);
  else if (!table.lines.empty())
    remarkMarks(table.file, table.cols, PairsOf::labels, remarks);
  return columns;
}

/// Throws DamagedInput for an empty line above one of as many classes as there are vertices: which of them
/// has none cannot be told.
void requireNoGap(const NumberTable& table) {
  for (std::size_t r = 0; r < table.lines.size(); ++r)
    if (const Index line = table.firstLine + static_cast<Index>(r); table.lines[r] != line)
      throw DamagedInput({.file = table.file.string(),
                          .line = line,
                          .column = 1,
                          .message = "an empty line is a vertex without label, and the lines with one are " +
                                     std::to_string(table.rows) + ", as many as vertices"});
}

/// Of a class a line, where empty lines are vertices without one: the vertices of the rows. Without empty
/// lines, or where the lines are not as many as vertices: nothing.
std::optional<std::vector<Index>> verticesOfLines(const NumberTable& table, Index vertices) {
  if (table.lines.empty() || table.cols > 1) return std::nullopt;
  if (table.rows == vertices) {
    requireNoGap(table);
    return std::nullopt;
  }
  std::vector<Index> rowVertices;
  for (const Index line : table.lines) rowVertices.push_back(line - table.firstLine);
  const bool fits = rowVertices.back() < vertices && table.lastLine - table.firstLine + 1 >= vertices;
  return fits ? std::optional(std::move(rowVertices)) : std::nullopt;
}

/// The labels of row r of the table are those of vertex rowOf[r]; `skip` is the column of the vertex, −1:
/// none.
Matrix multiLabelsOf(const NumberTable& table, Index vertices, const std::vector<Index>& rowOf, Index skip) {
  Matrix labels;
  labels.setZero(vertices, table.cols - (skip >= 0 ? 1 : 0));
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0, to = 0; c < table.cols; ++c) {
      if (c == skip) continue;
      const double value = table(r, c);
      if (value != 0 && value != 1) table.damaged(r, c, numeral(value) + kNoFlag);
      labels(rowOf[at(r)], to++) = static_cast<Scalar>(value);
    }
  return labels;
}

/// The labels of a table, whose rows are the vertices in order where no column numbers these.
LabelFile labelsOf(const NumberTable& table, LabelColumns columns, const GraphVertices& graph,
                   std::vector<std::string>& remarks) {
  const Index column = columns.vertex;
  const Index classes = columns.label >= 0 ? 1 : table.cols - (column >= 0 ? 1 : 0);
  if (classes == 0) damaged(table.file, "holds no labels; a column for them");
  auto rowOf = column < 0 && classes == 1 ? verticesOfLines(table, graph.count) : std::nullopt;
  if (!rowOf && (column < 0 || classes > 1)) requireRows(table, graph.count);
  if (column >= 0) {
    rowOf = verticesOf(table, column, graph, remarks);
  } else if (!rowOf) {
    rowOf.emplace(at(table.rows));
    std::iota(rowOf->begin(), rowOf->end(), Index{0});
  }
  remarkWithoutLine(table.file.filename().string(), graph.count - table.rows, graph.count, remarks);
  LabelFile result;
  if (classes > 1) {
    result.classes = static_cast<std::int32_t>(classes);
    result.multiLabels = multiLabelsOf(table, graph.count, *rowOf, column);
    return result;
  }
  result.labels.assign(at(graph.count), -1);
  const Index label = columns.label >= 0 ? columns.label : column == 0 ? 1 : 0;
  for (Index r = 0; r < table.rows; ++r) {
    result.labels[at((*rowOf)[at(r)])] = classOf(table, r, label);
    result.minusOne = result.minusOne || table(r, label) == -1;
  }
  remarkUnsigned(table.file.filename().string(), table.type, result.labels, remarks);
  return result;
}

/// Which vertices the keys name is told by all of them.
LabelFile labelsOfJson(const std::filesystem::path& file, const GraphVertices& graph,
                       std::vector<std::string>& remarks) {
  const auto rows = [&](const nlohmann::json::object_t& members) -> RowOf {
    std::vector<std::string_view> keys;
    VertexWords words{{}, [&](Index i) { return std::string(keys[at(i)]); }};
    for (const auto& [key, label] : members) {
      keys.push_back(key);
      words.numbers.push_back(wholeNumberOf(key));
    }
    auto vertices = verticesNamed(graph, words, RowCounts::may, file.filename().string(), remarks);
    return [vertices = std::move(vertices), next = std::size_t{0}](const std::string&) mutable {
      return vertices[next++];
    };
  };
  return readLabelMap(file, graph.count, rows, graph.unknown(), remarks);
}

}  // namespace

bool isNpy(const std::filesystem::path& file) { return headOf(file, 6) == "\x93NUMPY"; }

bool isLabelJson(const std::filesystem::path& file) {
  const std::string head = headOf(file, 64);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return file.extension() == ".json" || (first != std::string::npos && head[first] == '{');
}

Matrix readFeatureFile(const std::filesystem::path& file, const GraphVertices& graph,
                       std::vector<std::string>& remarks) {
  Matrix features;
  if (isNpy(file)) {
    features = readNpy(file, rowsFor(file, graph.count)).matrix(file.string());
  } else if (file.extension() == ".npz") {
    const auto arrays = readNpz(file, holdsOne(file) ? rowsFor(file, graph.count) : ShapeCheck{});
    if (arrays.contains("indptr") && arrays.contains("indices"))
      damaged(file, "holds a sparse matrix; features are one dense array, a row a vertex: its toarray()");
    if (arrays.size() != 1)
      damaged(file, "holds " + std::to_string(arrays.size()) + " arrays; one, of one row a vertex");
    features = arrays.begin()->second.matrix(file.string() + ": " + arrays.begin()->first);
  } else {
    features = readFeatureTable(file, graph, remarks);
    requireWidth(features, file.string());
    return features;
  }
  requireWidth(features, file.string());
  requireRows(file, features.rows(), graph.count);
  remarkNumbered(features, file.filename().string(), graph, remarks);
  return features;
}

LabelFile readLabelFile(const std::filesystem::path& file, const GraphVertices& graph,
                        std::vector<std::string>& remarks) {
  if (isLabelJson(file)) return labelsOfJson(file, graph, remarks);
  const NumberTable table = labelNumbers(file, graph.count);
  if (table.rows == 0) damaged(file, "is empty; a label a vertex");
  if (!table.rowNames.empty()) remarks.push_back(table.rowNames);
  return labelsOf(table, columnsOf(table, remarks), graph, remarks);
}

std::vector<Split> readSplitFile(const std::filesystem::path& file, const GraphVertices& graph,
                                 std::vector<std::string>& remarks) {
  if (std::filesystem::is_directory(file)) return readSplitFolder(file, graph, remarks);
  if (file.extension() == ".npz") return readSplitNpz(file, graph, remarks);
  if (isNpy(file))
    damaged(file,
            "is binary, an array of numpy (.npy); a split is an .npz with train_mask, val_mask and "
            "test_mask, a folder with train.csv, valid.csv and test.csv, or text with a word a line");
  TextFile text(file);
  std::vector<Split> split;
  EmptyLines empty;
  bool commented = false;
  std::string_view line;
  while (text.next(line)) {
    if (split.empty() && line.starts_with('#')) {
      commented = true;
      continue;
    }
    Fields fields(text, line, Layout::table);
    if (!fields.more()) {
      if (!commented || !split.empty()) empty.pass(text);
      continue;
    }
    empty.refuse(text);
    const std::string_view word = fields.word();
    const std::string name = unquoted(word);
    const bool none = saysNoLabel(name) && !saysMinusOne(name);
    const auto part = none ? Split::none : partNamed(name);
    if (!part) text.damaged(shown(word) + " is no part of a split; train, valid, test or none", word);
    fields.end("one word a line, of vertex 0 first");
    split.push_back(*part);
  }
  requireRows(file, static_cast<Index>(split.size()), graph.count);
  return split;
}

void replaceParts(const DatasetRequest& request, RawDataset& raw) {
  const auto forget = [&](const char* part) {
    std::erase_if(raw.marks, [&](const std::string& mark) { return mark.ends_with(part); });
  };
  const GraphVertices graph(raw.vertices, raw.vertexOf);
  if (!request.features.empty()) {
    raw.features = readFeatureFile(request.features, graph, raw.remarks);
    forget(" features");
  }
  if (!request.labels.empty()) {
    raw.take(readLabelFile(request.labels, graph, raw.remarks));
    forget(" labels");
  }
  if (!request.split.empty()) {
    raw.split = readSplitFile(request.split, graph, raw.remarks);
    forget(" split");
  }
}

}  // namespace halo
