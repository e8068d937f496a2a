// A file format in one file: CONTRIBUTING.md, "Add a format". Compiled by the suite and linked nowhere.
//
//   toy VERTICES          the sign of the format
//   u v                   an edge, numbered from 0; each edge stands once
#include "datasets/edges/file_head.h"
#include "datasets/edges/numbering.h"

namespace halo {
namespace {

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const FileHead head = headWithLines(path, "");
  const auto lines = linesOf(head.lines);
  return !lines.empty() && lines.front().substr(0, 4) == "toy ";
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  std::string_view line;
  if (!text.next(line)) text.damagedWhole("is empty; `toy VERTICES` on the first line");
  Fields header(text, line, Layout::list);
  header.word();
  RawDataset raw;
  raw.vertices = header.integer("the number of vertices");
  requireVertexCount(raw.vertices, path, "vertices", text.line());
  FurtherColumns further;
  while (text.next(line)) {
    if (isBlankLine(line)) continue;
    Fields fields(text, line, Layout::list);
    raw.arcs.push_back(readArc(text, fields, 0, raw.vertices, further));
  }
  further.remark(text, raw.remarks);
  return raw;
}

const Registered<FormatEntry> self{
    {{"toy", "`toy n`, then `u v` on a line", "none: an example"}, 99, recognises, read}};

}  // namespace
}  // namespace halo
