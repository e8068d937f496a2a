#include "datasets/overrides.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "datasets/arrays/npz.h"
#include "datasets/input/archive.h"
#include "datasets/parts/json_file.h"
#include "datasets/parts/npz_parts.h"
#include "datasets/parts/split.h"
#include "datasets/parts/table.h"
#include "datasets/text/class_number.h"
#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message) {
  throw DamagedInput({file.string(), 0, 0, "", message});
}

void requireRows(const std::filesystem::path& file, Index rows, Index vertices) {
  if (rows != vertices)
    damaged(file, "holds " + std::to_string(rows) + " rows; " + std::to_string(vertices) +
                      " vertices need one each");
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

bool isNpy(const std::filesystem::path& file) { return headOf(file, 6) == "\x93NUMPY"; }

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
  if (cols != 2 || (array.type[0] != 'i' && array.type[0] != 'u')) return table;
  const auto numbers = array.integers(file.string());  // the vertex comes first
  for (Index r = 0; r < rows; ++r)
    table.keepExactly(r, table(r, 0),
                      [&] { return std::to_string(numbers[static_cast<std::size_t>(2 * r)]); });
  return table;
}

/// −1: none.
std::int32_t classOf(const NumberTable& table, Index row, Index col) {
  const auto label = classIn(table(row, col));
  if (!label) table.damaged(row, col, numeral(table(row, col)) + noClass());
  return *label;
}

/// `vertex class` on a line: other numbers than flags, or no vertex twice, which two columns of flags cannot
/// keep up for long.
bool arePairs(const NumberTable& table) {
  if (table.cols != 2) return false;
  const auto isFlag = [](double value) { return value == 0 || value == 1; };
  if (!std::all_of(table.values.begin(), table.values.end(), isFlag)) return true;
  std::vector<double> first;
  for (Index r = 0; r < table.rows; ++r) first.push_back(table(r, 0));
  std::sort(first.begin(), first.end());
  return std::adjacent_find(first.begin(), first.end()) == first.end();
}

/// Of a class a line, where empty lines are vertices without one: the vertices of the rows. Without empty
/// lines, or where the lines are not as many as vertices: nothing.
std::optional<std::vector<Index>> verticesOfLines(const NumberTable& table, Index vertices) {
  if (table.lines.empty() || table.rows == vertices) return std::nullopt;
  std::vector<Index> found;
  for (const Index line : table.lines) found.push_back(line - table.firstLine);
  const bool fits = found.back() < vertices && table.lastLine - table.firstLine + 1 >= vertices;
  return fits ? std::optional(std::move(found)) : std::nullopt;
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
      labels(rowOf[static_cast<std::size_t>(r)], to++) = static_cast<Scalar>(value);
    }
  return labels;
}

/// The labels of a table whose column `column` numbers the vertices; −1: its rows are the vertices in order.
LabelFile labelsOf(const NumberTable& table, Index column, const GraphVertices& graph,
                   std::vector<std::string>& remarks) {
  const Index classes = table.cols - (column >= 0 ? 1 : 0);
  if (classes == 0) damaged(table.file, "holds no labels; a column for them");
  auto rowOf = column < 0 && classes == 1 ? verticesOfLines(table, graph.count) : std::nullopt;
  if (!rowOf && (column < 0 || classes > 1)) requireRows(table.file, table.rows, graph.count);
  if (column >= 0) {
    rowOf = verticesOf(table, column, graph, remarks);
  } else if (!rowOf) {
    rowOf.emplace(static_cast<std::size_t>(table.rows));
    std::iota(rowOf->begin(), rowOf->end(), Index{0});
  }
  remarkWithoutLine(table.file.filename().string(), graph.count - table.rows, graph.count, remarks);
  LabelFile result;
  if (classes > 1) {
    result.classes = static_cast<std::int32_t>(classes);
    result.multiLabels = multiLabelsOf(table, graph.count, *rowOf, column);
    return result;
  }
  result.labels.assign(static_cast<std::size_t>(graph.count), -1);
  for (Index r = 0; r < table.rows; ++r)
    result.labels[static_cast<std::size_t>((*rowOf)[static_cast<std::size_t>(r)])] =
        classOf(table, r, column == 0 ? 1 : 0);
  return result;
}

/// Packed or not; what begins with a brace is nothing else.
bool isJson(const std::filesystem::path& file) {
  const std::string head = headOf(file, 64);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return file.extension() == ".json" || (first != std::string::npos && head[first] == '{');
}

/// Which vertices the keys name is told by all of them.
LabelFile labelsOfJson(const std::filesystem::path& file, const GraphVertices& graph,
                       std::vector<std::string>& remarks) {
  const auto rows = [&](const nlohmann::json::object_t& members) -> RowOf {
    std::vector<std::string_view> keys;
    VertexWords words{{}, [&](Index i) { return std::string(keys[static_cast<std::size_t>(i)]); }};
    for (const auto& [key, label] : members) {
      keys.push_back(key);
      words.numbers.push_back(wholeNumberOf(key));
    }
    auto found = verticesNamed(graph, words, RowCounts::may, file.filename().string(), remarks);
    return [found = std::move(found), next = std::size_t{0}](const std::string&) mutable {
      return found[next++];
    };
  };
  return readLabelMap(file, graph.count, rows, graph.unknown(), remarks);
}

}  // namespace

Matrix readFeatureFile(const std::filesystem::path& file, const GraphVertices& graph,
                       std::vector<std::string>& remarks) {
  Matrix features;
  if (isNpy(file)) {
    features = readNpy(file, rowsFor(file, graph.count)).matrix(file.string());
  } else if (file.extension() == ".npz") {
    const auto arrays = readNpz(file, holdsOne(file) ? rowsFor(file, graph.count) : ShapeCheck{});
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
  if (isJson(file)) return labelsOfJson(file, graph, remarks);
  const NumberTable table = labelNumbers(file, graph.count);
  if (table.rows == 0) damaged(file, "is empty; a label a vertex");
  if (!table.rowNames.empty()) remarks.push_back(table.rowNames);
  const Index column = table.vertexColumn >= 0 ? table.vertexColumn : arePairs(table) ? 0 : -1;
  return labelsOf(table, column, graph, remarks);
}

std::vector<Split> readSplitFile(const std::filesystem::path& file, const GraphVertices& graph,
                                 std::vector<std::string>& remarks) {
  if (std::filesystem::is_directory(file)) return readSplitFolder(file, graph, remarks);
  if (file.extension() == ".npz") return readSplitNpz(file, graph, remarks);
  TextFile text(file);
  std::vector<Split> split;
  std::string_view line;
  while (text.next(line)) {
    if (split.empty() && line.starts_with('#')) continue;  // a comment above
    Fields fields(text, line, Layout::table);
    if (!fields.more()) continue;
    const std::string_view word = fields.word();
    const std::string name = unquoted(word);
    const auto part = name == nameOf(Split::none) ? Split::none : partNamed(name);
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
