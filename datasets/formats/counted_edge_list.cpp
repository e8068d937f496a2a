// Edge list with its counts on the first line, plain or packed:
//
//   VERTICES EDGES            or ROWS COLUMNS ENTRIES, as a MatrixMarket file without its banner
//   u v                       numbered from 0 or from 1; further columns must be numbers and are not used
//
// Comments begin with # or %. Vertices are those that the first line counts, also without edges.

#include <algorithm>

#include "datasets/edges/block_marks.h"
#include "datasets/edges/comment_counts.h"
#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/line_shapes.h"
#include "datasets/edges/numbering.h"
#include "datasets/edges/stated_direction.h"
#include "datasets/text/edge_ends.h"
#include "datasets/text/promised.h"
#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// The comments before the first line, as far as they tell what it is.
class CommentsAbove {
 public:
  void read(std::string_view line, Index number) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    takeCounts(line, number, promised_);
    direction_.takeComment(line, number);
    if (!line.empty()) namesEnds_ |= namesEndsFirst(namesInComment(line));
  }
  /// Whether they make an edge of a line that counts so many.
  bool contradict(Index edges) const { return promised_.edges >= 0 ? promised_.edges != edges : namesEnds_; }
  bool undirected() const { return direction_.undirected(); }
  void remark(Index edges, std::vector<std::string>& remarks) const {
    direction_.remark(remarks);
    if (promised_.edges >= 0 && promised_.edges != edges)
      remarks.push_back("line " + std::to_string(promised_.edgesAt) + " promises " +
                        std::to_string(promised_.edges) + " edges; the line of counts says " +
                        std::to_string(edges));
  }

 private:
  PromisedCounts promised_;
  StatedDirection direction_;
  bool namesEnds_ = false;
};

/// Whether comments say that the first line is an edge, as SNAP has them: its counts are others.
bool firstIsEdge(const std::filesystem::path& path) {
  CommentsAbove comments;
  const FileHead head = headWithLines(path);
  Index number = 0;
  for (const std::string_view line : linesOf(head.lines)) {
    ++number;
    if (isBlankOrComment(line)) {
      comments.read(line, number);
      continue;
    }
    const auto counts = wholeNumbers(line);
    return counts && !counts->empty() && comments.contradict(counts->back());
  }
  return false;
}

bool recognises(const std::filesystem::path& path) {
  return std::filesystem::is_regular_file(path) && !namesLabels(path) &&
         LineShapes(path).fitsCountedEdges() && !firstIsEdge(path);
}

std::string doubt(const std::filesystem::path& path) {
  const LineShapes shapes(path);
  if (const std::string degrees = shapes.degreeDoubt(kCountedEdgeListFormat); !degrees.empty())
    return degrees;
  return shapes.doubt(kCountedEdgeListFormat, "the first line counts the lines after it");
}

/// The next line that is neither empty nor a comment.
bool nextLine(TextFile& text, BlockMarks& marks, std::string_view& line, CommentsAbove* comments = nullptr) {
  while (text.next(line)) {
    if (!isBlankOrComment(line)) {
      marks.requireNone(text);
      return true;
    }
    marks.pass(text, line);
    if (comments != nullptr) comments->read(line, text.line());
  }
  return false;
}

/// For a first line with one number. algs4 writes both counts below each other, OpenKE that of edges alone.
[[noreturn]] void refuseOneCount(TextFile& text, BlockMarks& marks) {
  const Index at = text.line();
  std::string_view line;
  const bool two = nextLine(text, marks, line) && wholeNumbers(line) && wholeNumbers(line)->size() == 1;
  text.damagedAt(at, two ? "one number, and one on line " + std::to_string(text.line()) +
                               "; where they are `VERTICES EDGES`, write both on one line"
                         : "one number; `VERTICES EDGES`, or where it counts the edges no such line");
}

/// Returns the number of edges; sets that of vertices.
Index readCounts(TextFile& text, BlockMarks& marks, RawDataset& raw, CommentsAbove& comments) {
  std::string_view line;
  if (!nextLine(text, marks, line, &comments))
    text.damagedWhole("is empty; `VERTICES EDGES` on the first line");
  Fields counts(text, line);
  raw.vertices = counts.integer("the number of vertices");
  if (!counts.more()) refuseOneCount(text, marks);
  Index edges = counts.integer("the number of edges");
  if (counts.more()) {
    const Index columns = edges;
    edges = counts.integer("the number of entries");
    if (columns != raw.vertices)
      text.damaged("a matrix of " + std::to_string(raw.vertices) + " × " + std::to_string(columns) +
                   " is no graph; as many columns as rows");
  }
  requireEnd(text, counts, "`VERTICES EDGES` or `ROWS COLUMNS ENTRIES`");
  if (edges < 0) text.damaged(std::to_string(edges) + " edges cannot be; a number from 0");
  requireVertexCount(raw.vertices, text.path(), "vertices", text.line());
  return edges;
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  if (const std::string dense = LineShapes(path).denseBelowCounts(); !dense.empty()) text.damagedWhole(dense);
  RawDataset raw;
  BlockMarks marks;
  CommentsAbove comments;
  const Index edges = readCounts(text, marks, raw, comments), countsAt = text.line();
  Promised listed(text, edges, countsAt);
  listed.hint(std::string("; if this line is an edge, dataset.format = \"") + kEdgeListFormat + "\"");
  FurtherColumns further(/*perhapsLists=*/true);
  bool fromZero = false;
  Index atEnd = 0;  // the line on which the number of vertices stands as a vertex
  std::string_view line;
  while (nextLine(text, marks, line)) {
    Fields fields(text, line);
    const Arc arc = readArc(text, fields, 0, raw.vertices + 1, further);
    fromZero |= arc.source == 0 || arc.target == 0;
    if (arc.source == raw.vertices || arc.target == raw.vertices) atEnd = text.line();
    if (listed.take()) raw.arcs.push_back(arc);
  }
  if (fromZero && atEnd > 0)
    text.damagedAt(atEnd, "vertex " + std::to_string(raw.vertices) + " does not exist; 0 to " +
                              std::to_string(raw.vertices - 1));
  listed.require();
  if (!fromZero) {
    for (Arc& arc : raw.arcs) arc = {arc.source - 1, arc.target - 1};
    raw.vertexOf = countedFromOne(raw.vertices);
    raw.remarks.emplace_back("vertices are numbered from 1 in the file, from 0 here");
  }
  raw.remarks.push_back("the first line is taken for counts: " + std::to_string(raw.vertices) +
                        " vertices, " + std::to_string(edges) + " edges");
  raw.undirected = comments.undirected();
  comments.remark(edges, raw.remarks);
  further.remark(text, raw.remarks);
  marks.remark(raw.remarks);
  return raw;
}

const Registered<FormatEntry> self{
    {{kCountedEdgeListFormat, "`n m`, then m lines `u v`, plain or packed", "various"},
     90,
     recognises,
     read,
     nullptr,
     doubt}};

}  // namespace
}  // namespace halo
