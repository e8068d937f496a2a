// The text form of the JuliaGraphs collection, gzip-compressed in spite of its suffix .jlg:
//
//   vertices,edges,u|d,graph[,…]     u: undirected, each edge once; d: directed
//   u,v                              numbered from 1

#include <algorithm>

#include "datasets/edges/file_head.h"
#include "datasets/edges/numbering.h"
#include "datasets/text/promised.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Of the cells of a line.
bool countsGraph(const std::vector<std::string>& cells) {
  return cells.size() >= 4 && wholeNumbers(cells[0]) && wholeNumbers(cells[1]);
}

/// A collection may be written as one file, a graph behind the other. Lines of edges end in a digit.
void refuseSecondGraph(const TextFile& text, std::string_view line) {
  if (line.back() >= '0' && line.back() <= '9') return;
  const auto cells = csvCells(line);
  if (countsGraph(cells) && (cells[2] == "u" || cells[2] == "d"))
    text.damaged("a second graph begins here, and a set is one graph; keep one a file", line);
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const FileHead head = headWithLines(path, "");
  const auto lines = linesOf(head.lines);
  const auto first = std::find_if_not(lines.begin(), lines.end(), isBlankLine);
  if (first == lines.end()) return false;
  const auto cells = csvCells(*first);
  if (!countsGraph(cells)) return false;
  // by its name a file is meant so: a wrong letter is told as one
  return cells[2] == "u" || cells[2] == "d" || (path.extension() == ".jlg" && !wholeNumbers(cells[2]));
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  std::string_view line;
  do {
    if (!text.next(line)) text.damagedWhole("is empty; vertices,edges,u,graph on the first line");
  } while (isBlankLine(line));
  Fields header(text, line);
  RawDataset raw;
  raw.vertices = header.integer("the number of vertices");
  requireVertexCount(raw.vertices, path, "vertices", text.line());
  const Index edges = header.integer("the number of edges"), edgesAt = text.line();
  if (edges < 0) text.damaged(std::to_string(edges) + " edges cannot be; a number from 0");
  const std::string_view kind = header.word();
  if (kind != "u" && kind != "d")
    text.damaged(shown(kind) + " is no kind of graph; u (undirected) or d (directed)", kind);
  if (!header.more()) text.damaged("the line ends early; vertices,edges,u,graph");
  const bool undirected = kind == "u";  // the word is gone with its line
  raw.everyEdgeOnce = false;
  Promised listed(text, edges, edgesAt);
  reserveArcs(raw, edges, undirected ? 2 : 1, path);
  FurtherColumns further;
  while (text.next(line)) {
    if (isBlankLine(line)) continue;
    refuseSecondGraph(text, line);
    Fields fields(text, line);
    const Arc arc = readArc(text, fields, 1, raw.vertices, further);
    if (!listed.take()) continue;
    raw.arcs.push_back(arc);
    if (undirected && arc.source != arc.target) raw.arcs.push_back({arc.target, arc.source});
  }
  further.remark(text, raw.remarks);
  listed.require();
  raw.vertexOf = countedFromOne(raw.vertices);
  return raw;
}

const Registered<FormatEntry> self{
    {{"jlg", "`n,m,u|d,graph`, then `u,v` on a line, packed (JuliaGraphs collection)", "SNAPDatasets.jl"},
     70,
     recognises,
     read}};

}  // namespace
}  // namespace halo
