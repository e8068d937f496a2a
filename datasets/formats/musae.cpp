// Folder of the MUSAE collection (Rozemberczki et al. 2019):
//
//   NAME_edges.csv     header, then `u,v`
//   NAME_target.csv    header; `new_id` or `id` is the vertex; page_type, mature, ml_target or target is the
//   class NAME.json          { "vertex": [feature, …] }, binary (may be absent)
//
// Classes are numbered in the alphabetical order of their names. A target with more than 256 values is
// something measured, not a class: it is not read, and that is remarked.

#include <algorithm>
#include <map>
#include <unordered_map>

#include "datasets/columns.h"
#include "datasets/formats/numbering.h"
#include "datasets/formats/sparse_arrays.h"
#include "datasets/json_file.h"
#include "datasets/table.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::string_view kEdges = "_edges.csv";
constexpr std::string_view kClassColumns[] = {"page_type", "mature", "ml_target", "target"};
constexpr std::size_t kMostClasses = 256;

std::filesystem::path edgeFile(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {};
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().string();
    if (name.ends_with(kEdges) &&
        std::filesystem::is_regular_file(name.substr(0, name.size() - kEdges.size()) + "_target.csv"))
      found.push_back(entry.path());
  }
  return found.empty() ? std::filesystem::path() : *std::min_element(found.begin(), found.end());
}

bool recognises(const std::filesystem::path& path) { return !edgeFile(path).empty(); }

struct Target {
  std::vector<std::string> cells;  // by line; empty: no class
  std::vector<Index> vertices;     // by line
};

std::size_t columnOf(const std::vector<std::string>& header, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto found = std::find(header.begin(), header.end(), name); found != header.end())
      return static_cast<std::size_t>(found - header.begin());
  return header.size();
}

/// The vertices are 0 … n−1 in any order; throws DamagedInput at the current line for one that was there
/// already.
void requireNew(const TextFile& text, Index vertex, std::unordered_map<Index, Index>& lines) {
  const auto [known, fresh] = lines.try_emplace(vertex, text.line());
  if (!fresh)
    text.damaged("vertex " + std::to_string(vertex) + " was in line " + std::to_string(known->second) +
                 " already; every vertex once");
}

/// The line's vertex and the name of its class; "nan" is how a missing one is written.
void readTargetLine(const TextFile& text, std::string_view line, std::size_t columns, std::size_t id,
                    std::size_t value, Target& target) {
  const auto cells = rawCells(line);
  if (cells.size() != columns)
    text.damaged("has " + std::to_string(cells.size()) + " columns; the first line names " +
                 std::to_string(columns));
  for (const std::size_t column : {id, value})
    if (unquoted(cells[column]).empty())
      text.damaged("an empty cell; a vertex number and a class",
                   line.substr(std::min(static_cast<std::size_t>(cells[column].data() - line.data()),
                                        line.size() - 1)));
  const std::string number = unquoted(cells[id]);
  Fields field(text, number.size() == cells[id].size() ? cells[id] : std::string_view(number));
  target.vertices.push_back(field.integer("a vertex number"));
  field.end("one vertex number");
  const std::string name = unquoted(cells[value]);
  target.cells.push_back(name == "nan" || name == "NaN" ? "" : name);
}

Target readTarget(const std::filesystem::path& file) {
  TextFile text(file);
  std::string_view line;
  if (!text.next(line)) text.damagedWhole("is empty; a line of column names first");
  const auto header = csvCells(line);
  constexpr std::string_view kIds[] = {"new_id", "id"};
  const std::size_t id = columnOf(header, kIds), value = columnOf(header, kClassColumns);
  if (id == header.size() || value == header.size())
    text.damaged(
        "the columns are not known; `new_id` or `id`, and one of page_type, mature, ml_target, target");
  Target target;
  std::unordered_map<Index, Index> lines;
  while (text.next(line)) {
    if (line.empty()) continue;
    readTargetLine(text, line, header.size(), id, value, target);
    requireNew(text, target.vertices.back(), lines);
  }
  const auto n = static_cast<Index>(target.vertices.size());
  for (const Index vertex : target.vertices)
    if (vertex < 0 || vertex >= n)
      throw DamagedInput({file.string(), lines[vertex], 0, "",
                          "vertex " + std::to_string(vertex) +
                              " breaks the numbering; every number from 0 to " + std::to_string(n - 1) +
                              " once"});
  return target;
}

void setLabels(const Target& target, RawDataset& raw) {
  std::map<std::string, std::int32_t> classes;
  for (const std::string& cell : target.cells)
    if (!cell.empty()) classes[cell] = 0;
  if (classes.size() > kMostClasses) {
    raw.remarks.push_back("the target has " + std::to_string(classes.size()) +
                          " values; it is measured, not a class, and is not read");
    return;
  }
  std::int32_t next = 0;
  for (auto& [name, label] : classes) label = next++;
  raw.labels.assign(target.cells.size(), -1);
  for (std::size_t i = 0; i < target.cells.size(); ++i)
    if (!target.cells[i].empty())
      raw.labels[static_cast<std::size_t>(target.vertices[i])] = classes.at(target.cells[i]);
}

void readFeatures(const std::filesystem::path& file, RawDataset& raw) {
  const nlohmann::json json = readJson(file);
  if (!json.is_object())
    throw DamagedInput({file.string(), 0, 0, "", "is not an object of vertex and features"});
  constexpr Index kMostFeatures = 10'000'000;
  Index largest = -1, entries = 0;
  for (const auto& [key, list] : json.items()) {
    if (rowNumber(key, raw.vertices) < 0 || !list.is_array())
      throw DamagedInput(
          {file.string(), 0, 0, shown(key),
           "is not a vertex with its list of features; 0 to " + std::to_string(raw.vertices - 1)});
    for (const auto& feature : list) {
      if (!feature.is_number_integer() || rowNumber(feature.dump(), kMostFeatures) < 0)
        throw DamagedInput(
            {file.string(), 0, 0, shown(key),
             shownJson(feature) + " is not a feature; 0 to " + std::to_string(kMostFeatures - 1)});
      largest = std::max(largest, feature.get<Index>());
      ++entries;
    }
  }
  remarkMissing(file, raw.vertices - static_cast<Index>(json.size()), raw.vertices, raw.remarks);
  requireDenseFits(raw.vertices, largest + 1, entries, file);
  raw.features.setZero(raw.vertices, largest + 1);
  for (const auto& [key, list] : json.items())
    for (const auto& feature : list) raw.features(rowNumber(key, raw.vertices), feature.get<Index>()) = 1;
  requireWidth(raw.features, file.string());
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto file = edgeFile(path);
  const std::string stem = file.string().substr(0, file.string().size() - kEdges.size());
  const Target target = readTarget(stem + "_target.csv");
  RawDataset raw;
  raw.vertices = static_cast<Index>(target.vertices.size());
  setLabels(target, raw);
  TextFile text(file, progress);
  FurtherColumns further;
  std::string_view line;
  while (text.next(line)) {
    if (text.line() == 1 && columnNames(line)) {
      requireEndsFirst(text, line);
      continue;
    }
    Fields fields(text, line, Layout::edges);
    if (!fields.more()) continue;
    raw.arcs.push_back(readArc(text, fields, 0, raw.vertices, further));
  }
  further.remark(raw);
  if (std::filesystem::is_regular_file(stem + ".json")) readFeatures(stem + ".json", raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"musae", "MUSAE folder (NAME_edges.csv, NAME_target.csv, NAME.json)", "Rozemberczki et al. 2019"},
     21,
     recognises,
     read,
     "NAME_edges.csv and NAME_target.csv"}};

}  // namespace
}  // namespace halo
