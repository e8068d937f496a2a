#include "datasets/formats/edges.h"

#include <cctype>
#include <string>
#include <utility>

#include "datasets/columns.h"
#include "datasets/formats/line_shapes.h"
#include "datasets/formats/numbering.h"
#include "engine/base/problem.h"

namespace halo {

namespace {

constexpr std::string_view kSeparators = " \t,;";

std::size_t columnsIn(std::string_view line) {
  std::size_t columns = 0;
  for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos; ++columns)
    i = line.find_first_not_of(kSeparators, std::min(line.find_first_of(kSeparators, i), line.size()));
  return columns;
}

/// What comments before the edges say of them.
class Preamble {
 public:
  /// `text` has just given the comment in `line`.
  void read(const TextFile& text, std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) return;
    readKonect(line);
    last_ = line.substr(std::min(line.find_first_not_of("#% \t"), line.size()));
    lastAt_ = text.line();
    ++comments_;
  }
  /// numpy and others write the names of columns as a comment above them. `line`: of the first edge.
  void requireEndsFirst(const TextFile& text, std::string_view line) const {
    if (namesEndsElsewhere(last_, columnsIn(line)))
      throw DamagedInput({text.path().string(), lastAt_, 0, "",
                          "the names " + shown(last_) +
                              " are in another order than edges are read in; the first two columns are the "
                              "source and the target of an edge"});
  }
  bool undirected() const { return undirected_; }
  bool bipartite() const { return bipartite_; }
  Index firstSide() const { return firstSide_; }

 private:
  /// `% bip weighted` or `% sym …`, then `% EDGES FIRST SECOND`.
  void readKonect(std::string_view line) {
    if (line[0] != '%') return;
    const std::string_view said = line.substr(std::min(line.find_first_not_of(kSeparators, 1), line.size()));
    const std::string_view kind = comments_ == 0 ? firstWord(said) : std::string_view();
    undirected_ |= kind == "sym";
    if (kind == "bip") {
      bipartite_ = true;
    } else if (comments_ == 1 && bipartite_) {
      const auto sizes = wholeNumbers(said);
      if (sizes && sizes->size() == 3) firstSide_ = (*sizes)[1];
    }
  }

  std::string last_;
  Index lastAt_ = 0, firstSide_ = 0;
  int comments_ = 0;
  bool undirected_ = false, bipartite_ = false;
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

/// All vertices that there are, and a number too large for one of them.
bool FirstEdge::countsVertices() const {
  return (most_ == source_ - 1 || (least_ == 1 && most_ == source_)) &&
         (target_ > most_ || target_ == source_);
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
    remarks.push_back(
        "the first line is taken for names of columns: " + shown(header) +
        (columns > 2 && !namesEndsFirst(header) ? "; the first two are read as the ends of an edge" : ""));
  if (furtherColumns) remarks.emplace_back(FurtherColumns::kUnused);
}

EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use) {
  EdgeListRest rest;
  FurtherColumns further;
  Preamble preamble;
  std::string_view line;
  while (text.next(line)) {
    if (isBlankOrComment(line)) {
      if (rest.columns == 0) preamble.read(text, line);
      continue;
    }
    if (rest.columns == 0 && rest.header.empty() && isEdgeHeader(line)) {
      requireEndsFirst(text, line);
      rest.header = line;
      continue;
    }
    Fields fields(text, line);
    if (!fields.more()) continue;
    const Index source = numbers.next(text, fields), target = numbers.next(text, fields);
    rest.first.pass(source, target, fields.more());
    use(source, target);
    if (rest.columns == 0) {
      rest.columns = columnsIn(line);
      preamble.requireEndsFirst(text, line);
    }
    further.skip(fields);
  }
  if (rest.columns == 0) text.damagedWhole("holds no edges; `u v` on a line");
  rest.furtherColumns = further.any();
  rest.undirected = preamble.undirected();
  rest.bipartite = preamble.bipartite();
  rest.firstSide = preamble.firstSide();
  return rest;
}

}  // namespace halo
