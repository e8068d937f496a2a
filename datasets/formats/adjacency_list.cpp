// Adjacency lists: `vertex neighbour neighbour …` on a line, in a file with "adj" in its name (DeepWalk,
// OpenNE). Labels are taken from a file beside it whose name says so (bc_adjlist.txt, bc_labels.txt: `vertex
// label …`).

#include <algorithm>

#include "datasets/formats/numbering.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

bool isComment(std::string_view line) { return line.empty() || line[0] == '#' || line[0] == '%'; }

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || path.filename().string().find("adj") == std::string::npos)
    return false;
  const std::string head = headOf(path);
  const auto lines = linesOf(head);
  const auto first = std::find_if_not(lines.begin(), lines.end(), isComment);
  return first != lines.end() &&
         (wholeNumbers(*first) || (lines.size() == 1 && wholeNumbers(first->substr(0, first->rfind(' ')))));
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  std::vector<Index> numbers, heads;  // pairs; the vertices whose lists they are, also empty ones
  std::string_view line;
  while (text.next(line)) {
    if (isComment(line)) continue;
    Fields fields(text, line);
    if (!fields.more()) continue;
    const auto number = [&] {
      const Index value = fields.integer("a vertex number from 0");
      if (value < 0) text.damaged("vertex " + std::to_string(value) + " cannot be; a vertex number from 0");
      return value;
    };
    heads.push_back(number());
    while (fields.more()) {
      numbers.push_back(heads.back());
      numbers.push_back(number());
    }
  }
  if (heads.empty()) text.damagedWhole("holds no vertices; `vertex neighbour neighbour …` on a line");
  const std::size_t pairs = numbers.size() / 2;
  numbers.insert(numbers.end(), heads.begin(), heads.end());
  RawDataset raw;
  const Numbering numbering(numbers, path, raw.remarks);
  raw.vertices = numbering.vertices();
  raw.everyEdgeOnce = false;
  for (std::size_t i = 0; i < pairs; ++i)
    raw.arcs.push_back({numbering.vertex(numbers[2 * i]), numbering.vertex(numbers[2 * i + 1])});
  if (const auto labels = labelsBeside(path); !labels.empty()) readLabelLists(labels, numbering, raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"adjacency-list", "`vertex neighbour neighbour …` on a line (DeepWalk)", "Perozzi et al. 2014"},
     60,
     recognises,
     read}};

}  // namespace
}  // namespace halo
