#include "datasets/parts/row_numbering.h"

#include <algorithm>

#include "datasets/text/columns.h"
#include "engine/base/index.h"

namespace halo {

std::optional<Numbered> numbering(const NumberTable& table, const GraphVertices& graph) {
  if (const auto rows = rowNumbers(table.values))
    return Numbered{rows->inOrder, " holds every number from " + std::to_string(rows->first) + " to " +
                                       std::to_string(rows->first + table.rows - 1) + " once"};
  if (!graph.named) return std::nullopt;
  std::vector<double> vertices;
  for (Index r = 0; r < table.rows; ++r) {
    const Index vertex = graph.find(table.vertexWord(r, 0));
    if (vertex < 0) return std::nullopt;
    vertices.push_back(static_cast<double>(vertex));
  }
  const auto rows = rowNumbers(vertices);
  if (!rows || rows->first != 0) return std::nullopt;
  return Numbered{rows->inOrder, " holds every vertex number of the graph's file once"};
}

void remarkDoubled(const NumberTable& table, const std::string& file, std::vector<std::string>& remarks) {
  if (table.rows < kFewByChance) return;
  const double least = *std::min_element(table.values.begin(), table.values.end());
  if (least != 0 && least != 1) return;
  std::vector<Index> rowOf(at(table.rows), -1);
  std::string doubled;
  for (Index r = 0; r < table.rows; ++r) {
    const Index number = wholeNumberOf(table(r, 0));
    const Index place = number < 0 ? -1 : number - static_cast<Index>(least);
    if (place < 0 || place >= table.rows) return;
    Index& above = rowOf[at(place)];
    if (above >= 0 && !doubled.empty()) return;
    if (above >= 0) doubled = std::to_string(number);
    above = r;
  }
  if (!doubled.empty())
    remarks.push_back("the first column of " + file + " is read as a feature; it would number the rows if " +
                      doubled + " did not stand there twice");
}

}  // namespace halo
