#include "datasets/text/edge_ends.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "datasets/text/columns.h"
#include "datasets/text/end_names.h"
#include "engine/base/index.h"

namespace halo {
namespace {

/// The columns that are named as the ends of an edge.
struct Ends {
  Index source = -1, target = -1;
  bool operator==(const Ends&) const = default;
  /// One end stands in the first two columns and the other behind them.
  bool straddle() const { return std::min(source, target) < 2 && std::max(source, target) >= 2; }
};
constexpr Ends kNoEnds, kFirstTwo{0, 1}, kReversed{1, 0};

using Named = std::vector<std::optional<NameParts>>;  // nothing: a number

/// No line of edges has so many columns that more would be ends.
constexpr std::size_t kMost = 16;

Named partsOf(const std::vector<std::string>& names) {
  Named parts;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    parts.push_back(isColumnName(names[i]) ? std::optional(NameParts(names[i])) : std::nullopt);
  return parts;
}

using Match = bool (NameParts::*)(std::string_view list) const;

/// The first column whose name is in `list`; −1: none is.
Index columnOf(const Named& names, std::string_view list, Match match) {
  const auto column =
      std::ranges::find_if(names, [&](const auto& name) { return name && ((*name).*match)(list); });
  return column == names.end() ? Index{-1} : Index{column - names.begin()};
}

/// Words that each say which end a column holds, of one pair of words or of two.
Ends certainEndsOf(const Named& names) {
  const auto roleOf = [&](std::size_t column, Match match) {
    bool source = false, target = false;
    for (const auto& [sources, targets] : certainEnds()) {
      source |= ((*names[column]).*match)(sources);
      target |= ((*names[column]).*match)(targets);
    }
    return source == target ? 0 : source ? 1 : -1;
  };
  Ends ends;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i]) continue;
    // behind the first two columns a word of a name may tell anything: from_date
    const int role = roleOf(i, i < 2 ? &NameParts::says : &NameParts::is);
    Index& end = role > 0 ? ends.source : ends.target;
    if (role != 0 && end < 0) end = static_cast<Index>(i);
  }
  return ends;
}

/// Names that differ in a number or a letter alone: id_1 and id_2, nodeA and nodeB.
Ends endsByOrder(const Named& names, std::size_t i, std::size_t j) {
  if (!names[i] || !names[j] || names[i]->words.size() != names[j]->words.size()) return kNoEnds;
  const auto &a = names[i]->words, &b = names[j]->words;
  const auto [at, other] = std::ranges::mismatch(a, b);
  if (at == a.end() || a.size() < 2 || !std::equal(at + 1, a.end(), other + 1)) return kNoEnds;
  const Ends forward{static_cast<Index>(i), static_cast<Index>(j)}, backward{forward.target, forward.source};
  const auto follows = [](const std::string& first, const std::string& second) {
    return std::ranges::any_of(pairedEnds(), [&](const EndNames& pair) {
      return pair.sources == " " + first + " " && pair.targets == " " + second + " ";
    });
  };
  if (at->size() == 1 && other->size() == 1 && follows(*at, *other)) return forward;
  return at->size() == 1 && other->size() == 1 && follows(*other, *at) ? backward : kNoEnds;
}

/// By names that say it in pairs: the first of such ends that `use` wants.
template <class Use>
Ends pairedEndsOf(const std::vector<std::string>& texts, const Named& names, Use use) {
  for (const auto& [list, match] :
       {std::pair(pairedEnds(), &NameParts::is), std::pair(leadingEnds(), &NameParts::says)})
    for (const auto& [sources, targets] : list) {
      const Ends ends{columnOf(names, sources, match), columnOf(names, targets, match)};
      const bool both = ends.source >= 0 && ends.target >= 0 && ends.source != ends.target;
      if (both && use(ends, list.data() == pairedEnds().data())) return ends;
    }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      if (const Ends ends = endsByOrder(names, i, j); ends != kNoEnds && use(ends, false)) return ends;
      const Ends same{static_cast<Index>(i), static_cast<Index>(j)};
      if (names[i] && texts[i] == texts[j] && use(same, false)) return same;
    }
  return kNoEnds;
}

/// u and v, or names that say themselves that they are vertices: x and y may be coordinates.
bool nameVertices(const Named& names) {
  if (names.size() < 2 || !names[0] || !names[1]) return false;
  if (names[0]->core == "u" && names[1]->core == "v") return true;
  return std::all_of(names.begin(), names.begin() + 2, [](const auto& name) {
    return name->plain.find("node") != std::string::npos || name->plain.find("vert") != std::string::npos;
  });
}

/// Behind ends that are vertices two more columns may repeat them, as OSMnx has it: u, v, …, from, to.
bool areRepeated(Ends first, Ends certain, const Named& names) {
  return first == kFirstTwo && std::min(certain.source, certain.target) > 1 && nameVertices(names);
}

Ends endsOf(const std::vector<std::string>& texts) {
  const Named names = partsOf(texts);
  const Ends certain = certainEndsOf(names);
  const bool both = certain.source >= 0 && certain.target >= 0;
  if (both && std::min(certain.source, certain.target) < 2) return certain;
  const Ends first = pairedEndsOf(texts, names, [](Ends ends, bool) { return ends == kFirstTwo; });
  if (both) return areRepeated(first, certain, names) ? first : certain;
  if (first != kNoEnds) return first;
  return pairedEndsOf(texts, names, [](Ends ends, bool anywhere) {
    return anywhere || ends == kReversed || ends.straddle();
  });
}

/// Names above edges without an index that has none.
std::vector<std::string> edgeNames(std::string_view line) {
  auto columns = columnNames(line);
  if (!columns) return {};
  if (isIndexName(columns->names[0])) columns->names.erase(columns->names.begin());
  return std::move(columns->names);
}

/// The kind of vertices that a name tells; "".
std::string kindOf(const std::string& name) {
  constexpr std::string_view kKinds[] = {
      "user",   "item",  "movie",    "film",     "product", "book",  "song",   "track",   "artist",
      "author", "paper", "customer", "business", "venue",   "drug",  "gene",   "disease", "group",
      "event",  "tag",   "query",    "actor",    "game",    "anime", "reader", "store",   "shop"};
  std::string word = plainName(name);
  for (const std::string_view ending : {"id", "idx", "index", "s"})
    if (word.ends_with(ending)) word.resize(word.size() - ending.size());
  return std::ranges::find(kKinds, word) != std::end(kKinds) ? word : std::string();
}

/// The first two columns that tell different kinds.
Ends kindsOf(const std::vector<std::string>& names) {
  Ends ends;
  std::string first;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    const std::string kind = kindOf(names[i]);
    if (kind.empty() || kind == first) continue;
    if (ends.source >= 0) return {ends.source, static_cast<Index>(i)};
    ends.source = static_cast<Index>(i);
    first = kind;
  }
  return kNoEnds;
}

/// The column of a name that says that the first two are not source and target; −1: none does.
Index misplacedOf(const std::vector<std::string>& texts) {
  const Ends ends = endsOf(texts);
  if (ends == kFirstTwo) return -1;
  if (ends != kNoEnds) return ends.source != 0 ? ends.source : ends.target;
  const Named names = partsOf(texts);
  const Ends certain = certainEndsOf(names);  // of one of both
  if (certain.source == 1) return 1;
  if (certain.target == 0) return 0;
  const bool known = certain.source == 0 || certain.target == 1;
  for (Index i = 0; i < 2; ++i) {
    const auto& name = names[at(i)];
    const bool index = !name || namesIndex(*name);
    if ((name && namesAttribute(*name)) || (index && !known && texts.size() > 2)) return i;
  }
  return -1;
}

/// Names that some write in one order and some in the other: head and tail.
bool goBothWays(const std::vector<std::string>& texts) {
  const Named names = partsOf(texts);
  if (names.size() < 2 || !names[0] || !names[1]) return false;
  const auto follows = [](const NameParts& first, const NameParts& second) {
    return std::ranges::any_of(pairedEnds(), [&](const EndNames& pair) {
      return first.is(pair.sources) && second.is(pair.targets);
    });
  };
  return follows(*names[0], *names[1]) && follows(*names[1], *names[0]);
}

bool counted(const std::vector<std::string>& names) { return std::ranges::none_of(names, isColumnName); }

}  // namespace

void requireNamesAlone(const TextFile& text, std::string_view line, const std::string& right) {
  const std::vector<std::string> names = cellsOf(line).names;
  if (names.empty() || names[0].empty() || std::none_of(names.begin() + 1, names.end(), isNumberText)) return;
  if (names[0].size() > 1 && endsOf(names) == kFirstTwo) return;
  const std::size_t start = std::min(line.find_first_not_of(" \t,;"), line.size());
  text.damaged(
      shown(names[0]) + " is not a whole number, and names of columns stand alone on a line; " + right,
      line.substr(start));
}

std::string endsTaken(std::string_view line) {
  const auto names = edgeNames(line);
  const bool two = names.size() > 1;
  const Ends certain = certainEndsOf(partsOf(names));
  const bool others = certain.source > 1 && certain.target > 1;  // named by words that say more
  if (two && !others &&
      (counted(names) || names[0] == names[1] || (endsOf(names) == kFirstTwo && !goBothWays(names))))
    return "";
  return "the first two are read as the ends of an edge" +
         (two ? ", " + shown(names[0]) + " as the source and " + shown(names[1]) + " as the target"
              : std::string(", the source first"));
}

std::string twoKinds(std::string_view line) {
  const auto names = edgeNames(line);
  if (kindsOf(names) != kFirstTwo) return "";
  return "the columns " + shown(names[0]) + " and " + shown(names[1]) +
         " may be two kinds of vertices, but are numbered together: vertex 0 of each is one vertex; number "
         "the second after the first, or write `% bip` as the first line";
}

bool namesEndsFirst(std::string_view line) { return endsOf(edgeNames(line)) == kFirstTwo; }

bool namesNoEnds(std::string_view line) {
  const auto names = edgeNames(line);
  return names.size() > 1 && !counted(names) && misplacedOf(names) >= 0;
}

bool namesEndsElsewhere(std::string_view line, std::size_t columns) {
  const auto names = edgeNames(line);
  if (names.size() != columns) return false;
  const Ends ends = endsOf(names);
  if (ends == kNoEnds || ends == kFirstTwo) return false;
  // prose holds single letters, but hardly nothing else, or behind the name of something else
  const NameParts first(names[0]);
  return names[at(ends.source)].size() > 1 || namesAttribute(first) || namesIndex(first) ||
         std::ranges::all_of(names, [](const auto& name) { return name.size() == 1; });
}

std::string namesInComment(std::string_view comment) {
  comment.remove_prefix(std::min(comment.find_first_not_of("#% \t"), comment.size()));
  comment = comment.substr(0, comment.find_last_not_of(" \t\r:") + 1);
  const std::size_t colon = std::max(comment.rfind(": ") + 1, comment.rfind(":\t") + 1);
  comment.remove_prefix(colon);  // format: source target
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
  std::string names;
  Index depth = 0;
  for (const char c : comment) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0 && std::string_view("<>[]{}`").find(c) == std::string_view::npos)
      names += c == '|' ? ',' : c;
    depth -= c == ')' && depth > 0 ? 1 : 0;
  }
  return names;
}

void requireEndsFirst(const TextFile& text, std::string_view line) {
  const auto names = edgeNames(line);
  if (names.size() < 2 || counted(names)) return;
  const Index misplaced = misplacedOf(names);
  if (misplaced < 0) return;
  const Index index = columnNames(line)->names.size() > names.size() ? 1 : 0;
  text.damaged("column " + std::to_string(misplaced + index + 1) + " is named " +
               shown(names[at(misplaced)]) +
               "; the first two columns are the source and the target of an edge");
}

}  // namespace halo
