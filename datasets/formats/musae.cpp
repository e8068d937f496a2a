// Folder of the MUSAE collection (Rozemberczki et al. 2019):
//
//   NAME_edges.csv     header, then `u,v`
//   NAME_target.csv    header; `new_id` or `id` is the vertex; page_type, mature, ml_target or target is the
//   class
//   NAME.json          { "vertex": [feature, …] }, the features that are set; or NAME_features.json (may be
//                      absent)
//
// Classes are numbered in the alphabetical order of their names. A target with more than 256 values is
// something measured, not a class: it is not read, and that is remarked.

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "datasets/formats/numbering.h"
#include "datasets/formats/sparse_arrays.h"
#include "datasets/json_file.h"
#include "datasets/json_place.h"
#include "datasets/no_label.h"
#include "datasets/table.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::string_view kEdges = "_edges.csv";
constexpr std::string_view kClassColumns[] = {"page_type", "mature", "ml_target", "target"};
constexpr std::size_t kMostClasses = 256;

std::string stemOf(const std::filesystem::path& edges) {
  const std::string name = edges.string();
  return name.substr(0, name.size() - kEdges.size());
}

bool isSet(const std::filesystem::path& edges) {
  return edges.string().ends_with(kEdges) && std::filesystem::is_regular_file(stemOf(edges) + "_target.csv");
}

std::vector<std::filesystem::path> sets(const std::filesystem::path& path) { return setsAt(path, isSet); }

/// A file NAME_edges.csv is an edge list too; it stands for its set where the format is named.
bool recognises(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) && !sets(path).empty();
}

/// The file of features; SNAP's downloads have the longer name.
std::filesystem::path featureFile(const std::string& stem) {
  std::filesystem::path file = stem + ".json";
  return std::filesystem::is_regular_file(file) ? file : std::filesystem::path(stem + "_features.json");
}

std::vector<std::filesystem::path> filesRead(const std::filesystem::path& path) {
  const auto edges = sets(path).at(0);
  const std::string stem = stemOf(edges);
  return {edges, stem + "_target.csv", featureFile(stem)};
}

struct Target {
  std::vector<std::string> cells;  // by line; empty: no class
  std::vector<Index> vertices;     // by line
  NoLabelWords none;
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

/// The line's vertex and the name of its class.
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
  Fields field(text, cells[id]);
  target.vertices.push_back(field.integer("a vertex number"));
  field.end("one vertex number");
  const std::string name = unquoted(cells[value]);
  target.cells.push_back(target.none.take(name) ? "" : name);
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

bool isNumber(const std::string& name) {
  double value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  return error == std::errc() && end == name.data() + name.size();
}

void setLabels(const Target& target, const std::string& file, RawDataset& raw) {
  std::map<std::string, std::int32_t> classes;
  for (const std::string& cell : target.cells)
    if (!cell.empty()) classes[cell] = 0;
  if (classes.size() > kMostClasses) {
    raw.remarks.push_back("the target has " + std::to_string(classes.size()) +
                          " values; it is measured, not a class, and is not read");
    return;
  }
  std::int32_t next = 0;
  bool names = false;
  for (auto& [name, label] : classes) {
    label = next++;
    names |= !isNumber(name);
  }
  target.none.remark(names, file, raw.remarks);
  raw.labels.assign(target.cells.size(), -1);
  for (std::size_t i = 0; i < target.cells.size(); ++i)
    if (!target.cells[i].empty())
      raw.labels[static_cast<std::size_t>(target.vertices[i])] = classes.at(target.cells[i]);
}

/// What is known of the lists of features before they are taken.
struct Lists {
  Index largest = -1, entries = 0;  // feature; of all lists
  std::size_t length = 0;           // of the first
  bool even = true;                 // all are as long as the first
  bool repeats = false;             // one has a number twice
  bool descends = false;            // one has a number below the one before it
};

Lists checkedLists(const nlohmann::json& json, const std::filesystem::path& file, Index vertices) {
  constexpr Index kMostFeatures = 10'000'000;
  Lists lists;
  std::unordered_map<Index, const void*> seenIn;  // by feature: the list that had it last
  for (const auto& [key, list] : json.items()) {
    if (rowNumber(key, vertices) < 0 || !list.is_array())
      damagedJson(file, {key}, shown(key),
                  "is not a vertex with its list of features; 0 to " + std::to_string(vertices - 1));
    if (&list == &*json.begin()) lists.length = list.size();
    lists.even &= list.size() == lists.length;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Index feature = list[i].is_number_integer() ? list[i].get<Index>() : -1;
      if (feature < 0 || feature >= kMostFeatures)
        damagedJson(file, {key, i}, shown(key),
                    shownJson(list[i]) + " is not a feature; 0 to " + std::to_string(kMostFeatures - 1));
      lists.largest = std::max(lists.largest, feature);
      ++lists.entries;
      lists.descends |= i > 0 && feature < list[i - 1].get<Index>();
      if (lists.even && lists.length > 1) {
        const void*& last = seenIn[feature];
        lists.repeats |= last == &list;
        last = &list;
      }
    }
  }
  return lists;
}

/// Lists of one length, of 0 and 1 alone, are rows of flags, unless they may all be the features 0 and 1; of
/// other numbers, some of them twice in a list, they are rows of values, which this format does not have.
bool areFlags(const Lists& lists, const std::filesystem::path& file, RawDataset& raw) {
  if (!lists.even || lists.length < 2) return false;
  if (lists.largest <= 1 && !lists.repeats && !lists.descends) {
    raw.remarks.push_back(file.filename().string() +
                          ": every list is 0, 1; read as the numbers of the features that are set, as the "
                          "format has them, not as a flag for every feature");
    return false;
  }
  if (lists.largest <= 1) {
    raw.remarks.push_back(file.filename().string() + ": every list holds " + std::to_string(lists.length) +
                          " numbers 0 or 1; read as a flag for every feature, not as the numbers of those "
                          "that are set: for these give dataset.features a table of your own");
    return true;
  }
  if (lists.repeats)
    damagedJson(file, {}, "",
                "every list holds " + std::to_string(lists.length) +
                    " numbers, some of them twice: rows of values; the numbers of the features that are set");
  return false;
}

void readFeatures(const std::filesystem::path& file, RawDataset& raw) {
  const nlohmann::json json = readJson(file);
  if (!json.is_object())
    throw DamagedInput({file.string(), 0, 0, "", "is not an object of vertex and features"});
  const Lists lists = checkedLists(json, file, raw.vertices);
  const bool flags = areFlags(lists, file, raw);
  remarkMissing(file, raw.vertices - static_cast<Index>(json.size()), raw.vertices, raw.remarks);
  const Index width = flags ? static_cast<Index>(lists.length) : lists.largest + 1;
  requireDenseFits(raw.vertices, width, lists.entries, file);
  raw.features.setZero(raw.vertices, width);
  for (const auto& [key, list] : json.items()) {
    const Index vertex = rowNumber(key, raw.vertices);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto number = list[i].get<Index>();
      if (flags)
        raw.features(vertex, static_cast<Index>(i)) = static_cast<Scalar>(number);
      else
        raw.features(vertex, number) = 1;
    }
  }
  requireWidth(raw.features, file.string());
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto files = filesRead(path);  // edges, target, features
  const auto& file = files[0];
  const Target target = readTarget(files[1]);
  RawDataset raw;
  raw.vertices = static_cast<Index>(target.vertices.size());
  setLabels(target, files[1].filename().string(), raw);
  TextFile text(file, progress);
  readArcs(text, raw);
  if (std::filesystem::is_regular_file(files[2])) readFeatures(files[2], raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"musae", "MUSAE folder (NAME_edges.csv, NAME_target.csv, NAME.json or NAME_features.json)",
      "Rozemberczki et al. 2019"},
     21,
     recognises,
     read,
     "NAME_edges.csv and NAME_target.csv",
     nullptr,
     filesRead,
     sets}};

}  // namespace
}  // namespace halo
