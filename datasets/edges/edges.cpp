#include "datasets/edges/edges.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "datasets/edges/block_marks.h"
#include "datasets/edges/decimal_marks.h"
#include "datasets/edges/dense_cells.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/first_edge.h"
#include "datasets/edges/numbered_columns.h"
#include "datasets/edges/numbering.h"
#include "datasets/edges/row_names.h"
#include "datasets/edges/stated_direction.h"
#include "datasets/edges/text_columns.h"
#include "datasets/text/columns.h"
#include "datasets/text/comment_names.h"
#include "datasets/text/edge_ends.h"
#include "engine/base/problem.h"

namespace halo {

namespace {

constexpr std::string_view kSeparators = " \t,;";

/// What comments before the edges say of them.
class Preamble {
 public:
  /// The comment in `line`, the one with this number.
  void read(std::string_view line, Index number) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) return;
    readKonect(line, number);
    direction_.takeComment(line, number);
    takeCounts(line, number, promised_);
    keepNames(line, number);
    ++comments_;
  }
  /// numpy and others write the names of columns as a comment above them. `line`: of the first edge.
  void requireEndsFirst(const TextFile& text, std::string_view line) const {
    const std::size_t columns = edgeColumns(line);
    if (names(columns)) return;
    for (const Names& comment : names_)
      if (namesEndsElsewhere(comment.line, columns))
        throw DamagedInput({.file = text.path().string(),
                            .line = comment.at,
                            .message = "the names " + shown(comment.line) + kOtherOrder});
    for (const std::string& each : oneALine(columns))
      if (namesEndsElsewhere(each, columns))
        throw DamagedInput(
            {.file = text.path().string(),
             .line = names_.back().at,
             .message = "the names " + shown(each) + ", one a line above here," + kOtherOrder});
  }
  /// Whether one of them says that the ends stand first, of as many `columns`.
  bool names(std::size_t columns) const {
    const auto endsFirst = [&](const std::string& line) {
      return edgeColumns(line) == columns && namesEndsFirst(line);
    };
    return std::ranges::any_of(names_, endsFirst, &Names::line) ||
           std::ranges::any_of(oneALine(columns), endsFirst);
  }
  /// The comment in `line`, below an edge.
  void readBelow(const TextFile& text, std::string_view line, Index number) {
    if ((konect_ && beginsKonect(line)) || numbersGraph(line))
      text.damaged("another graph seems to begin with this line; one graph in a file", line);
    if (promised_.vertices < 0 && promised_.edges < 0) takeCounts(line, number, promised_);
  }
  bool none() const { return comments_ == 0; }
  bool bipartite() const { return bipartite_; }
  bool promises(Index edges) const { return promised_.edges == edges; }
  /// A vertex beyond its side, on the line of this edge, is refused.
  void requireOnSides(const TextFile& text, Index source, Index target) const {
    if (source > mostFirst_) refuseBeyond(text, source, "first", promised_.firstSide);
    if (target > mostSecond_) refuseBeyond(text, target, "second", promised_.secondSide);
  }
  void tell(EdgeListRest& rest) const {
    rest.undirected = rest.undirected || direction_.undirected();
    direction_.remark(rest.remarks);
    rest.bipartite = bipartite_;
    rest.konect = konect_;
    rest.promised = promised_;
    if (dynamic_)
      rest.remarks.emplace_back(
          "its first line says that edges come and go (dynamic): all are read, those with -1 that take one "
          "away too");
  }

 private:
  static constexpr const char* kOtherOrder =
      " are in another order than edges are read in; the first two columns are the source and the target of "
      "an edge";
  static constexpr Index kAny = std::numeric_limits<Index>::max();
  struct Names {
    std::string line, comment;
    Index at = 0;
  };

  std::vector<std::string> oneALine(std::size_t columns) const {
    std::vector<std::string> comments;
    std::ranges::transform(names_, std::back_inserter(comments), &Names::comment);
    return namesLineByLine(comments, columns);
  }
  /// Of long preambles the last lines: names stand near the edges.
  void keepNames(std::string_view comment, Index number) {
    constexpr std::size_t kMost = 32, kLongest = 4096;
    std::string names = namesInComment(comment);
    if (comment.size() > kLongest) return;
    if (names_.size() == kMost) names_.erase(names_.begin());
    names_.push_back({std::move(names), std::string(comment), number});
  }
  static std::string_view kindOfKonect(std::string_view line) {
    return firstWord(line.substr(std::min(line.find_first_not_of(kSeparators, 1), line.size())));
  }
  static bool beginsKonect(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line[0] != '%') return false;
    const std::string_view kind = kindOfKonect(line);
    return kind == "sym" || kind == "asym" || kind == "bip";
  }
  /// `% bip weighted`, `% sym …` or `% asym …`, then `% EDGES FIRST SECOND`.
  void readKonect(std::string_view line, Index number) {
    if (line[0] != '%') return;
    const std::string_view words = line.substr(std::min(line.find_first_not_of(kSeparators, 1), line.size()));
    if (comments_ == 0) {
      const std::string_view kind = firstWord(words);
      bipartite_ = kind == "bip";
      konect_ = bipartite_ || kind == "sym" || kind == "asym";
      const std::size_t weights = words.find_first_not_of(kSeparators, kind.size());
      dynamic_ =
          konect_ && weights != std::string_view::npos && firstWord(words.substr(weights)) == "dynamic";
    } else if (comments_ == 1 && konect_) {
      const auto counts = wholeNumbers(words);
      if (counts && counts->size() == 3) readKonectCounts((*counts)[0], (*counts)[1], (*counts)[2], number);
    }
  }
  void readKonectCounts(Index edges, Index first, Index second, Index line) {
    promised_.edges = edges;
    promised_.edgesAt = promised_.verticesAt = promised_.sidesAt = line;
    if (!bipartite_ && first == second) promised_.vertices = first;
    if (!bipartite_ || first < 1 || second < 1) return;
    promised_.firstSide = mostFirst_ = first;
    promised_.secondSide = mostSecond_ = second;
  }
  [[noreturn]] void refuseBeyond(const TextFile& text, Index vertex, const char* column, Index size) const {
    text.damaged("vertex " + std::to_string(vertex) + " of the " + column + " column does not exist; line " +
                 std::to_string(promised_.sidesAt) + " promises " + std::to_string(size) + " of them");
  }

  std::vector<Names> names_;
  int comments_ = 0;
  StatedDirection direction_;
  bool konect_ = false, bipartite_ = false;
  bool dynamic_ = false;  // a weight of −1 takes an edge away
  PromisedCounts promised_;
  Index mostFirst_ = kAny, mostSecond_ = kAny;
};

/// Names of rows before as many cells, all 0 or 1, as there are rows: a matrix as R writes it.
void refuseNamedMatrix(const TextFile& text, Index rows) {
  const FileHead head = headWithLines(text.path());
  Index row = -1;  // the names of the columns are no row
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line) || ++row == 0) continue;
    const auto cells = edgeFields(line);
    const auto isFlag = [](std::string_view cell) { return unquoted(cell) == "0" || unquoted(cell) == "1"; };
    if (std::cmp_not_equal(cells.size(), rows + 1) || !std::all_of(cells.begin() + 1, cells.end(), isFlag))
      return;
  }
  if (row == rows) text.damagedWhole(denseMatrix(rows, "all 0 or 1, behind names of rows"));
}

using UseEdge = std::function<void(Index source, Index target)>;

/// Reads the lines of one edge list.
class EdgeLines {
 public:
  EdgeLines(TextFile& text, VertexNumbers& numbers, const UseEdge& use)
      : text_(text), numbers_(numbers), use_(use) {}

  void take(std::string_view line) {
    if (isBlankOrComment(line)) {
      marks_.pass(text_, line);
      if (columns_ == 0)
        preamble_.read(line, text_.line());
      else
        preamble_.readBelow(text_, line, text_.line());
      return;
    }
    if (columns_ == 0 && header_.empty() && isEdgeHeader(line)) return takeNames(line);
    if (columns_ == 0 && !header_.empty()) requireBelowNames(line);
    if (texts_.any()) line = texts_.ends(text_, line);
    Fields fields(text_, line);
    if (!fields.more()) return;
    marks_.requireNone(text_);
    rows_.skip(text_, line, fields);
    const Index source = numbers_.next(text_, fields), target = numbers_.next(text_, fields);
    preamble_.requireOnSides(text_, source, target);
    blocks_.pass(source, target);
    first_.pass(source, target, fields.rest());
    if (columns_ > 0 || !begin(line)) use_(source, target);
    further_.skip(text_, fields, source);
  }
  EdgeListRest end() {
    if (columns_ == 0) text_.damagedWhole("holds no edges; `u v` on a line");
    if (rows_.leads() && first_.edges() >= 3 && std::cmp_equal(columns_, first_.edges())) {
      if (rows_.indexOfNumbers())
        text_.damagedWhole(denseMatrix(first_.edges(), "behind an index and below numbers of columns"));
      refuseNamedMatrix(text_, first_.edges());
    }
    if (numbered_.held()) settleFirst();
    if (const std::string size = header_.empty() ? first_.sizeOfMatrix() : ""; !size.empty())
      text_.damagedAt(firstAt_,
                      size +
                          " is the size of a matrix with so many entries below it, which is no graph; "
                          "as many columns as rows; if it is an edge, put it behind another one");
    EdgeListRest rest;
    rest.undirected = texts_.direction().undirected();
    preamble_.tell(rest);
    remark(rest);
    return rest;
  }

 private:
  void takeNames(std::string_view line) {
    requireNamesAlone(text_, line, "a vertex number from 0");
    requireEndsFirst(text_, line);
    texts_.above(text_, line);
    if (!texts_.any()) rows_.above(text_, line);
    if (const auto names = columnNames(line)) further_.below(names->separator);
    header_ = line;
    headerAt_ = text_.line();
  }
  /// A first line of a single word is a title or another format's sign. One that begins with a separator may
  /// be no names: edges begin so too, or a comment.
  void requireBelowNames(std::string_view line) const {
    const auto refuseHeader = [&] {
      text_.damagedAt(headerAt_,
                      shown(header_) + " names no two ends of an edge; a comment begins with # or %");
    };
    const char mark = header_[0];
    const bool separated = kSeparators.find(mark) != std::string_view::npos && mark != ' ';
    if (!separated && edgeColumns(header_) < 2) refuseHeader();
    if (!separated) return;
    const std::string above = "line " + std::to_string(headerAt_) + " (" + shown(header_) + ")";
    if (line.starts_with(mark))
      text_.damaged("an empty cell, as " + above + " begins with; a line begins with the source of an edge",
                    line.substr(0, 1));
    if (edgeColumns(header_) < 2) refuseHeader();
  }
  /// For the line of the first edge: whether it is held back, for it may be no edge.
  bool begin(std::string_view line) {
    firstAt_ = text_.line();
    columns_ = edgeColumns(line) - (rows_.leads() ? 1 : 0);
    preamble_.requireEndsFirst(text_, line);
    const bool named = preamble_.names(columns_);
    if (rows_.names(line) || named) further_.named();
    if (header_.empty() && !named) numbered_.first(text_, line, preamble_.none());
    return numbered_.held();
  }
  /// Of a first line that was held back, once all others are read.
  void settleFirst() {
    if (preamble_.promises(first_.edges()))
      numbered_.isEdge();
    else
      numbered_.decide(text_, first_.least(), first_.edges() - 1);
    if (!numbered_.areNames()) return use_(0, 1);
    first_.drop();
    further_.named();
  }
  void remark(EdgeListRest& rest) const {
    auto& remarks = rest.remarks;
    first_.remark(numbers_, !header_.empty(), remarks);
    if (!header_.empty())
      remarks.push_back("the first line is taken for names of columns: " + shown(header_) +
                        (endsTaken(header_).empty() ? "" : "; ") + endsTaken(header_));
    const std::size_t columns = columns_ + (rows_.leads() ? 1 : 0);
    if (const std::size_t names = cellsOf(header_).names.size(); names > columns && !texts_.any())
      remarks.push_back("the first line names " + std::to_string(names) + " columns, and the lines have " +
                        std::to_string(columns));
    if (const std::string two = preamble_.bipartite() ? "" : twoKinds(header_); !two.empty())
      remarks.push_back(two);
    rows_.remark(remarks);
    numbered_.remark(remarks);
    marks_.remark(remarks);
    blocks_.remark(remarks);
    further_.remark(text_, remarks);
    texts_.remark(remarks);
    remarkBlanks(text_.path(), remarks);
    if (columns_ == 2 && header_.empty() && !preamble_.names(columns_))
      remarkDecimals(text_.path(), PairsOf::edges, remarks);
    if (columns_ > 2 && header_.empty())
      remarkMarks(text_.path(), static_cast<Index>(columns_), PairsOf::edges, remarks);
    PromisedCounts& promised = rest.promised;
    promised.takeBare(first_.edges());
    if (promised.edges >= 0 && promised.edges != first_.edges())
      remarks.push_back("line " + std::to_string(promised.edgesAt) + " promises " +
                        std::to_string(promised.edges) + " edges; the file holds " +
                        std::to_string(first_.edges()) + "; see whether it is whole");
  }

  TextFile& text_;
  VertexNumbers& numbers_;
  const UseEdge& use_;
  Preamble preamble_;
  RowNames rows_;
  FurtherColumns further_{/*perhapsLists=*/true};
  FirstEdge first_;
  TextColumns texts_;
  NumberedColumns numbered_;
  BlockMarks marks_;
  CountedBlocks blocks_;
  std::size_t columns_ = 0;           // of the first edge
  std::string header_;                // a first line of names
  Index headerAt_ = 0, firstAt_ = 0;  // the lines of names and of the first edge
};

}  // namespace

bool isEdgeHeader(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.empty()) return false;
  if (line.starts_with("\"\"") || kSeparators.find(line[0]) != std::string_view::npos)
    return namesIndexFirst(line);
  const std::string_view word = line.substr(0, line.find_first_of(kSeparators));
  if (line[0] == '"') return digitsOf(word).empty();
  return std::isalpha(static_cast<unsigned char>(line[0])) || isColumnName(word);
}

bool namesMetis(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.find(".graph") != std::string::npos || name.find(".metis") != std::string::npos;
}

Index EdgeListRest::verticesOfKonect(Index smallest, Index largest) const {
  const bool counted = konect && !bipartite && smallest >= 1 && largest <= promised.vertices;
  return counted ? promised.vertices : -1;
}

bool saysBipartite(const std::filesystem::path& edgeList) {
  Preamble preamble;
  const FileHead head = headWithLines(edgeList);
  Index number = 0;
  for (const std::string_view line : linesOf(head.lines)) {
    if (!isBlankOrComment(line)) break;
    preamble.read(line, ++number);
  }
  return preamble.bipartite();
}

EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use) {
  EdgeLines lines(text, numbers, use);
  std::string_view line;
  while (text.next(line)) lines.take(line);
  return lines.end();
}

}  // namespace halo
