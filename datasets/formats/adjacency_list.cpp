// Adjacency lists: `vertex neighbour neighbour …` on a line (DeepWalk, OpenNE). The file has "adj" in its
// name, as a word and not beside "edges", or a line for every vertex. Numbers may have any length. Labels are
// taken from a file beside it whose name says so (bc_adjlist.txt, bc_labels.txt: `vertex label …`).

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "datasets/edges/block_marks.h"
#include "datasets/edges/comment_counts.h"
#include "datasets/edges/dense_cells.h"
#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/line_shapes.h"
#include "datasets/edges/listed_pairs.h"
#include "datasets/edges/numbering.h"
#include "datasets/text/columns.h"
#include "datasets/text/end_names.h"
#include "datasets/text/one_separator.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Whether a word of the name is adj, adjlist, adjacency or the like, and none speaks of edges. `adjnoun` is
/// no such word: adjectives and nouns are vertices of a well-known graph.
bool namesAdjacency(const std::filesystem::path& path) {
  const NameParts name(path.filename().string());
  const auto saysEdges = [](const std::string& word) { return word.find("edge") != std::string::npos; };
  const auto saysLists = [](const std::string& word) {
    return word == "adjs" || word.ends_with("adj") || word.find("adjl") != std::string::npos ||
           word.find("adjm") != std::string::npos || word.find("adjac") != std::string::npos;
  };
  return std::ranges::any_of(name.words, saysLists) && std::ranges::none_of(name.words, saysEdges);
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || namesLabels(path)) return false;
  if (!namesAdjacency(path)) {
    const LineShapes shapes(path);
    return (shapes.fitsAdjacencyLists() && !shapes.fitsCountedEdges()) || shapes.fitsEndedLists();
  }
  const FileHead head = headWithLines(path);
  const auto lines = linesOf(head.lines);
  const auto first =
      std::find_if_not(lines.begin(), lines.end(), [](auto line) { return isBlankOrComment(line); });
  if (first == lines.end()) return false;
  for (std::size_t i = first->find_first_not_of(" \t,;"); i != std::string_view::npos;) {
    const std::size_t end = first->find_first_of(" \t,;", i);
    const std::string_view word = first->substr(i, end - i);
    i = first->find_first_not_of(" \t,;", end);
    const bool atEnd = word == "-1" && i == std::string_view::npos;
    if (digitsOf(word).empty() && !(atEnd && LineShapes(path).fitsEndedLists())) return false;
  }
  return true;
}

std::string doubt(const std::filesystem::path& path) {
  return LineShapes(path).doubt(
      kAdjacencyListFormat, namesAdjacency(path) ? "its name says so" : "every vertex has a line of its own");
}

/// Lists are looked at line by line where there are no more of them.
constexpr std::size_t kMostEnds = 1 << 20;

struct Lists {
  VertexNumbers written;
  Growing<Index> numbers, heads;  // pairs; the vertices whose lists they are, also empty ones
  std::vector<std::size_t> ends;  // pairs up to the end of each list; of many lists none
  std::size_t ofFirst = 0;        // pairs of the first list
  std::size_t ofSecond = 0;       // and of the second one
  bool even = true;               // all lists are as long
  bool evenBelow = true;          // all but the first are
  bool countRest = true;          // the first number of each counts the others
  bool countRestBelow = true;     // of each but the first
  std::string columns;            // a first line that counts its columns, as pandas writes above them
  Index columnsAt = 0;
  PromisedCounts promised;  // by comments
  BlockMarks marks;
};

/// Some programs end a list with -1. `rest`: a line from there on.
void refuseEnd(const TextFile& text, std::string_view rest) {
  const std::string_view word = firstWord(rest);
  const bool last = rest.find_first_not_of(" \t,;", word.size()) == std::string_view::npos;
  if (word == "-1" && last) text.damaged("-1 ends a list and is no vertex; take it out of every line", word);
}

Lists readLists(TextFile& text) {
  Lists lists;
  OneSeparator separator;
  std::string_view line;
  while (text.next(line)) {
    if (isBlankOrComment(line)) {
      lists.marks.pass(text, line);
      if (lists.heads.empty()) takeCounts(line, text.line(), lists.promised);
      continue;
    }
    Fields fields(text, line, Layout::list);
    if (!fields.more()) continue;
    lists.marks.requireNone(text);
    const std::size_t before = lists.numbers.size() / 2;
    lists.heads.push_back(lists.written.next(text, fields));
    while (fields.more()) {
      if (fields.rest().front() == '-') refuseEnd(text, fields.rest());
      lists.numbers.push_back(lists.heads.back());
      lists.numbers.push_back(lists.written.next(text, fields));
    }
    separator.require(text, fields);
    const std::size_t listed = lists.numbers.size() / 2 - before;
    if (lists.ends.size() < kMostEnds) lists.ends.push_back(before + listed);
    if (lists.heads.size() == 1) {
      lists.ofFirst = listed;
      // two numbers, or blanks, which pandas does not write of itself, are rather a list
      if (countedColumns(line) > 2 && line.find_first_of(",;\t") != std::string_view::npos) {
        lists.columns = shown(line);
        lists.columnsAt = text.line();
      }
    }
    if (lists.heads.size() == 2) lists.ofSecond = listed;
    const bool counts = listed > 0 && std::cmp_equal(lists.numbers[2 * before + 1], listed - 1);
    lists.even &= listed == lists.ofFirst;
    lists.countRest &= counts;
    if (lists.heads.size() == 1) continue;
    lists.evenBelow &= listed == lists.ofSecond;
    lists.countRestBelow &= counts;
  }
  if (lists.heads.empty()) text.damagedWhole("holds no vertices; `vertex neighbour neighbour …` on a line");
  return lists;
}

/// Lines of as many numbers, from the first or the second on, as cells; perhaps behind an index.
struct Cells {
  const Lists& lists;
  std::size_t first, index;

  std::size_t rows() const { return lists.heads.size() - first; }
  std::size_t columns() const { return lists.ofSecond + 1 - index; }
  Index operator()(std::size_t i, std::size_t j) const { return number(i + first, j + index); }
  Index number(std::size_t line, std::size_t place) const {
    if (place == 0) return lists.heads[line];
    const std::size_t begin = line == 0 ? 0 : lists.ofFirst + (line - 1) * lists.ofSecond;
    return lists.numbers[2 * (begin + place - 1) + 1];
  }
};

/// Whether the first line may stand above a matrix: its size, or the numbers of its columns.
bool mayStandAbove(const Cells& cells) {
  constexpr std::size_t kMostCounts = 3;
  const std::size_t width = cells.lists.ofFirst + 1;
  const bool counts = width <= kMostCounts && std::cmp_equal(cells.lists.heads[0], cells.rows());
  return counts ||
         (width == cells.rows() && countUp(width, [&](std::size_t i) { return cells.number(0, i); }));
}

/// Whether these cannot be lists. Rows of a complete graph say the same in both readings.
bool areDense(const DenseSigns& signs, bool index) {
  if (signs.flags || index) return signs.flags || signs.zeroDiagonal;
  const bool lists = signs.headsDiffer && signs.closed;
  if (signs.zeroDiagonal || (signs.sameDiagonal && signs.mirrored)) return signs.twice() || !lists;
  return signs.twice() && !lists && (signs.restTwice || !signs.headsDiffer);
}

/// Rows of a matrix begin with a cell and not with a vertex.
void refuseDense(const TextFile& text, const Lists& lists, std::vector<std::string>& remarks) {
  constexpr std::size_t kFewest = 3;
  for (const std::size_t first : {0U, 1U})
    for (const std::size_t index : {0U, 1U}) {
      const Cells cells{lists, first, index};
      if (lists.heads.size() < first + kFewest || !(first == 0 ? lists.even : lists.evenBelow) ||
          cells.columns() != cells.rows() || (first == 1 && !mayStandAbove(cells)))
        continue;
      const std::size_t n = cells.rows();
      if (index == 1 && !countUp(n, [&](std::size_t i) { return lists.heads[i + first]; })) continue;
      const DenseSigns signs = denseSigns(n, cells);
      const std::string words = std::string(signs.words()) + (index == 1 ? ", behind an index" : "");
      if (areDense(signs, index == 1)) text.damagedWhole(denseMatrix(static_cast<Index>(n), words));
      if (index == 0 && signs.twice()) remarks.push_back(denseMatrix(static_cast<Index>(n), words));
    }
}

/// Degrees in lists would be neighbours.
void refuseDegrees(const TextFile& text, const Lists& lists, std::vector<std::string>& remarks) {
  constexpr std::size_t kMostCounts = 2;
  const bool counted = lists.countRestBelow && lists.ofFirst < kMostCounts && lists.heads.size() > 1 &&
                       std::cmp_equal(lists.heads[0], lists.heads.size() - 1);
  if (!lists.countRest && !counted) return;
  const std::size_t first = lists.countRest ? 0 : 1;
  Listed pairs;
  for (std::size_t i = first * lists.ofFirst; 2 * i < lists.numbers.size(); ++i)
    pairs.emplace_back(lists.numbers[2 * i], lists.numbers[2 * i + 1]);
  const std::vector<Index> heads(lists.heads.begin() + static_cast<std::ptrdiff_t>(first), lists.heads.end());
  const CountedLists kind = countedLists(heads, std::move(pairs));
  if (kind == CountedLists::certain)
    text.damagedWhole(kDegreeLists + std::string("; a line has no degree: take it out of every line"));
  if (kind == CountedLists::perhaps)
    remarks.push_back(kDegreeLists +
                      std::string("; it is read as a neighbour: if it is the degree, take it out"));
}

/// Weights in lists would be neighbours, and the first neighbour of lists without their vertex would be that.
void refuseOtherLists(const TextFile& text, const Lists& lists) {
  const std::span<const Index> heads(lists.heads.begin(), lists.heads.end());
  const std::span<const Index> numbers(lists.numbers.begin(), lists.numbers.end());
  const bool counted = heads.size() > 1 && lists.ofFirst == 0 && std::cmp_equal(heads[0], heads.size() - 1);
  const std::span<const std::size_t> ends = lists.ends;
  const ListedLines below{heads.subspan(1), numbers, ends.subspan(1)};
  if (areByLine({heads, numbers, ends}) || (counted && areByLine(below)))
    text.damagedWhole(
        "lists the neighbours of a vertex on the line with its number: only so do all list each other; write "
        "the vertex first on every line");
  if (areMultiline({heads, numbers, ends}))
    text.damagedWhole(
        "has `vertex count` above as many lines of one neighbour each, as networkx writes multiline lists; "
        "write `vertex neighbour neighbour …` on a line");
  if (areWeighted(heads, numbers))
    text.damagedWhole(
        "every other number of a list is a weight: only so do all vertices list each other; write "
        "`vertex neighbour weight` on a line for each edge");
}

/// The first line of lists, or two of one number each, looked at as if they counted those after them.
class FirstCounts {
 public:
  FirstCounts(const Lists& lists, std::size_t lines)
      : lines_(lines), vertices_(static_cast<Index>(lists.heads.size() - lines)) {
    const std::size_t from = lines == 1 ? 2 * lists.ofFirst : 0;
    listed_ = static_cast<Index>(lists.numbers.size() - from) / 2;
    said_.assign(lists.heads.begin(), lists.heads.begin() + lines);
    for (std::size_t i = 1; i < from; i += 2) said_.push_back(lists.numbers[i]);
    if (said_[0] != vertices_ && (said_.size() < 2 || said_[1] != vertices_)) return;
    std::vector<Index> heads(lists.heads.begin() + lines, lists.heads.end());
    descends_ = std::ranges::is_sorted(heads, std::greater());
    std::ranges::sort(heads);
    first_ = heads[0];
    fit_ = (first_ == 0 || first_ == 1) && heads.back() == first_ + vertices_ - 1 &&
           std::ranges::adjacent_find(heads) == heads.end() &&
           std::all_of(lists.numbers.begin() + from, lists.numbers.end(),
                       [&](Index number) { return number >= first_ && number <= heads.back(); });
  }

  /// How many the other lists are, which have to be those of 0 … n−1 or of 1 … n, and what they list.
  bool exact() const { return fit_ && said_[0] == vertices_ && (said_.size() < 2 || counts(said_[1])); }
  /// The same in another order, or where what is listed is not counted so.
  bool likely() const {
    if (!fit_ || exact()) return fit_;
    if (said_[0] != vertices_) return first_ == 0 || counts(said_[0]);
    // where lists descend the first one may list the vertices of the next ones
    return !descends_ || std::any_of(said_.begin() + 1, said_.end(), [&](Index n) { return n >= vertices_; });
  }
  std::string remark() const {
    std::string numbers;
    for (const Index number : said_) numbers += (numbers.empty() ? "" : " ") + std::to_string(number);
    if (lines_ == 1)
      return "the first line (" + numbers +
             ") looks like counts of the lists after it and is read as one of them; if it counts, take it "
             "out";
    return "the first two lines (" + numbers +
           ") look like counts of the lists after them and are read as two of them; if they count, take them "
           "out";
  }

 private:
  bool counts(Index edges) const { return edges == listed_ || (listed_ % 2 == 0 && edges == listed_ / 2); }

  std::size_t lines_;
  Index vertices_, listed_ = 0, first_ = 0;
  std::vector<Index> said_;  // the numbers of the first lines
  bool descends_ = false, fit_ = false;
};

/// Counts that cannot be a list, for it names a vertex without one, are taken out; others are remarked.
void settleCounts(Lists& lists, std::vector<std::string>& remarks) {
  const auto &heads = lists.heads, &numbers = lists.numbers;
  constexpr std::size_t kFewest = 2, kMostListed = 2;
  const bool twoAlone =
      heads.size() >= 2 + kFewest && lists.ofFirst == 0 && (numbers.empty() || numbers[0] != heads[1]);
  if (twoAlone)
    if (const FirstCounts two(lists, 2); two.likely()) return remarks.push_back(two.remark());
  if (heads.size() < 1 + kFewest || lists.ofFirst > kMostListed) return;
  const FirstCounts counts(lists, 1);
  if (!counts.likely()) return;
  const Index vertices = heads[0], listed = lists.ofFirst == 1 ? numbers[1] : 0;
  if (listed <= vertices || !counts.exact()) return remarks.push_back(counts.remark());
  remarks.push_back("the first line is taken for counts: " + std::to_string(vertices) + " vertices, " +
                    std::to_string(listed) + " edges; if it is the list of a vertex, put it last");
  lists.heads.dropFirst(1);
  lists.numbers.dropFirst(2);
}

/// Each edge may stand in one list or in two, a loop in one alone; `arcs`: as the lists have them.
void remarkPromised(const PromisedCounts& promised, const std::vector<Arc>& arcs,
                    const FileNumbering& numbering, std::vector<std::string>& remarks) {
  promised.remarkVertices(numbering.vertices(), numbering.occurring(), "lists", remarks);
  const auto listed = static_cast<Index>(arcs.size());
  const auto loops = std::ranges::count_if(arcs, [](Arc arc) { return arc.source == arc.target; });
  const auto fits = [&](Index count) { return count % 2 == 0 && count / 2 == promised.edges; };
  if (promised.edges < 0 || promised.edges == listed || fits(listed) || fits(listed + loops)) return;
  remarks.push_back("line " + std::to_string(promised.edgesAt) + " promises " +
                    std::to_string(promised.edges) + " edges; the lists hold " + std::to_string(listed) +
                    " neighbours; see whether the file is "
                    "whole");
}

/// How many lists there are of a vertex that has one already. A bit a vertex: to sort them takes a quarter
/// of the whole reading.
Index repeatedHeads(const Growing<Index>& heads, const FileNumbering& numbering) {
  std::vector<bool> seen(at(numbering.vertices()));
  Index repeated = 0;
  for (const Index head : heads) {
    const auto vertex = at(numbering.vertex(head));
    repeated += seen[vertex] ? 1 : 0;
    seen[vertex] = true;
  }
  return repeated;
}

/// Numbers of columns are no list where vertex 0 alone has a second one, and all are as long.
void settleColumns(Lists& lists, std::vector<std::string>& remarks) {
  if (lists.columnsAt == 0 || !lists.even) return;
  std::vector<Index> heads(lists.heads.begin(), lists.heads.end());
  std::sort(heads.begin(), heads.end());
  const bool twice = heads.size() > 1 && heads[0] == 0 && heads[1] == 0;
  if (!twice || std::adjacent_find(heads.begin() + 1, heads.end()) != heads.end()) return;
  lists.heads.dropFirst(1);
  lists.numbers.dropFirst(2 * lists.ofFirst);
  remarks.push_back(
      "line " + std::to_string(lists.columnsAt) + " (" + lists.columns +
      ") is taken for the numbers of columns that pandas writes above them: vertex 0 alone has a "
      "second list; if both are its lists, put them on one line");
}

/// A number a line may be labels, parts, or arrays below each other.
void lookForNeighbours(const TextFile& text, const Lists& lists, std::vector<std::string>& remarks) {
  if (!lists.numbers.empty()) return;
  std::vector<Index> heads(lists.heads.begin(), lists.heads.end());
  std::sort(heads.begin(), heads.end());
  if (std::adjacent_find(heads.begin(), heads.end()) != heads.end())
    text.damagedWhole(
        "has one number on every line, some of them twice, and no neighbours; `vertex "
        "neighbour neighbour …` on a line");
  remarks.push_back("no line lists a neighbour: the graph has no edges");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  Lists lists = readLists(text);
  RawDataset raw;
  refuseDense(text, lists, raw.remarks);
  refuseDegrees(text, lists, raw.remarks);
  refuseOtherLists(text, lists);
  lookForNeighbours(text, lists, raw.remarks);
  settleCounts(lists, raw.remarks);
  settleColumns(lists, raw.remarks);
  auto& [written, numbers, heads, ends, ofFirst, ofSecond, even, evenBelow, countRest, countRestBelow,
         columns, columnsAt, promised, marks] = lists;
  const std::size_t pairs = numbers.size() / 2;
  for (const Index head : heads) numbers.push_back(head);
  FileNumbering numbering(numbers, written.names(), AbsentNumbers::none, path, raw.remarks);
  if (const Index repeated = repeatedHeads(heads, numbering); repeated > 0)
    raw.remarks.push_back("lists beyond the first of their vertex: " + std::to_string(repeated) +
                          "; the lists of a vertex are joined");
  raw.vertices = numbering.vertices();
  raw.everyEdgeOnce = false;
  text.requireBeside(pairs * sizeof(Arc));
  raw.arcs.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i)
    raw.arcs.push_back({numbering.vertex(numbers[2 * i]), numbering.vertex(numbers[2 * i + 1])});
  remarkPromised(promised, raw.arcs, numbering, raw.remarks);
  marks.remark(raw.remarks);
  raw.vertexOf = vertexOf(std::move(numbering));
  return raw;
}

const Registered<FormatEntry> self{
    {{kAdjacencyListFormat, "`vertex neighbour neighbour …` on a line (DeepWalk)", "Perozzi et al. 2014"},
     60,
     recognises,
     read,
     nullptr,
     doubt,
     nullptr,
     nullptr,
     true}};

}  // namespace
}  // namespace halo
