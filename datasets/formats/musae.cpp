// Folder of the MUSAE collection (Rozemberczki et al. 2019):
//
//   NAME_edges.csv     all plain or packed; header, then `u,v`
//   NAME_target.csv    header; `new_id` or `id` is the vertex; page_type, mature, ml_target or target is the
//   class
//   NAME.json          { "vertex": [feature, …] }, the features that are set; or NAME_features.json (may be
//                      absent)
//
// Classes that are whole numbers stay as they are; names are numbered in alphabetical order. Fractions are
// refused. A target with more than 256 values is something measured, not a class: it is not read, and that is
// remarked.

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "datasets/edges/decimal_marks.h"
#include "datasets/edges/numbering.h"
#include "datasets/input/limits.h"
#include "datasets/input/packings.h"
#include "datasets/parts/json_file.h"
#include "datasets/parts/json_place.h"
#include "datasets/parts/table.h"
#include "datasets/text/class_form.h"
#include "datasets/text/no_label.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::string_view kEdges = "_edges.csv";
constexpr std::string_view kClassColumns[] = {"page_type", "mature", "ml_target", "target"};
constexpr std::size_t kMostClasses = 256;

std::string stemOf(const std::filesystem::path& edges) {
  const std::string name = withoutPacking(edges);
  return name.substr(0, name.size() - kEdges.size());
}

bool isSet(const std::filesystem::path& edges) {
  return withoutPacking(edges).ends_with(kEdges) && !plainOrPacked(stemOf(edges) + "_target.csv").empty();
}

std::vector<std::filesystem::path> sets(const std::filesystem::path& path) { return setsAt(path, isSet); }

/// A file NAME_edges.csv is an edge list too; it stands for its set where the format is named.
bool recognises(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) && !sets(path).empty();
}

constexpr std::string_view kLongFeatures = "_features.json";

/// The file of features; SNAP's downloads have the longer name.
std::filesystem::path featureFile(const std::string& stem) {
  auto file = plainOrPacked(stem + ".json");
  return !file.empty() ? file : plainOrPacked(std::filesystem::path(stem).concat(kLongFeatures));
}

std::vector<std::filesystem::path> filesRead(const std::filesystem::path& path) {
  const auto edges = sets(path).at(0);
  const std::string stem = stemOf(edges);
  return {edges, plainOrPacked(stem + "_target.csv"), featureFile(stem)};
}

struct Target {
  std::vector<std::string> cells;         // by line; empty: no class
  std::vector<Index> vertices, lines;     // by line
  std::string column;                     // of the class
  std::vector<std::string> otherColumns;  // that may have been it as well
  NoLabelWords none;
};

std::size_t columnOf(const std::vector<std::string>& header, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto column = std::find(header.begin(), header.end(), name); column != header.end())
      return at(column - header.begin());
  return header.size();
}

/// Throws DamagedInput where another column has the name of this one.
void requireOnce(const TextFile& text, const std::vector<std::string>& header, std::size_t column) {
  const auto again =
      std::find(header.begin() + static_cast<std::ptrdiff_t>(column) + 1, header.end(), header[column]);
  if (again != header.end())
    text.damaged("columns " + std::to_string(column + 1) + " and " +
                 std::to_string(again - header.begin() + 1) + " are both named " + shown(header[column]) +
                 "; one column of them");
}

/// The vertices are 0 … n−1 in any order; throws DamagedInput for one that is there twice, or beyond.
void requireEveryVertex(const Target& target, const std::filesystem::path& file) {
  const auto n = static_cast<Index>(target.vertices.size());
  std::vector<Index> lineOf(target.vertices.size());  // 0: not seen yet
  const auto damaged = [&](std::size_t row, const std::string& problem) {
    throw DamagedInput({.file = file.string(),
                        .line = target.lines[row],
                        .message = "vertex " + std::to_string(target.vertices[row]) + problem});
  };
  std::size_t beyond = target.vertices.size();  // the first row of such a vertex
  for (std::size_t row = 0; row < target.vertices.size(); ++row) {
    const Index vertex = target.vertices[row];
    if (vertex < 0 || vertex >= n) {
      beyond = std::min(beyond, row);
      continue;
    }
    Index& line = lineOf[at(vertex)];
    if (line > 0) damaged(row, " was in line " + std::to_string(line) + " already; every vertex once");
    line = target.lines[row];
  }
  if (beyond < target.vertices.size())
    damaged(beyond, " breaks the numbering; every number from 0 to " + std::to_string(n - 1) + " once");
}

/// What a cell says, without blanks around it.
std::string trimmed(std::string_view cell) {
  constexpr std::string_view kBlanks = " \t";
  std::string text = unquoted(cell);
  text.erase(text.find_last_not_of(kBlanks) + 1);
  text.erase(0, std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

/// The line's vertex and the name or number of its class.
void readTargetLine(const TextFile& text, std::string_view line, std::size_t columns, std::size_t id,
                    std::size_t value, Target& target) {
  const auto cells = rawCells(line);
  if (cells.size() != columns)
    text.damaged("has " + std::to_string(cells.size()) + " columns; the first line names " +
                 std::to_string(columns));
  const std::string name = trimmed(cells[value]);
  if (const bool noVertex = trimmed(cells[id]).empty(); noVertex || name.empty())
    text.damaged(
        "an empty cell; a vertex number and a class",
        line.substr(std::min(at(cells[noVertex ? id : value].data() - line.data()), line.size() - 1)));
  Fields field(text, cells[id]);
  target.vertices.push_back(field.integer("a vertex number"));
  field.end("one vertex number");
  target.lines.push_back(text.line());
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
  for (const std::size_t column : {id, value}) requireOnce(text, header, column);
  Target target;
  target.column = header[value];
  std::copy_if(header.begin(), header.end(), std::back_inserter(target.otherColumns), [&](const auto& name) {
    return name != target.column && columnOf({name}, kClassColumns) == 0;
  });
  while (text.next(line)) {
    if (line.empty()) continue;
    readTargetLine(text, line, header.size(), id, value, target);
  }
  if (target.vertices.empty())
    text.damagedWhole("has no rows below its names; a vertex and its class in each");
  requireEveryVertex(target, file);
  return target;
}

/// The first line whose class has the form, and what it says.
std::pair<Index, std::string> firstLine(const Target& target, ClassForm form) {
  const auto match = std::find_if(target.cells.begin(), target.cells.end(), [&](const std::string& cell) {
    return !cell.empty() && classForm(cell) == form;
  });
  return {target.lines[at(match - target.cells.begin())], *match};
}

void setLabels(const Target& target, const std::filesystem::path& path, RawDataset& raw) {
  const std::string file = path.filename().string();
  for (const std::string& other : target.otherColumns)
    raw.remarks.push_back(file + ": `" + target.column + "` is the class; the column `" + other +
                          "` is not read");
  Spellings classes;
  for (const std::string& cell : target.cells)
    if (!cell.empty()) classes[cell] = 0;
  if (classes.size() > kMostClasses) {
    raw.remarks.push_back("the target has " + std::to_string(classes.size()) +
                          " values; it is measured, not a class, and is not read");
    return;
  }
  const auto forms = formsOf(classes);
  const bool names = forms.contains(ClassForm::name), numbers = areNumbers(forms);
  if (!names && forms.contains(ClassForm::noClass)) {
    const auto [line, cell] = firstLine(target, ClassForm::noClass);
    throw DamagedInput({.file = path.string(), .line = line, .message = refusedClass(cell)});
  }
  if (!numbers && (!names || forms.size() > 1)) {
    const auto [line, cell] = firstLine(target, names ? ClassForm::name : ClassForm::tooLarge);
    remarkReadAsNames(cell, line, file, raw.remarks);
  }
  if (names) remarkCases(classes, file, raw.remarks);
  if (numbers) remarkPoints(classes, file, raw.remarks);
  numberClasses(classes);
  target.none.remark(!numbers, file, raw.remarks);
  raw.minusOne = target.none.minusOne();
  raw.labels.assign(target.cells.size(), -1);
  for (std::size_t i = 0; i < target.cells.size(); ++i)
    if (!target.cells[i].empty()) raw.labels[at(target.vertices[i])] = classes.at(target.cells[i]);
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

/// Lists of one length, of 0 and 1 alone, are rows of flags. They are not where every list is 0, 1, which may
/// be the features 0 and 1. Of other numbers, some of them twice in a list, they are rows of values, which
/// this format does not have.
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
    throw DamagedInput({.file = file.string(), .message = "is not an object of vertex and features"});
  const Lists lists = checkedLists(json, file, raw.vertices);
  const bool flags = areFlags(lists, file, raw);
  remarkMissing(file, raw.vertices - static_cast<Index>(json.size()), raw.vertices, raw.remarks);
  const Index width = flags ? static_cast<Index>(lists.length) : lists.largest + 1;
  requireDenseFits(raw.vertices, width, lists.entries, file);
  raw.features.setZero(raw.vertices, width);
  Index repeated = 0;
  for (const auto& [key, list] : json.items()) {
    const Index vertex = rowNumber(key, raw.vertices);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto number = list[i].get<Index>();
      if (flags)
        raw.features(vertex, static_cast<Index>(i)) = static_cast<Scalar>(number);
      else if (Scalar& feature = raw.features(vertex, number); feature == 0)
        feature = 1;
      else
        ++repeated;
    }
  }
  if (repeated > 0)
    raw.remarks.push_back(file.filename().string() + ": " + std::to_string(repeated) +
                          " numbers stand once more in their list; a feature is set once");
  requireWidth(raw.features, file.string());
}

void remarkOtherFeatures(const std::string& stem, const std::filesystem::path& file,
                         std::vector<std::string>& remarks) {
  const auto other = plainOrPacked(std::filesystem::path(stem).concat(kLongFeatures));
  if (!other.empty() && file != other)
    remarks.push_back("features are those of " + file.filename().string() + "; " + other.filename().string() +
                      " is there too and is not read");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto files = filesRead(path);  // edges, target, features
  const auto& file = files[0];
  const Target target = readTarget(files[1]);
  RawDataset raw;
  remarkOthers(filesRead(path), raw.remarks);
  raw.vertices = static_cast<Index>(target.vertices.size());
  raw.labelFile = files[1];
  raw.featureFile = files[2];
  setLabels(target, files[1], raw);
  TextFile text(file, progress);
  readArcs(text, raw);
  if (std::filesystem::is_regular_file(files[2])) readFeatures(files[2], raw);
  remarkOtherFeatures(stemOf(file), files[2], raw.remarks);
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
