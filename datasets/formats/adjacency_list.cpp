// Adjacency lists: `vertex neighbour neighbour …` on a line (DeepWalk, OpenNE), in a file with "adj" in its
// name, as a word and not beside "edges", or with a line for every vertex. Numbers may have any length.
// Labels are taken from a file beside it whose name says so (bc_adjlist.txt, bc_labels.txt: `vertex label
// …`).

#include <algorithm>

#include "datasets/edges/edges.h"
#include "datasets/edges/line_shapes.h"
#include "datasets/edges/numbering.h"
#include "datasets/text/columns.h"
#include "datasets/text/end_names.h"
#include "datasets/text/one_separator.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Whether a word of the name is adj, adjlist, adjacency or the like, and none speaks of edges: adjectives
/// and nouns are vertices of a well-known graph.
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

struct Lists {
  VertexNumbers written;
  Growing<Index> numbers, heads;  // pairs; the vertices whose lists they are, also empty ones
  std::size_t ofFirst = 0;        // pairs of the first list
  bool even = true;               // all lists are as long
  std::string columns;            // a first line that counts its columns, as pandas writes above them
  Index columnsAt = 0;
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
    if (isBlankOrComment(line)) continue;
    Fields fields(text, line, Layout::list);
    if (!fields.more()) continue;
    const std::size_t before = lists.numbers.size();
    lists.heads.push_back(lists.written.next(text, fields));
    while (fields.more()) {
      if (fields.rest().front() == '-') refuseEnd(text, fields.rest());
      lists.numbers.push_back(lists.heads.back());
      lists.numbers.push_back(lists.written.next(text, fields));
    }
    separator.require(text, fields);
    const std::size_t listed = (lists.numbers.size() - before) / 2;
    if (lists.heads.size() == 1) {
      lists.ofFirst = listed;
      // two numbers, or blanks, which pandas does not write of itself, are rather a list
      if (countedColumns(line) > 2 && line.find_first_of(",;\t") != std::string_view::npos) {
        lists.columns = shown(line);
        lists.columnsAt = text.line();
      }
    }
    lists.even &= listed == lists.ofFirst;
  }
  if (lists.heads.empty()) text.damagedWhole("holds no vertices; `vertex neighbour neighbour …` on a line");
  return lists;
}

/// Rows of a matrix begin with a cell and not with a vertex. Two rows say the same in both readings.
void refuseDense(const TextFile& text, const Lists& lists) {
  const std::size_t n = lists.heads.size();
  const auto isFlag = [](Index number) { return number == 0 || number == 1; };
  if (n < 3 || !lists.even || lists.ofFirst + 1 != n ||
      !std::all_of(lists.heads.begin(), lists.heads.end(), isFlag) ||
      !std::all_of(lists.numbers.begin(), lists.numbers.end(), isFlag))
    return;
  text.damagedWhole(denseMatrix(static_cast<Index>(n)));
}

/// Whether the first line rather counts the lists after it, and perhaps what they list: those of 0 … n−1, or
/// of 1 … n.
bool startsWithCounts(const Lists& lists) {
  const auto others = static_cast<Index>(lists.heads.size()) - 1;
  if (others < 2 || lists.heads[0] != others || lists.ofFirst > 1) return false;
  const std::size_t from = 2 * lists.ofFirst;
  const auto listed = static_cast<Index>(lists.numbers.size() - from) / 2;
  const auto counts = [&](Index edges) {
    return edges == listed || (listed % 2 == 0 && edges == listed / 2);
  };
  if (lists.ofFirst == 1 && !counts(lists.numbers[1])) return false;
  std::vector<Index> heads(lists.heads.begin() + 1, lists.heads.end());
  std::sort(heads.begin(), heads.end());
  const Index first = heads[0];
  if (first < 0 || first > 1 || heads.back() != first + others - 1 ||
      std::adjacent_find(heads.begin(), heads.end()) != heads.end())
    return false;
  return std::all_of(lists.numbers.begin() + from, lists.numbers.end(),
                     [&](Index number) { return number >= first && number < first + others; });
}

/// Counts that cannot be a list, for it names a vertex without one, are taken out; others are remarked.
void settleCounts(Lists& lists, std::vector<std::string>& remarks) {
  if (!startsWithCounts(lists)) return;
  const Index vertices = lists.heads[0], listed = lists.ofFirst == 1 ? lists.numbers[1] : 0;
  if (listed <= vertices) {
    remarks.push_back("the first line (" + std::to_string(vertices) +
                      (lists.ofFirst == 1 ? " " + std::to_string(listed) : "") +
                      ") looks like counts of the lists after it and is read as one of them; if it counts, "
                      "take it out");
    return;
  }
  remarks.push_back("the first line is taken for counts: " + std::to_string(vertices) + " vertices, " +
                    std::to_string(listed) + " edges; if it is the list of a vertex, put it last");
  lists.heads.dropFirst(1);
  lists.numbers.dropFirst(2);
}

/// How many lists there are of a vertex that has one already.
Index repeatedHeads(Growing<Index> heads) {
  std::sort(heads.begin(), heads.end());
  return heads.end() - std::unique(heads.begin(), heads.end());
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
  Growing<Index> heads(lists.heads.size());
  std::copy(lists.heads.begin(), lists.heads.end(), heads.begin());
  if (repeatedHeads(std::move(heads)) > 0)
    text.damagedWhole(
        "has one number on every line, some of them twice, and no neighbours; `vertex "
        "neighbour neighbour …` on a line");
  remarks.push_back("no line lists a neighbour: the graph has no edges");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  Lists lists = readLists(text);
  refuseDense(text, lists);
  RawDataset raw;
  lookForNeighbours(text, lists, raw.remarks);
  settleCounts(lists, raw.remarks);
  settleColumns(lists, raw.remarks);
  auto& [written, numbers, heads, ofFirst, even, columns, columnsAt] = lists;
  const std::size_t pairs = numbers.size() / 2;
  for (const Index head : heads) numbers.push_back(head);
  Numbering numbering(numbers, written.names(), AbsentNumbers::none, path, raw.remarks);
  if (const Index repeated = repeatedHeads(std::move(heads)); repeated > 0)
    raw.remarks.push_back("lists beyond the first of their vertex: " + std::to_string(repeated) +
                          "; the lists of a vertex are joined");
  raw.vertices = numbering.vertices();
  raw.everyEdgeOnce = false;
  text.requireBeside(pairs * sizeof(Arc));
  raw.arcs.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i)
    raw.arcs.push_back({numbering.vertex(numbers[2 * i]), numbering.vertex(numbers[2 * i + 1])});
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
