// METIS / Chaco graph file, plain or packed:
//
//   % comment
//   VERTICES EDGES [FORMAT [WEIGHTS]]     FORMAT abc: a vertex sizes, b vertex weights, c edge weights; each
//   0 or 1 [size] [weight]… neighbour [edge weight] neighbour …          line i is vertex i; numbered from 1
//
// Every edge stands in the lines of both its ends. Sizes and weights are read over and remarked. So are the
// numbers of vertices that Chaco has in place of sizes, if they are in order.

#include <algorithm>
#include <cstdint>

#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/line_shapes.h"
#include "datasets/edges/numbering.h"
#include "datasets/input/limits.h"
#include "datasets/text/one_separator.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

bool isComment(std::string_view line) { return isBlankOrComment(line, "%") && !isBlankLine(line); }

/// By the suffix, but for edges below a line that counts nothing. Without the suffix by lists that agree with
/// each other and with the header, or by a header before lists that fit nothing else.
bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || namesLabels(path)) return false;
  const LineShapes shapes(path);
  if (namesMetis(path))
    return shapes.startsWithTwoNumbers() &&
           (shapes.hasMetisHeader() || shapes.countsNothing() || !shapes.fitsEdges());
  return shapes.fitsMetis() ||
         (shapes.startsAsMetis() && !shapes.resemblesEdges() && !shapes.fitsAdjacencyLists());
}

std::string doubt(const std::filesystem::path& path) {
  return LineShapes(path).doubt(
      kMetisFormat, namesMetis(path)
                        ? "its name says so"
                        : "the first line counts vertices and edges, and all list those that list them");
}

struct Header {
  Index edges = 0, before = 0;                             // numbers before the neighbours: size and weights
  bool sizes = false, edgeWeights = false, marks = false;  // marks: other separators than blanks
  Index line = 0, edgesColumn = 0;
};

/// Where the lists stand: a line a vertex, with comments between them.
class ListLines {
 public:
  explicit ListLines(Index header) : header_(header) {}
  /// A comment stands before the list of `vertex`, from 0.
  void comment(Index vertex) {
    const Index before = comments_.empty() ? 0 : comments_.back().count;
    if (comments_.empty() || comments_.back().vertex != vertex) comments_.push_back({vertex, before});
    comments_.back().count = before + 1;
  }
  Index lineOf(Index vertex) const {
    const auto after = std::ranges::upper_bound(comments_, vertex, {}, &Comments::vertex);
    return header_ + 1 + vertex + (after == comments_.begin() ? 0 : std::prev(after)->count);
  }

 private:
  Index header_;
  struct Comments {
    Index vertex = 0, count = 0;  // count: of all before its list
  };
  std::vector<Comments> comments_;  // ascending
};

/// Chaco has the numbers of vertices where METIS has their sizes. In their order they change nothing; in
/// another one they tell that lines belong to other vertices, if they are no sizes.
class FirstNumbers {
 public:
  void take(const TextFile& text, Index vertex, Index number) {
    if (number != vertex + 1 && unlikeAt_ == 0) unlikeAt_ = text.line();
    numbers_.push_back(number);
  }
  bool inOrder() const { return unlikeAt_ == 0; }
  void requireSizes(const TextFile& text) {
    const auto n = static_cast<Index>(numbers_.size());
    if (inOrder()) return;
    std::ranges::sort(numbers_);
    for (Index vertex = 0; vertex < n; ++vertex)
      if (numbers_[at(vertex)] != vertex + 1) return;
    text.damagedAt(unlikeAt_,
                   "begins the lists with the numbers 1 to " + std::to_string(n) +
                       " in another order: numbers of vertices, as Chaco has them in the format 1xx, "
                       "or sizes, as METIS; sort the lines by them, or take sizes out, and write the "
                       "format without the 1");
  }

 private:
  Growing<Index> numbers_;
  Index unlikeAt_ = 0;  // the first line whose number is not that of its vertex
};

/// A number that METIS has from `least` on.
Index numberFrom(const TextFile& text, Fields& fields, Index least, const char* expected) {
  const std::string_view ahead = fields.rest();
  const Index number = fields.integer(expected);
  if (number < least)
    text.damaged(
        std::to_string(number) + " cannot be " + expected + "; a whole number from " + std::to_string(least),
        ahead.substr(0, 1));
  return number;
}

/// Both ends of an edge list its weight: a sum over all lists, in which what both say is nothing.
class WeightsOfEnds {
 public:
  void take(Index vertex, Index neighbour, Index weight) {
    if (vertex == neighbour) return;
    auto mixed = (static_cast<std::uint64_t>(std::min(vertex, neighbour)) << 32 |
                  static_cast<std::uint64_t>(std::max(vertex, neighbour))) *
                 0x9e3779b97f4a7c15;
    mixed = ((mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9) | 1;
    const auto part = mixed * static_cast<std::uint64_t>(weight);
    sum_ += vertex < neighbour ? part : 0 - part;
  }
  bool differ() const { return sum_ != 0; }

 private:
  std::uint64_t sum_ = 0;
};

Header readHeader(TextFile& text, RawDataset& raw) {
  std::string_view line;
  do {
    if (!text.next(line)) text.damagedWhole("is empty; `VERTICES EDGES` on the first line");
  } while (isBlankOrComment(line, "%"));
  Fields fields(text, line, Layout::list);
  Header header;
  header.line = text.line();
  raw.vertices = fields.integer("the number of vertices");
  requireVertexCount(raw.vertices, text.path(), "vertices", text.line());
  header.edgesColumn = fields.rest().data() - line.data() + 1;
  header.edges = fields.integer("the number of edges");
  if (header.edges < 0) text.damaged(std::to_string(header.edges) + " edges cannot be; a number from 0");
  std::string format = fields.more() ? std::string(fields.word()) : "0";
  if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos)
    text.damaged(shown(format) + " is no format of a METIS file; three digits of 0 and 1");
  format.insert(0, 3 - format.size(), '0');
  const bool counted = fields.more();
  const Index weights = counted ? fields.integer("the number of weights of a vertex") : 1;
  if (weights < 0 || weights > 1000)
    text.damaged(std::to_string(weights) + " weights of a vertex cannot be meant");
  if (counted && weights > 0 && format[1] == '0')
    text.damaged(std::to_string(weights) + " weights of a vertex disagree with the format " + format +
                 ", which has none; 10 or 11");
  requireEnd(text, fields, "`VERTICES EDGES [FORMAT [WEIGHTS]]`");
  header.marks = isMark(fields.separator());
  header.before = (format[0] == '1' ? 1 : 0) +
                  (format[1] == '1' ? std::max<Index>(1, weights) : 0);  // METIS takes 0 for 1
  header.edgeWeights = format[2] == '1';
  header.sizes = format[0] == '1';
  return header;
}

/// A graph without vertices, or a header that is none.
[[noreturn]] void refuseEmpty(TextFile& text, const Header& header) {
  if (header.edges > 0)
    text.damagedAt(header.line, "promises " + std::to_string(header.edges) + " edges between no vertices");
  std::string_view line;
  while (text.next(line))
    if (!isBlankOrComment(line, "%"))
      text.damagedAt(header.line, "counts no vertices and no edges, but line " + std::to_string(text.line()) +
                                      " holds more; the counts of the lists below it");
  text.damagedAt(header.line, "counts no vertices: the graph is empty; at least one");
}

[[noreturn]] void refuseCount(const TextFile& text, const Header& header, const std::string& neighbours) {
  throw DamagedInput({.file = text.path().string(),
                      .line = header.line,
                      .column = header.edgesColumn,
                      .message = "promises " + std::to_string(header.edges) +
                                 " edges, each in two lines; the file lists " + neighbours + " neighbours"});
}

/// `numbered`: what would be sizes are the numbers of the vertices.
void remarkUnread(const Header& header, bool numbered, std::vector<std::string>& remarks) {
  if (numbered)
    remarks.emplace_back("the lists begin with the numbers of their vertices in order, as Chaco has them");
  if (header.before > (numbered ? 1 : 0) || header.edgeWeights)
    remarks.emplace_back("sizes and weights of the METIS file are not read");
}

/// The lists of all vertices as arcs neighbour → vertex. What is listed beyond what the header promises is
/// counted in `neighbours`, and not kept.
ListLines readLists(TextFile& text, const Header& header, RawDataset& raw, Index& neighbours) {
  ListLines lines(header.line);
  OneSeparator separator;
  FirstNumbers firsts;
  WeightsOfEnds weights;
  bool marks = header.marks;
  std::string_view line;
  Index vertex = 0;
  while (text.next(line)) {
    if (isComment(line)) {
      lines.comment(vertex);
      continue;
    }
    Fields fields(text, line, Layout::list);
    if (vertex == raw.vertices) {
      if (fields.more())
        text.damaged("more lines than the " + std::to_string(raw.vertices) + " vertices of the header");
      continue;
    }
    for (Index i = 0; i < header.before; ++i) {
      const Index number = numberFrom(text, fields, 0, "a size or weight of the vertex");
      if (i == 0 && header.sizes) firsts.take(text, vertex, number);
    }
    while (fields.more()) {
      const std::string_view ahead = fields.rest();
      const Index neighbour = fields.integer("a vertex number");
      if (neighbour < 1 || neighbour > raw.vertices)
        text.damaged(
            "vertex " + std::to_string(neighbour) + " does not exist; 1 to " + std::to_string(raw.vertices),
            ahead.substr(0, 1));
      if (header.edgeWeights)
        weights.take(vertex + 1, neighbour, numberFrom(text, fields, 1, "a weight after the neighbour"));
      constexpr Index kCounted = 1'000'000;
      if (++neighbours / 2 <= header.edges)
        raw.arcs.push_back({static_cast<Vertex>(neighbour - 1), static_cast<Vertex>(vertex)});
      else if (neighbours / 2 - header.edges > kCounted)
        refuseCount(text, header, "more than " + std::to_string(neighbours - 1));
    }
    separator.require(text, fields);
    marks |= isMark(fields.separator());
    ++vertex;
  }
  if (vertex < raw.vertices)
    text.damagedAt(header.line, "promises " + std::to_string(raw.vertices) +
                                    " vertices; the file ends after the lists of " + std::to_string(vertex));
  firsts.requireSizes(text);
  remarkUnread(header, header.sizes && firsts.inOrder(), raw.remarks);
  if (weights.differ())
    raw.remarks.emplace_back("weights of an edge differ between the lists of its two ends; METIS has one");
  if (marks) raw.remarks.emplace_back("',' or ';' stands between numbers, where METIS has blanks");
  return lines;
}

/// Every edge has to stand in the lines of both its ends.
void requireBothEnds(const TextFile& text, const ListLines& lines, const RawDataset& raw) {
  const Csr A = buildCsr(raw.vertices, raw.arcs, true);
  const Csr T = transpose(A);
  for (Index v = 0; v < A.rows(); ++v) {
    const auto row = A.row(v), back = T.row(v);
    const auto missing = std::find_if(
        row.begin(), row.end(), [&](Vertex u) { return !std::binary_search(back.begin(), back.end(), u); });
    if (missing != row.end())
      text.damagedAt(lines.lineOf(v),
                     "vertex " + std::to_string(v + 1) + " lists " + std::to_string(*missing + 1) +
                         ", but vertex " + std::to_string(*missing + 1) + ", on line " +
                         std::to_string(lines.lineOf(*missing)) + ", does not list " + std::to_string(v + 1));
  }
}

RawDataset readGraph(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  RawDataset raw;
  raw.everyEdgeOnce = false;
  const Header header = readHeader(text, raw);
  if (raw.vertices == 0) refuseEmpty(text, header);
  Index entries = 0;
  const ListLines lines = readLists(text, header, raw, entries);
  // a self loop may be counted once or twice, the writers do not agree
  const Index loops =
      std::count_if(raw.arcs.begin(), raw.arcs.end(), [](Arc arc) { return arc.source == arc.target; });
  const auto twice = [&](Index count) { return count % 2 == 0 && count / 2 == header.edges; };
  if (!twice(entries) && !twice(entries + loops)) refuseCount(text, header, std::to_string(entries));
  requireBothEnds(text, lines, raw);
  raw.vertexOf = countedFromOne(raw.vertices);
  return raw;
}

/// A file that its name alone makes one of METIS may be another one.
RawDataset read(const std::filesystem::path& path, const Progress& progress) try {
  return readGraph(path, progress);
} catch (const Swollen&) {
  throw;
} catch (const DamagedInput& refused) {
  const std::string others = namesMetis(path) ? LineShapes(path).keysOfOthers(kMetisFormat) : "";
  if (others.empty()) throw;
  throw DamagedInput({.message = std::string(refused.what()) +
                                 "; it is read as metis, because its name says so; its lines "
                                 "fit another format as well: " +
                                 others});
}

const Registered<FormatEntry> self{
    {{kMetisFormat, "METIS or Chaco graph: line i lists the neighbours of vertex i",
      "METIS 5.1 manual, 4.1.1"},
     5,
     recognises,
     read,
     nullptr,
     doubt}};

}  // namespace
}  // namespace halo
