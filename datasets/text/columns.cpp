#include "datasets/text/columns.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "datasets/text/end_names.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

using Words = std::initializer_list<std::string_view>;

bool among(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether no letter stands there but a sign beyond ASCII: a minus, a blank, a digit of full width.
bool beginsSign(std::string_view cell) {
  for (const std::string_view sign :
       {"\xc2", "\xe2\x80", "\xe2\x81", "\xe2\x82", "\xe2\x88", "\xe3\x80", "\xef\xbb", "\xef\xbc"})
    if (cell.starts_with(sign)) return true;
  return false;
}

char separatorIn(std::string_view line) {
  for (const char mark : {'\t', ';', ','})
    if (rawCells(line, mark).size() > 1) return mark;
  return ' ';
}

std::string trimmed(std::string_view cell) {
  const std::size_t begin = std::min(cell.find_first_not_of(" \t"), cell.size());
  return unquoted(cell.substr(begin, cell.find_last_not_of(" \t") + 1 - begin));
}

/// An index without a name stands before these: names, or the numbers of the columns.
bool followAnIndex(const std::vector<std::string>& names) {
  bool counted = true;
  for (std::size_t i = 1; i < names.size(); ++i) counted &= names[i] == std::to_string(i - 1);
  return names.size() > 1 && (counted || std::all_of(names.begin() + 1, names.end(), isColumnName));
}

bool namesVertices(std::string_view name) {
  std::string word = plainName(name);
  if (word.empty()) return name.empty();
  if (among(word, {"id", "ids", "index", "idx", "node", "nodes", "vertex", "vertices", "row", "nid", "vid",
                   "uid", "unnamed0"}))
    return true;
  for (const std::string_view ending : {"id", "ids", "index", "idx", "number", "no", "nr"})
    if (word.ends_with(ending) && among(std::string_view(word).substr(0, word.size() - ending.size()),
                                        {"node", "vertex", "row", "new", "paper", "user", "author", "entity",
                                         "item", "record", "sample"}))
      return true;
  return false;
}

}  // namespace

std::string plainName(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool namesLabel(std::string_view name) {
  const std::string word = plainName(name);
  return word == "y" ||
         std::ranges::any_of(
             Words{"label", "class", "target", "category", "community", "group", "department"},
             [&](std::string_view keyword) { return word.find(keyword) != std::string::npos; });
}

std::string labelAlone(const std::string& file, const std::string& label, const std::string& other) {
  return file + ": `" + label + "` is the label; the column `" + other + "` is not read";
}

ColumnNames cellsOf(std::string_view line) {
  ColumnNames columns;
  columns.separator = separatorIn(line);
  for (const std::string_view cell : rawCells(line, columns.separator))
    if (columns.separator != ' ' || !cell.empty()) columns.names.push_back(trimmed(cell));
  return columns;
}

bool isNumberText(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error != std::errc::invalid_argument && end == cell.data() + cell.size();
}

bool isColumnName(std::string_view cell) {
  if (isNumberText(cell) || among(plainName(cell), {"na", "nan", "null", "none", "missing"})) return false;
  if (cell.starts_with(':') || cell.starts_with('~')) cell.remove_prefix(1);
  if (cell.empty()) return false;
  const auto first = static_cast<unsigned char>(cell[0]);
  return std::isalpha(first) || first == '_' || (first > 127 && !beginsSign(cell));
}

std::optional<ColumnNames> columnNames(std::string_view line) {
  ColumnNames columns = cellsOf(line);
  if (columns.names.empty()) return std::nullopt;
  const std::string& first = columns.names[0];
  // a word before one number is rather a slip in a vertex and its label
  const bool pair = columns.names.size() == 2 && isNumberText(columns.names[1]) && !namesVertices(first);
  const bool names = first.empty() ? followAnIndex(columns.names) : isColumnName(first) && !pair;
  return names ? std::optional(std::move(columns)) : std::nullopt;
}

bool isIndexName(std::string_view name) { return name.empty() || name == "Unnamed: 0"; }

bool namesIndexFirst(std::string_view line) {
  const auto columns = columnNames(line);
  return columns && isIndexName(columns->names[0]);
}

std::size_t countedColumns(std::string_view line) {
  constexpr std::string_view kSeparators = " \t,;";
  std::size_t counted = 0;
  for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos; ++counted) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, i), line.size());
    if (unquoted(line.substr(i, end - i)) != std::to_string(counted)) return 0;
    i = line.find_first_not_of(kSeparators, end);
  }
  return counted;
}

bool namesVertexFirst(std::string_view line) {
  const ColumnNames columns = cellsOf(line);
  return !columns.names.empty() && namesVertices(columns.names[0]);
}

Index vertexColumn(const TextFile& text, const ColumnNames& columns) {
  Index column = -1;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (i > 0 && columns.names[i].empty())  // only an index before all others has no name
      text.damaged("the name of column " + std::to_string(i + 1) + " is empty; each column has a name");
    if (!namesVertices(columns.names[i])) continue;
    if (column >= 0)
      text.damaged("columns " + std::to_string(column + 1) + " and " + std::to_string(i + 1) +
                   " are both named as numbers of vertices; one column of them");
    column = static_cast<Index>(i);
  }
  return column;
}

void requireVertexFirst(const TextFile& text, std::string_view line) {
  const auto columns = columnNames(line);
  const Index column = columns ? vertexColumn(text, *columns) : -1;
  if (column > 0)
    text.damaged("column " + std::to_string(column + 1) + " is named " +
                 shown(columns->names[static_cast<std::size_t>(column)]) +
                 "; the first column is the vertex, labels follow");
}

void requireNoLabel(const TextFile& text, const ColumnNames& columns, Index vertexColumn, Index before,
                    std::vector<std::string>& remarks) {
  Index column = before - 1;
  for (const std::string& cell : columns.names) {
    const NameParts name(cell);
    if (++column == vertexColumn || name.words.empty()) continue;
    const std::string problem = "column " + std::to_string(column + 1) + " is named " + shown(cell);
    if (name.is(" label labels ") || name.words.back() == "label")
      throw DamagedInput(
          {.file = text.path().string(),
           .line = 1,
           .message = problem + "; features hold no labels: take the column out, or give it another name"});
    if (name.is(" class classes target targets category y "))
      remarks.push_back(text.path().filename().string() + ": " + problem +
                        " and is read as a feature: take it out if it is the label");
  }
}

std::optional<RowNumbers> rowNumbers(std::span<const double> numbers) {
  if (numbers.empty()) return std::nullopt;
  const double first = *std::min_element(numbers.begin(), numbers.end());
  if (first != 0 && first != 1) return std::nullopt;
  RowNumbers numbering{static_cast<Index>(first), true};
  std::vector<bool> seen(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double place = numbers[i] - first;
    if (!(place >= 0 && place < static_cast<double>(numbers.size()))) return std::nullopt;
    const auto at = static_cast<std::size_t>(place);
    if (static_cast<double>(at) != place || seen[at]) return std::nullopt;
    seen[at] = true;
    numbering.inOrder &= at == i;
  }
  return numbering;
}

}  // namespace halo
