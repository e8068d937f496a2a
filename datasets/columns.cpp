#include "datasets/columns.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <utility>

namespace halo {
namespace {

using Words = std::initializer_list<std::string_view>;

bool among(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

bool isName(const std::string& cell) {
  if (cell.empty() || isNumber(cell) || among(plainName(cell), {"na", "nan", "null", "none", "missing"}))
    return false;
  const auto first = static_cast<unsigned char>(cell[0]);
  return std::isalpha(first) || first == '_' || first > 127;
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
  return names.size() > 1 && (counted || std::all_of(names.begin() + 1, names.end(), isName));
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

/// Names of the two ends, in this order, but for words that say that they are vertices.
struct EndNames {
  std::string_view sources, targets;  // between blanks
};
constexpr EndNames kEnds[] = {{" source src from origin ", " target tgt dst dest destination to "},
                              {" citing ", " cited "},
                              {" follower ", " followee followed "},
                              {" sender ", " receiver recipient "},
                              {" parent ", " child "},
                              {" head ", " tail "},
                              {" tail ", " head "},
                              {" row ", " col column "},
                              {" 1 ", " 2 "},
                              {" 0 ", " 1 "},
                              {" u ", " v "},
                              {" i ", " j "},
                              {" a ", " b "},
                              {" s ", " t "},
                              {" x ", " y "}};
/// The same of names that say it only in the first two columns: elsewhere they tell times or other things.
constexpr EndNames kFirstEnds[] = {{" start begin initial ", " end stop final "},
                                   {" first ", " last second "},
                                   {" ego ", " alter alters "},
                                   {" quelle von startknoten ", " ziel nach zielknoten endknoten "},
                                   {" origen desde ", " destino hasta "},
                                   {" origine depart departure ", " cible arrivee arrival "},
                                   {" saddr sip srcip srcaddr ", " daddr dip dstip dstaddr "},
                                   {" caller ", " callee called "},
                                   {" referrer referring linking ", " referred linked "},
                                   {" predecessor pred prev previous before ", " successor succ next after "},
                                   {" subject subj ", " object obj "},
                                   {" trustor truster rater voter ", " trustee ratee rated votee "},
                                   {" payer ", " payee "},
                                   {" giver donor ", " taker acceptor "},
                                   {" lender ", " borrower "},
                                   {" exporter ", " importer "},
                                   {" upstream ", " downstream "},
                                   {" cause ", " effect "},
                                   {" input ", " output "},
                                   {" left ", " right "},
                                   {" pre presynaptic ", " post postsynaptic "}};

/// "source_node_id" and "node1" without the words for a vertex: "source", "1".
std::string_view withoutVertex(std::string_view word) {
  constexpr std::string_view kVertex[] = {"node", "vertex", "id", "idx", "index", "user", "paper", "author"};
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view part : kVertex) {
      if (word.size() <= part.size()) continue;
      if (word.ends_with(part))
        word.remove_suffix(part.size());
      else if (word.starts_with(part))
        word.remove_prefix(part.size());
      else
        continue;
      shorter = true;
    }
  }
  return word;
}

/// The columns that are named as the ends of an edge.
struct Ends {
  Index source = -1, target = -1;
  bool operator==(const Ends&) const = default;
};
constexpr Ends kNoEnds;

/// Words of a name in small letters: of "destIP" and "dest ip" the same two.
std::vector<std::string> wordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  bool small = false;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (!std::isalnum(letter) || (small && std::isupper(letter))) words.emplace_back();
    small = std::islower(letter) != 0;
    if (std::isalnum(letter)) words.back() += static_cast<char>(std::tolower(letter));
  }
  return words;
}

/// By single words of the first two names, whatever stands beside these.
Ends endsOfFirst(const ColumnNames& columns) {
  if (columns.names.size() < 2) return kNoEnds;
  const auto says = [&](std::size_t column, std::string_view list) {
    const std::string& name = columns.names[column];
    auto words = wordsOf(name);
    words.emplace_back(withoutVertex(plainName(name)));
    return isName(name) && std::ranges::any_of(words, [&](const std::string& word) {
             return word.size() > 1 && list.find(" " + word + " ") != std::string_view::npos;
           });
  };
  for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>(0, 1), {1, 0}})
    for (const std::span<const EndNames> list : {std::span<const EndNames>(kEnds), {kFirstEnds}})
      for (const auto& [sources, targets] : list)
        if (says(first, sources) && says(second, targets))
          return {static_cast<Index>(first), static_cast<Index>(second)};
  return kNoEnds;
}

Ends endsOf(const ColumnNames& columns) {
  const auto named = [&](std::string_view words) {
    const auto found = std::ranges::find_if(columns.names, [&](const std::string& name) {
      const std::string word = isName(name) ? plainName(name) : "";
      return words.find(" " + std::string(withoutVertex(word)) + " ") != std::string_view::npos;
    });
    return found == columns.names.end() ? Index{-1} : Index{found - columns.names.begin()};
  };
  Ends first;
  for (const auto& [sources, targets] : kEnds) {
    const Ends ends{named(sources), named(targets)};
    if (ends == Ends{0, 1}) return ends;
    if (first == kNoEnds && ends.source >= 0 && ends.target >= 0) first = ends;
  }
  if (first != kNoEnds) return first;
  const Ends ofFirst = endsOfFirst(columns);
  return ofFirst == kNoEnds && named(kEnds[0].targets) == 1 ? Ends{0, 1} : ofFirst;
}

}  // namespace

std::string plainName(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

namespace {

/// The cells of a line as if they were names.
ColumnNames cellsOf(std::string_view line) {
  ColumnNames columns;
  columns.separator = separatorIn(line);
  for (const std::string_view cell : rawCells(line, columns.separator))
    if (columns.separator != ' ' || !cell.empty()) columns.names.push_back(trimmed(cell));
  return columns;
}

}  // namespace

std::optional<ColumnNames> columnNames(std::string_view line) {
  ColumnNames columns = cellsOf(line);
  if (columns.names.empty()) return std::nullopt;
  const std::string& first = columns.names[0];
  // a word before one number is rather a slip in a vertex and its label
  const bool pair = columns.names.size() == 2 && isNumber(columns.names[1]) && !namesVertices(first);
  const bool names = first.empty() ? followAnIndex(columns.names) : isName(first) && !pair;
  return names ? std::optional(std::move(columns)) : std::nullopt;
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

void requireNamesAlone(const TextFile& text, std::string_view line, const std::string& right) {
  const ColumnNames columns = cellsOf(line);
  if (columns.names.empty() || std::none_of(columns.names.begin() + 1, columns.names.end(), isNumber)) return;
  if (columns.names[0].size() > 1 && endsOf(columns) == Ends{0, 1}) return;
  const std::size_t start = std::min(line.find_first_not_of(" \t,;"), line.size());
  text.damaged(shown(columns.names[0]) +
                   " is not a whole number, and names of columns stand alone on a line; " + right,
               line.substr(start));
}

bool namesVertexFirst(std::string_view line) {
  const ColumnNames columns = cellsOf(line);
  return !columns.names.empty() && namesVertices(columns.names[0]);
}

Index vertexColumn(const TextFile& text, const ColumnNames& columns) {
  Index found = -1;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (!namesVertices(columns.names[i])) continue;
    if (found >= 0)
      text.damaged("columns " + std::to_string(found + 1) + " and " + std::to_string(i + 1) +
                   " are both named as numbers of vertices; one column of them");
    found = static_cast<Index>(i);
  }
  return found;
}

namespace {

/// Of edges, what surely is no end where other columns can be.
bool namesNoEnd(std::string_view name) {
  return among(plainName(name), {"", "id", "index", "idx", "row", "rank", "edge", "edgeid", "eid", "unnamed0",
                                 "weight", "time", "timestamp", "type", "label", "feature", "value"});
}

}  // namespace

std::string endsTaken(std::string_view line) {
  const auto columns = columnNames(line);
  const bool two = columns && columns->names.size() > 1;
  if (two && (columns->names[0] == columns->names[1] || endsOf(*columns) == Ends{0, 1})) return "";
  return "the first two are read as the ends of an edge" +
         (two ? ", " + shown(columns->names[0]) + " as the source and " + shown(columns->names[1]) +
                    " as the target"
              : std::string(", the source first"));
}

std::string twoKinds(std::string_view line) {
  constexpr std::string_view kKinds[] = {
      "user",   "item",  "movie",    "film",     "product", "book",  "song",   "track",   "artist",
      "author", "paper", "customer", "business", "venue",   "drug",  "gene",   "disease", "group",
      "event",  "tag",   "query",    "actor",    "game",    "anime", "reader", "store",   "shop"};
  const auto columns = columnNames(line);
  if (!columns || columns->names.size() < 2) return "";
  const auto kindOf = [&](const std::string& name) {
    std::string word = plainName(name);
    for (const std::string_view ending : {"id", "idx", "index", "s"})
      if (word.ends_with(ending)) word.resize(word.size() - ending.size());
    return std::ranges::find(kKinds, word) != std::end(kKinds) ? word : std::string();
  };
  const std::string first = kindOf(columns->names[0]), second = kindOf(columns->names[1]);
  if (first.empty() || second.empty() || first == second) return "";
  return "the columns " + shown(columns->names[0]) + " and " + shown(columns->names[1]) +
         " may be two kinds of vertices, but are numbered together: vertex 0 of each is one vertex; number "
         "the second after the first, or write `% bip` as the first line";
}

bool namesEndsFirst(std::string_view line) {
  const auto columns = columnNames(line);
  return columns && endsOf(*columns) == Ends{0, 1};
}

bool namesEndsElsewhere(std::string_view line, std::size_t columns) {
  const auto names = columnNames(line);
  if (!names || names->names.size() != columns) return false;
  const Ends ends = endsOf(*names);
  if (ends == kNoEnds || ends == Ends{0, 1}) return false;
  // prose holds single letters, but hardly behind the name of something else
  return names->names[static_cast<std::size_t>(ends.source)].size() > 1 || namesNoEnd(names->names[0]);
}

void requireEndsFirst(const TextFile& text, std::string_view line) {
  const auto columns = columnNames(line);
  if (!columns || columns->names.size() < 2) return;
  const Ends ends = endsOf(*columns);
  if (ends == Ends{0, 1}) return;
  Index misplaced = ends.source != 0 ? ends.source : ends.target;
  for (Index i = 0; misplaced < 0 && i < 2 && columns->names.size() >= 3; ++i)
    if (namesNoEnd(columns->names[static_cast<std::size_t>(i)])) misplaced = i;
  if (misplaced < 0) return;
  text.damaged("column " + std::to_string(misplaced + 1) + " is named " +
               shown(columns->names[static_cast<std::size_t>(misplaced)]) +
               "; the first two columns are the source and the target of an edge");
}

void requireVertexFirst(const TextFile& text, std::string_view line) {
  const auto columns = columnNames(line);
  const Index column = columns ? vertexColumn(text, *columns) : -1;
  if (column > 0)
    text.damaged("column " + std::to_string(column + 1) + " is named " +
                 shown(columns->names[static_cast<std::size_t>(column)]) +
                 "; the first column is the vertex, labels follow");
}

std::optional<RowNumbers> rowNumbers(std::span<const double> numbers) {
  if (numbers.empty()) return std::nullopt;
  const double first = *std::min_element(numbers.begin(), numbers.end());
  if (first != 0 && first != 1) return std::nullopt;
  RowNumbers found{static_cast<Index>(first), true};
  std::vector<bool> seen(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double place = numbers[i] - first;
    if (!(place >= 0 && place < static_cast<double>(numbers.size()))) return std::nullopt;
    const auto at = static_cast<std::size_t>(place);
    if (static_cast<double>(at) != place || seen[at]) return std::nullopt;
    seen[at] = true;
    found.inOrder &= at == i;
  }
  return found;
}

}  // namespace halo
