// The text form of the JuliaGraphs collection, gzip-compressed in spite of its suffix .jlg:
//
//   vertices,edges,u|d,graph[,…]     u: undirected, each edge once; d: directed
//   u,v                              numbered from 1

#include "datasets/formats/numbering.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const std::string head = headOf(path, 4096);
  const auto lines = linesOf(head);
  if (lines.empty()) return false;
  const auto cells = csvCells(lines[0]);
  return cells.size() >= 4 && wholeNumbers(cells[0]) && wholeNumbers(cells[1]) &&
         (cells[2] == "u" || cells[2] == "d");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  std::string_view line;
  if (!text.next(line)) text.damagedWhole("is empty; vertices,edges,u,graph on the first line");
  Fields header(text, line);
  RawDataset raw;
  raw.vertices = header.integer("the number of vertices");
  requireVertexCount(raw.vertices, path);
  const Index edges = header.integer("the number of edges");
  const std::string_view kind = header.word();
  if (kind != "u" && kind != "d")
    text.damaged(shown(kind) + " is no kind of graph; u (undirected) or d (directed)", kind);
  FurtherColumns further;
  while (text.next(line)) {
    if (line.empty()) continue;
    Fields fields(text, line);
    raw.arcs.push_back(readArc(text, fields, 1, raw.vertices, further));
  }
  further.remark(raw);
  if (std::cmp_not_equal(raw.arcs.size(), edges))
    text.damagedWhole("holds " + std::to_string(raw.arcs.size()) + " edges; its first line promises " +
                      std::to_string(edges));
  return raw;
}

const Registered<FormatEntry> self{
    {{"jlg", "`n,m,u|d,graph`, then `u,v` on a line, packed (JuliaGraphs collection)", "SNAPDatasets.jl"},
     70,
     recognises,
     read}};

}  // namespace
}  // namespace halo
