// Edge list: `u v` on a line, as the SNAP collection and many others publish graphs, packed or plain.
//
//   # comment, also with %          blanks, tabs or commas between the numbers; LF or CRLF
//   0<TAB>1                         further columns (weights, times) are numbers, texts only below names;
//   unused,
//                                   which is remarked; so is {…} of networkx
//
// A first line of column names is skipped. Numbers may have any length. Labels are taken from a file beside
// it whose name says so (graph.txt.gz, graph-labels.txt: `vertex label …`).

#include <algorithm>
#include <limits>
#include <span>

#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/line_shapes.h"
#include "datasets/edges/numbering.h"
#include "datasets/edges/row_names.h"
#include "datasets/text/columns.h"
#include "datasets/text/edge_ends.h"
#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Two to `most` fields, the first two whole numbers: an edge, with or without weight and time.
bool isEdge(std::string_view line, std::size_t most) {
  constexpr std::string_view kSeparators = " \t,;";
  if (line.ends_with('}'))
    line = line.substr(0, line.find('{'));  // as networkx writes what it knows of an edge
  std::size_t fields = 0;
  for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos;
       i = line.find_first_not_of(kSeparators, i)) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, i), line.size());
    const std::string_view word = line.substr(i, end - i);
    if (++fields <= 2 && digitsOf(word).empty() && !wholeNumbers(word)) return false;
    i = end;
  }
  return fields >= 2 && fields <= most;
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || namesLabels(path)) return false;
  const FileHead head = headWithLines(path);
  constexpr std::size_t kMost = 4;  // with a weight and a time
  bool first = true;
  std::size_t most = kMost;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    const bool names = first && isEdgeHeader(line);
    if (!names) return isEdge(line, most);
    first = false;
    most = namesIndexFirst(line) ? kMost + 1 : kMost;
    if (namesEndsFirst(line) && edgeColumns(line) > 2) most = std::numeric_limits<std::size_t>::max();
  }
  return false;
}

/// Its names are those of vertices and what belongs to them, as in a table beside the edges.
bool holdsNoGraph(const std::filesystem::path& path) {
  const FileHead head = headWithLines(path);
  const auto lines = linesOf(head.lines);
  const auto first =
      std::ranges::find_if_not(lines, [](std::string_view line) { return isBlankOrComment(line); });
  return first != lines.end() && isEdgeHeader(*first) && namesNoEnds(*first);
}

std::string doubt(const std::filesystem::path& path) {
  const LineShapes shapes(path);
  if (shapes.fitsListsByLine())
    return "its lines fit lists of the neighbours of the vertex with the number of the line, all of which "
           "list each other; if they are that, write the vertex first on every line and choose "
           "dataset.format = \"adjacency-list\"";
  if (const std::string dense = shapes.denseDoubt(); !dense.empty()) return dense;
  if (const std::string name = path.filename().string();
      name.ends_with(".hgr") || name.find(".hgr.") != std::string::npos)
    return "its name says a hypergraph (hMETIS), which is not read; taken as edge-list, because every line "
           "has the columns of an edge: no line may be a hyperedge, nor hold counts or weights first";
  if (namesMetis(path)) return "its name says metis, but " + shapes.unlikeMetis() + "; taken as edge-list";
  if (const std::string degrees = shapes.degreeDoubt(kEdgeListFormat); !degrees.empty()) return degrees;
  if (shapes.fitsPaddedLists())
    return "its lines fit lists of neighbours that -1 pads as well; taken as edge-list, because every line "
           "has the columns of an edge with weights; if they are lists, take -1 out of every line and choose "
           "dataset.format = \"adjacency-list\"";
  return shapes.doubt(kEdgeListFormat, "every line has the columns of an edge with weights");
}

/// Moves the numbers of the second column behind those of the first. Returns the largest of all vertices
/// where the file says how many there are; −1: it does not.
Index separateSides(const TextFile& text, const EdgeListRest& rest, std::span<Index> numbers,
                    std::vector<std::string>& remarks) {
  constexpr Index kMost = std::numeric_limits<Vertex>::max();
  Index least = kMost, first = 0, second = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    least = std::min(least, numbers[i]);
    Index& most = i % 2 == 0 ? first : second;
    most = std::max(most, numbers[i]);
  }
  const Index zero = least == 0 ? 1 : 0;
  const auto& [firstSide, secondSide] = std::pair(rest.promised.firstSide, rest.promised.secondSide);
  const bool counts = least >= 0 && std::max({firstSide, secondSide, first, second}) <= kMost;
  const Index side = counts ? std::max(firstSide, first + zero) : kMost;
  if (!counts || side > kMost || std::max(secondSide + 1 - zero, second + 1) > kMost - side)
    text.damagedWhole("is bipartite (bip) and numbers its vertices beyond " + std::to_string(kMost));
  if (firstSide >= 0 && (side > firstSide || second + zero > secondSide))
    text.damagedWhole("numbers its vertices from 0 and more of them than line " +
                      std::to_string(rest.promised.sidesAt) + " promises");
  for (std::size_t i = 1; i < numbers.size(); i += 2) numbers[i] += side;
  remarks.push_back("its first line says that the graph is bipartite (bip): the " + std::to_string(side) +
                    " vertices of the first column come first, those of the second after them");
  return firstSide >= 0 ? side + secondSide - zero : -1;
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  VertexNumbers written;
  Growing<Index> numbers;  // u v u v …
  const EdgeListRest rest = eachEdge(text, written, [&](Index source, Index target) {
    numbers.push_back(source);
    numbers.push_back(target);
  });
  RawDataset raw;
  raw.undirected = rest.undirected;
  raw.remarks = rest.remarks;
  const auto [least, most] = std::ranges::minmax(numbers);
  const Index largest =
      rest.bipartite ? separateSides(text, rest, numbers, raw.remarks) : rest.verticesOfKonect(least, most);
  FileNumbering numbering(numbers, written.names(),
                          largest >= 0 ? AbsentNumbers::promised : AbsentNumbers::isolated, path, raw.remarks,
                          largest);
  raw.vertices = numbering.vertices();
  rest.promised.remarkVertices(raw.vertices, numbering.occurring(), "edges", raw.remarks);
  text.requireBeside(numbers.size() / 2 * sizeof(Arc));
  raw.arcs.resize(numbers.size() / 2);
  for (std::size_t i = 0; i < raw.arcs.size(); ++i)
    raw.arcs[i] = {numbering.vertex(numbers[2 * i]), numbering.vertex(numbers[2 * i + 1])};
  raw.vertexOf = vertexOf(std::move(numbering));
  return raw;
}

const Registered<FormatEntry> self{
    {{kEdgeListFormat, "`u v` on a line, plain or packed (SNAP, KONECT, CSV)", "snap.stanford.edu"},
     100,
     recognises,
     read,
     nullptr,
     doubt,
     nullptr,
     nullptr,
     true,
     true,
     holdsNoGraph}};

}  // namespace
}  // namespace halo
