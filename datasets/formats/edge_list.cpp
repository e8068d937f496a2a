// Edge list: `u v` on a line, as the SNAP collection and many others publish graphs, packed or plain.
//
//   # comment, also with %          blanks, tabs or commas between the numbers; LF or CRLF
//   0<TAB>1                         further columns (weights, times) must be numbers; they are not used,
//   which is
//                                   remarked
//
// A first line of column names is skipped. Labels are taken from a file beside it whose name says so
// (graph.txt.gz, graph-labels.txt: `vertex label …`).

#include "datasets/formats/edges.h"
#include "datasets/formats/numbering.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Two to four fields, the first two whole numbers: an edge, with or without weight and time.
bool isEdge(std::string_view line) {
  std::size_t fields = 0, position = 0;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t start = line.find_first_not_of(" \t,;", i);
    if (start == std::string_view::npos) break;
    i = std::min(line.find_first_of(" \t,;", start), line.size());
    if (++fields == 2) position = i;
  }
  return fields >= 2 && fields <= 4 && wholeNumbers(line.substr(0, position));
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || namesLabels(path)) return false;
  const std::string head = headOf(path);
  bool first = true;
  for (const std::string_view line : linesOf(head)) {
    if (isEdgeComment(line)) continue;
    if (isEdge(line)) return true;
    if (!first || !isEdgeHeader(line)) return false;
    first = false;
  }
  return false;
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  std::vector<Index> numbers;  // u v u v …
  const bool further = eachEdge(text, [&](Index source, Index target) {
    numbers.push_back(source);
    numbers.push_back(target);
  });
  RawDataset raw;
  const Numbering numbering(numbers, path, raw.remarks);
  raw.vertices = numbering.vertices();
  raw.arcs.resize(numbers.size() / 2);
  for (std::size_t i = 0; i < raw.arcs.size(); ++i)
    raw.arcs[i] = {numbering.vertex(numbers[2 * i]), numbering.vertex(numbers[2 * i + 1])};
  if (further) raw.remarks.push_back(FurtherColumns::kUnused);
  if (const auto labels = labelsBeside(path); !labels.empty()) readLabelLists(labels, numbering, raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{kEdgeListFormat, "`u v` on a line, plain or packed (SNAP, KONECT, CSV)", "snap.stanford.edu"},
     100,
     recognises,
     read}};

}  // namespace
}  // namespace halo
