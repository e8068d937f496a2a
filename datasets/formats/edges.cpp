#include "datasets/formats/edges.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "datasets/columns.h"
#include "datasets/formats/line_shapes.h"
#include "datasets/formats/numbered_columns.h"
#include "datasets/formats/numbering.h"
#include "datasets/formats/row_names.h"
#include "engine/base/problem.h"

namespace halo {

namespace {

constexpr std::string_view kSeparators = " \t,;";

/// The whole number behind `name` and perhaps blanks; −1: there is none.
Index countAfter(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return -1;
  line.remove_prefix(at + name.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  Index count = -1;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
  const std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
  const bool whole = rest.empty() || isBlank(rest[0]) || rest == "," || rest.starts_with(", ");
  return error == std::errc() && whole ? count : -1;
}

/// What comments before the edges say of them.
class Preamble {
 public:
  /// `text` has just given the comment in `line`.
  void read(const TextFile& text, std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) return;
    readKonect(text, line);
    readSnap(text, line);
    last_ = line.substr(std::min(line.find_first_not_of("#% \t"), line.size()));
    lastAt_ = text.line();
    ++comments_;
  }
  /// numpy and others write the names of columns as a comment above them. `line`: of the first edge.
  void requireEndsFirst(const TextFile& text, std::string_view line) const {
    if (namesEndsElsewhere(last_, edgeColumns(line)))
      throw DamagedInput({text.path().string(), lastAt_, 0, "",
                          "the names " + shown(last_) +
                              " are in another order than edges are read in; the first two columns are the "
                              "source and the target of an edge"});
  }
  /// Whether they say that the ends stand first, of as many `columns`.
  bool names(std::size_t columns) const { return edgeColumns(last_) == columns && namesEndsFirst(last_); }
  bool none() const { return comments_ == 0; }
  bool promises(Index edges) const { return promised_.edges == edges; }
  /// A vertex beyond its side, on the line of this edge, is refused.
  void requireOnSides(const TextFile& text, Index source, Index target) const {
    if (source > mostFirst_) refuseBeyond(text, source, "first", promised_.firstSide);
    if (target > mostSecond_) refuseBeyond(text, target, "second", promised_.secondSide);
  }
  void tell(EdgeListRest& rest) const {
    rest.undirected = undirected_;
    rest.bipartite = bipartite_;
    rest.promised = promised_;
  }

 private:
  static constexpr Index kAny = std::numeric_limits<Index>::max();

  /// `% bip weighted`, `% sym …` or `% asym …`, then `% EDGES FIRST SECOND`.
  void readKonect(const TextFile& text, std::string_view line) {
    if (line[0] != '%') return;
    const std::string_view said = line.substr(std::min(line.find_first_not_of(kSeparators, 1), line.size()));
    if (comments_ == 0) {
      const std::string_view kind = firstWord(said);
      undirected_ = kind == "sym";
      bipartite_ = kind == "bip";
      konect_ = undirected_ || bipartite_ || kind == "asym";
    } else if (comments_ == 1 && konect_) {
      const auto counts = wholeNumbers(said);
      if (counts && counts->size() == 3)
        readKonectCounts((*counts)[0], (*counts)[1], (*counts)[2], text.line());
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
  /// `# Nodes: 4 Edges: 9`, as SNAP has it.
  void readSnap(const TextFile& text, std::string_view line) {
    if (const Index nodes = countAfter(line, "Nodes:"); nodes >= 0) {
      promised_.vertices = nodes;
      promised_.verticesAt = text.line();
    }
    if (const Index edges = countAfter(line, "Edges:"); edges >= 0) {
      promised_.edges = edges;
      promised_.edgesAt = text.line();
    }
  }
  [[noreturn]] void refuseBeyond(const TextFile& text, Index vertex, const char* column, Index size) const {
    text.damaged("vertex " + std::to_string(vertex) + " of the " + column + " column does not exist; line " +
                 std::to_string(promised_.sidesAt) + " promises " + std::to_string(size) + " of them");
  }

  std::string last_;
  Index lastAt_ = 0;
  int comments_ = 0;
  bool konect_ = false, undirected_ = false, bipartite_ = false;
  PromisedCounts promised_;
  Index mostFirst_ = kAny, mostSecond_ = kAny;
};

}  // namespace

bool isEdgeHeader(std::string_view line) {
  if (line.starts_with('"')) return digitsOf(line.substr(0, line.find_first_of(kSeparators))).empty();
  return !line.empty() && (std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '_');
}

/// As exactly as counts are written: of lines with an edge each or two of them, or with their own line.
bool FirstEdge::counts(Index vertices, Index edges) const {
  const Index listed = edges_ - 1;
  return edges > 0 && (most_ < vertices || (least_ == 1 && most_ == vertices)) &&
         (edges == listed || edges == listed + 1 || edges == 2 * listed || 2 * edges == listed);
}

/// All vertices that there are, and a number too large for one of them, or any other in a list that neither
/// lacks the first vertices nor begins with its largest ones because it descends.
bool FirstEdge::countsVertices() const {
  if (most_ != source_ - 1 && (least_ != 1 || most_ != source_)) return false;
  const bool descends = next_ == source_ || next_ == source_ - 1;
  return target_ > most_ || target_ == source_ || (least_ <= 1 && !descends && edges_ > 3);
}

void FirstEdge::remark(const VertexNumbers& numbers, std::vector<std::string>& remarks) const {
  if (edges_ < 2 || least_ < 0 || source_ < 0 || target_ < 0) return;
  const bool square = source_ == target_ && source_ > most_;  // rows and columns of a matrix
  const bool forward = counts(source_, target_) || countsVertices() || square;
  if (!forward && !counts(target_, source_)) return;
  const bool fits = target_ == edges_ - 1 && !wide_;
  remarks.push_back(
      "the first edge (" + numbers.text(source_) + " " + numbers.text(target_) + ") looks like counts of " +
      (forward ? "vertices and edges" : "edges and vertices") + "; if it is, take its line out" +
      (forward && fits ? std::string(" or choose dataset.format = \"") + kCountedEdgeListFormat + "\"" : ""));
}

void EdgeListRest::remark(const VertexNumbers& numbers, std::vector<std::string>& remarks) const {
  first.remark(numbers, remarks);
  if (!header.empty())
    remarks.push_back("the first line is taken for names of columns: " + shown(header) +
                      (endsTaken(header).empty() ? "" : "; ") + endsTaken(header));
  remarks.insert(remarks.end(), ofColumns.begin(), ofColumns.end());
  if (promised.edges >= 0 && promised.edges != first.edges())
    remarks.push_back("line " + std::to_string(promised.edgesAt) + " promises " +
                      std::to_string(promised.edges) + " edges; the file holds " +
                      std::to_string(first.edges()) + "; see whether it is whole");
}

void EdgeListRest::remarkVertices(Index vertices, Index occurring, std::vector<std::string>& remarks) const {
  const Index said = promised.vertices;
  if (said < 0 || said == vertices || said == occurring) return;
  remarks.push_back("line " + std::to_string(promised.verticesAt) + " promises " + std::to_string(said) +
                    " vertices; the edges make " + std::to_string(vertices) +
                    (said > vertices ? "; vertices without edges are left out" : ""));
}

namespace {

using UseEdge = std::function<void(Index source, Index target)>;

/// Of a first line that was held back, once all others are read.
void settleFirst(const TextFile& text, const Preamble& preamble, NumberedColumns& numbered,
                 FurtherColumns& further, EdgeListRest& rest, const UseEdge& use) {
  if (preamble.promises(rest.first.edges()))
    numbered.isEdge();
  else
    numbered.decide(text, rest.first.least(), rest.first.edges() - 1);
  if (numbered.areNames()) {
    rest.first.drop();
    further.named();
  } else {
    use(0, 1);
  }
  numbered.remark(rest.ofColumns);
}

}  // namespace

EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use) {
  EdgeListRest rest;
  FurtherColumns further;
  RowNames rows;
  Preamble preamble;
  NumberedColumns numbered;
  std::string_view line;
  while (text.next(line)) {
    if (isBlankOrComment(line)) {
      if (rest.columns == 0) preamble.read(text, line);
      continue;
    }
    if (rest.columns == 0 && rest.header.empty() && isEdgeHeader(line)) {
      requireNamesAlone(text, line, "a vertex number from 0");
      requireEndsFirst(text, line);
      rows.above(text, line);
      rest.header = line;
      continue;
    }
    Fields fields(text, line);
    if (!fields.more()) continue;
    rows.skip(text, line, fields);
    const Index source = numbers.next(text, fields), target = numbers.next(text, fields);
    preamble.requireOnSides(text, source, target);
    rest.first.pass(source, target, fields.more());
    if (rest.columns == 0) {
      rest.columns = edgeColumns(line) - (rows.leads() ? 1 : 0);
      preamble.requireEndsFirst(text, line);
      if (rows.names(line) || preamble.names(rest.columns)) further.named();
      if (rest.header.empty() && !preamble.names(rest.columns)) numbered.first(text, line, preamble.none());
      if (!numbered.held()) use(source, target);
    } else {
      use(source, target);
    }
    further.skip(fields, source);
  }
  if (rest.columns == 0) text.damagedWhole("holds no edges; `u v` on a line");
  rows.remark(rest.ofColumns);
  if (numbered.held()) settleFirst(text, preamble, numbered, further, rest, use);
  further.remark(text, rest.ofColumns);
  preamble.tell(rest);
  return rest;
}

}  // namespace halo
