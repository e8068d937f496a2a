// Folder of the Geom-GCN collection (Pei et al., ICLR 2020):
//
//   out1_graph_edges.txt             plain or packed; header, then `u<TAB>v`, directed
//   out1_node_feature_label.txt      header, then `vertex<TAB>features<TAB>class`: all flags 0/1, or, where
//   the header
//                                    says feature_amount:N, the numbers 1 … N of those that are set; where
//                                    flags cannot be (film), the numbers from 0 of those that are set
//   splits/*.npz                     train_mask, val_mask, test_mask, or lists train_idx …; of several the
//   first
//                                    by name

#include <algorithm>
#include <charconv>
#include <optional>

#include "datasets/edges/numbering.h"
#include "datasets/input/limits.h"
#include "datasets/input/packings.h"
#include "datasets/parts/npz_parts.h"
#include "datasets/parts/table.h"
#include "datasets/text/class_number.h"
#include "datasets/text/columns.h"
#include "datasets/text/no_label.h"
#include "datasets/text/one_separator.h"
#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

std::filesystem::path edgeFile(const std::filesystem::path& path) {
  return plainOrPacked(path / "out1_graph_edges.txt");
}
std::filesystem::path nodeFile(const std::filesystem::path& path) {
  return plainOrPacked(path / "out1_node_feature_label.txt");
}

bool recognises(const std::filesystem::path& path) {
  return !edgeFile(path).empty() && !nodeFile(path).empty();
}

std::vector<std::filesystem::path> splitFiles(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> splits;
  refusePipe(path / "splits");
  if (std::filesystem::is_directory(path / "splits"))
    for (const auto& entry : std::filesystem::directory_iterator(path / "splits"))
      if (entry.path().extension() == ".npz") splits.push_back(entry.path());
  std::sort(splits.begin(), splits.end());
  return splits;
}

std::vector<std::filesystem::path> filesRead(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files = {edgeFile(path), nodeFile(path)};
  if (const auto splits = splitFiles(path); !splits.empty()) files.push_back(splits[0]);
  return files;
}

struct Node {
  Index vertex = 0;
  std::int32_t label = 0;
  bool minusOne = false;        // as its label
  std::vector<Index> features;  // columns that are set
  Index line = 0;
};

/// The number behind "feature_amount:" in the header; 0: features are flags, one a column.
Index featureAmount(const TextFile& text, std::string_view header) {
  constexpr std::string_view kKey = "feature_amount:";
  const std::size_t at = header.find(kKey);
  if (at == std::string_view::npos) return 0;
  std::string_view word = header.substr(at + kKey.size());
  word = word.substr(0, word.find('\t'));
  word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
  word = word.substr(0, word.find_last_not_of(" )\"") + 1);  // as in "feature(feature_amount:931)"
  Index amount = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), amount);
  if (error != std::errc() || end != word.data() + word.size() || amount < 1)
    text.damaged("feature_amount " + shown(word) + " is no number of features; a whole number from 1", word);
  return amount;
}

/// How the columns of features are written.
struct Columns {
  Index amount = 0;    // of the header; 0: flags
  Index width = -1;    // −1: not known yet
  bool lists = false;  // numbers from 0 of those that are set
  Index above1 = 0;    // lists with a number above 1
  Index outside = 0;   // how often the number 0 stood among numbers that begin with 1
  Index empty = 0;     // lists without a number
  OneSeparator separator = {};
};

/// The numbers that are set. film lists the number 0 now and then, which its header does not count.
std::vector<Index> listedColumns(TextFile& text, std::string_view cell, Columns& columns) {
  std::vector<Index> set;
  Fields fields(text, cell);
  while (fields.more()) {
    const Index value = fields.integer("a feature");
    if (value < 0 || value > columns.amount)
      text.damaged("feature " + std::to_string(value) + " cannot be; 1 to " + std::to_string(columns.amount));
    columns.outside += value == 0;
    if (value > 0) set.push_back(value - 1);
  }
  columns.separator.require(text, fields);
  columns.width = columns.amount;
  columns.empty += set.empty();
  return set;
}

/// What the cells above were taken for cannot be.
class OtherForm : public DamagedInput {
 public:
  OtherForm(const TextFile& text, const std::string& message)
      : DamagedInput({.file = text.path().string(), .line = text.line(), .message = message}) {}
};

std::vector<Index> indexedColumns(TextFile& text, std::string_view cell, Columns& columns) {
  constexpr Index kMostFeatures = 10'000'000;
  std::vector<Index> set;
  Fields fields(text, cell);
  while (fields.more()) {
    const Index value = fields.integer("a feature");
    if (value < 0 || value >= kMostFeatures)
      throw OtherForm(
          text, "feature " + std::to_string(value) + " cannot be; 0 to " + std::to_string(kMostFeatures - 1));
    set.push_back(value);
  }
  columns.separator.require(text, fields);
  std::ranges::sort(set);
  if (const auto twice = std::ranges::adjacent_find(set); twice != set.end())
    throw OtherForm(text, "feature " + std::to_string(*twice) + " stands twice; each number once");
  if (set.empty()) return set;
  columns.above1 += set.back() > 1;
  columns.width = std::max(columns.width, set.back() + 1);
  return set;
}

std::vector<Index> flaggedColumns(TextFile& text, std::string_view cell, Columns& columns) {
  std::vector<Index> set;
  Index place = 0;
  Fields fields(text, cell);
  for (; fields.more(); ++place) {
    const Index flag = fields.integer("a feature");
    if (flag != 0 && flag != 1)
      throw OtherForm(text, "feature " + std::to_string(flag) +
                                " cannot be; 0 or 1, or the numbers of those that are set, each once");
    if (flag == 1) set.push_back(place);
  }
  columns.separator.require(text, fields);
  if (columns.width >= 0 && place != columns.width)
    throw OtherForm(text, "has " + std::to_string(place) + " features; the vertices above have " +
                              std::to_string(columns.width));
  columns.width = place;
  return set;
}

Index wholeNumber(const TextFile& text, std::string_view cell, const char* expected) {
  Fields fields(text, cell);
  const Index number = fields.integer(expected);
  fields.end(expected);
  return number;
}

/// The header names `vertex, features, class` in this order, if it names them at all.
void requireOrder(const TextFile& text, std::string_view header) {
  requireVertexFirst(text, header);
  const auto cells = csvCells(header, '\t');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t place = cells[i].starts_with("feature")              ? 1
                              : cells[i] == "label" || cells[i] == "class" ? 2
                                                                           : i;
    if (place != i)
      text.damaged("column " + std::to_string(i + 1) + " is named " + shown(cells[i]) +
                   "; the columns are the vertex, its features and its class");
  }
}

std::int32_t readClass(const TextFile& text, std::string_view cell) {
  if (saysNoLabel(cell)) return -1;
  const Index label = wholeNumber(text, cell, "a class");
  if (!isClass(label)) text.damaged(std::to_string(label) + " is no class; " + kClassRange, cell);
  return static_cast<std::int32_t>(label);
}

Node readNode(TextFile& text, std::string_view line, Columns& columns) {
  const std::size_t first = line.find('\t'), last = line.rfind('\t');
  if (first == std::string_view::npos || std::count(line.begin(), line.end(), '\t') != 2)
    text.damaged("`vertex<TAB>features<TAB>class` on a line");
  if (first == 0 || last + 1 == line.size() || (last == first + 1 && columns.amount == 0))
    text.damaged("an empty cell; `vertex<TAB>features<TAB>class` on a line",
                 line.substr(first == 0 ? 0 : last, 1));
  Node node;
  node.vertex = wholeNumber(text, line.substr(0, first), "a vertex number");
  node.label = readClass(text, line.substr(last + 1));
  node.minusOne = node.label < 0 && saysMinusOne(line.substr(last + 1));
  const std::string_view cell = line.substr(first + 1, last - first - 1);
  const auto read = columns.amount > 0 ? listedColumns : columns.lists ? indexedColumns : flaggedColumns;
  node.features = read(text, cell, columns);
  node.line = text.line();
  return node;
}

std::vector<Node> readNodes(const std::filesystem::path& file, Columns& columns) {
  TextFile text(file);
  std::string_view line;
  if (!text.next(line)) text.damagedWhole("is empty; a line of column names first");
  if (wholeNumbers(line.substr(0, line.find('\t')))) text.damaged("names no columns; a line of names first");
  requireOrder(text, line);
  columns.amount = featureAmount(text, line);
  std::vector<Node> nodes;
  while (text.next(line))
    if (!line.empty()) nodes.push_back(readNode(text, line, columns));
  if (nodes.empty()) text.damagedWhole("holds no vertices");
  return nodes;
}

/// Where flags cannot be: as numbers of what is set, as long as most lists show that they are no flags.
std::optional<std::vector<Node>> nodesOfLists(const std::filesystem::path& file, Columns& columns) try {
  columns = {.lists = true};
  auto nodes = readNodes(file, columns);
  return 2 * columns.above1 > std::ssize(nodes) ? std::optional(std::move(nodes)) : std::nullopt;
} catch (const OtherForm&) {
  return std::nullopt;
}

std::vector<Node> nodesOf(const std::filesystem::path& file, const std::filesystem::path& set,
                          Columns& columns, std::vector<std::string>& remarks) {
  try {
    return readNodes(file, columns);
  } catch (const OtherForm&) {
    auto lists = nodesOfLists(file, columns);
    if (!lists) throw;
    constexpr Index kFilm = 932;  // as the loader of the collection has it
    const auto place = set.lexically_normal();
    const bool film = (place.has_filename() ? place : place.parent_path()).filename() == "film";
    if (film) columns.width = std::max(columns.width, kFilm);
    remarks.push_back(file.filename().string() +
                      ": features are read as the numbers of those that are set, from 0; " +
                      (film ? "the width is that of film, " : "the largest makes the width, ") +
                      std::to_string(columns.width));
    return std::move(*lists);
  }
}

void setNodes(const std::vector<Node>& nodes, Index width, const std::filesystem::path& file,
              RawDataset& raw) {
  raw.vertices = static_cast<Index>(nodes.size());
  Index entries = 0;
  for (const Node& node : nodes) entries += static_cast<Index>(node.features.size());
  requireDenseFits(raw.vertices, width, entries, file);
  raw.features.setZero(raw.vertices, width);
  raw.labels.assign(nodes.size(), -1);
  std::vector<bool> taken(nodes.size());
  for (const Node& node : nodes) {
    if (node.vertex < 0 || node.vertex >= raw.vertices || taken[static_cast<std::size_t>(node.vertex)])
      throw DamagedInput({.file = file.string(),
                          .line = node.line,
                          .message = "vertex " + std::to_string(node.vertex) +
                                     " breaks the numbering; every number from 0 to " +
                                     std::to_string(raw.vertices - 1) + " once"});
    taken[static_cast<std::size_t>(node.vertex)] = true;
    raw.labels[static_cast<std::size_t>(node.vertex)] = node.label;
    raw.minusOne = raw.minusOne || node.minusOne;
    for (const Index column : node.features) raw.features(node.vertex, column) = 1;
  }
}

void readSplit(const std::filesystem::path& path, RawDataset& raw) {
  const auto splits = splitFiles(path);
  if (splits.empty()) return;
  raw.split = readSplitNpz(splits[0], raw.vertices, raw.remarks);
  if (splits.size() > 1)
    raw.remarks.push_back("of " + std::to_string(splits.size()) +
                          " splits the first is taken: " + splits[0].filename().string());
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  RawDataset raw;
  remarkOthers(filesRead(path), raw.remarks);
  const auto vertices = nodeFile(path);
  Columns columns;
  const std::vector<Node> nodes = nodesOf(vertices, path, columns, raw.remarks);
  if (columns.outside > 0)
    raw.remarks.push_back("feature number 0 is not read (" + std::to_string(columns.outside) +
                          " times); the header counts from 1");
  if (columns.empty > 0)
    raw.remarks.push_back(std::to_string(columns.empty) + " of " + std::to_string(nodes.size()) +
                          " vertices have no features");
  raw.featureFile = raw.labelFile = vertices;
  setNodes(nodes, columns.width, vertices, raw);
  TextFile edges(edgeFile(path), progress);
  readArcs(edges, raw);
  readSplit(path, raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"geom-gcn", "Geom-GCN folder (out1_graph_edges.txt, out1_node_feature_label.txt, splits/)",
      "Pei et al. 2020"},
     22,
     recognises,
     read,
     "out1_graph_edges.txt and out1_node_feature_label.txt",
     nullptr,
     filesRead}};

}  // namespace
}  // namespace halo
