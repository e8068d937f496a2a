// PACE and DIMACS graphs, plain or packed:
//
//   c comment
//   p tw VERTICES EDGES       the word after p names the problem and is not looked at
//   u v                       or `e u v` (an edge), `a u v w` (an arc); numbered from 1

#include "datasets/formats/numbering.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

bool isComment(std::string_view line) { return line.empty() || line == "c" || line.starts_with("c "); }

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const std::string head = headOf(path);
  for (const std::string_view line : linesOf(head)) {
    if (isComment(line)) continue;
    const std::size_t numbers = line.find(' ', 2);
    return line.starts_with("p ") && numbers != std::string_view::npos && wholeNumbers(line.substr(numbers));
  }
  return false;
}

/// The numbers of the line `p tw VERTICES EDGES`; returns the edges.
Index readProblem(TextFile& text, RawDataset& raw) {
  std::string_view line;
  while (text.next(line)) {
    if (isComment(line)) continue;
    Fields fields(text, line);
    if (fields.word() != "p") break;
    fields.word();
    raw.vertices = fields.integer("the number of vertices");
    requireVertexCount(raw.vertices, text.path());
    return fields.integer("the number of edges");
  }
  text.damaged("a line `p tw VERTICES EDGES` has to come first");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  RawDataset raw;
  const Index edges = readProblem(text, raw);
  FurtherColumns further;
  std::string_view line;
  while (text.next(line)) {
    if (isComment(line)) continue;
    if (line.starts_with("e ") || line.starts_with("a ")) {
      raw.everyEdgeOnce = line[0] == 'e';
      line.remove_prefix(2);
    }
    Fields fields(text, line);
    raw.arcs.push_back(readArc(text, fields, 1, raw.vertices, further));
  }
  further.remark(raw);
  if (std::cmp_not_equal(raw.arcs.size(), edges))
    text.damagedWhole("holds " + std::to_string(raw.arcs.size()) + " edges; its line `p` promises " +
                      std::to_string(edges));
  return raw;
}

const Registered<FormatEntry> self{
    {{"pace", "PACE or DIMACS graph: `p tw n m`, then `u v` on a line (.gr, .gr.xz)", "pacechallenge.org"},
     65,
     recognises,
     read}};

}  // namespace
}  // namespace halo
