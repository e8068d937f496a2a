// Edge list: `u v` on a line, as the SNAP collection and many others publish graphs, packed or plain.
//
//   # comment, also with %          blanks, tabs or commas between the numbers; LF or CRLF
//   0<TAB>1                         further columns (weights, times) must be numbers; they are not used,
//   which is
//                                   remarked
//
// A first line of column names is skipped. Numbers may have any length. Labels are taken from a file beside
// it whose name says so (graph.txt.gz, graph-labels.txt: `vertex label …`).

#include <algorithm>

#include "datasets/formats/edges.h"
#include "datasets/formats/line_shapes.h"
#include "datasets/formats/numbering.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Two to four fields, the first two whole numbers: an edge, with or without weight and time.
bool isEdge(std::string_view line) {
  constexpr std::string_view kSeparators = " \t,;";
  std::size_t fields = 0;
  for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos;
       i = line.find_first_not_of(kSeparators, i)) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, i), line.size());
    const std::string_view word = line.substr(i, end - i);
    if (++fields <= 2 && digitsOf(word).empty() && !wholeNumbers(word)) return false;
    i = end;
  }
  return fields >= 2 && fields <= 4;
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || namesLabels(path)) return false;
  const FileHead head = headWithLines(path);
  bool first = true;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    if (isEdge(line)) return true;
    if (!first || !isEdgeHeader(line)) return false;
    first = false;
  }
  return false;
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  VertexNumbers written;
  std::vector<Index> numbers;  // u v u v …
  FirstEdge first;
  const EdgeListRest rest = eachEdge(text, written, [&](Index source, Index target) {
    first.pass(source, target);
    numbers.push_back(source);
    numbers.push_back(target);
  });
  RawDataset raw;
  first.remark(written, raw.remarks);
  const Numbering numbering(numbers, written.names(), AbsentNumbers::isolated, path, raw.remarks);
  raw.vertices = numbering.vertices();
  raw.arcs.resize(numbers.size() / 2);
  for (std::size_t i = 0; i < raw.arcs.size(); ++i)
    raw.arcs[i] = {numbering.vertex(numbers[2 * i]), numbering.vertex(numbers[2 * i + 1])};
  rest.remark(raw.remarks);
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
