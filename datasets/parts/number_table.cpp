#include <array>
#include <cstdio>

#include "datasets/parts/table.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {

std::string numeral(double value, int digitsAtMost) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.*g", digitsAtMost, value);
  return digits.data();
}

std::string NumberTable::vertexWord(Index row, Index col) const {
  if (const auto entry = wide.find(row); entry != wide.end()) return entry->second;
  const double value = (*this)(row, col);
  const Index number = wholeNumberOf(value);
  return number >= 0 ? std::to_string(number) : numeral(value);
}

void NumberTable::damaged(Index row, Index col, const std::string& message) const {
  const Index line = lines.empty() ? 0 : lines[at(row)];
  // of a text as every message counts its columns, of an array as Python does
  const std::string place = line == 0
                                ? "row " + std::to_string(row) + ", column " + std::to_string(col) + ": "
                            : cols > 1 ? "column " + std::to_string(col + 1) + ": "
                                       : "";
  throw DamagedInput({.file = file.string(), .line = line, .message = place + message});
}

std::vector<Index> verticesOf(const NumberTable& table, Index column, const GraphVertices& graph,
                              std::vector<std::string>& remarks) {
  VertexWords words{{}, [&](Index row) { return table.vertexWord(row, column); }};
  for (Index r = 0; r < table.rows; ++r) words.numbers.push_back(wholeNumberOf(table(r, column)));
  for (const auto& [row, word] : table.wide) words.numbers[at(row)] = wholeNumberOf(word);
  const auto vertices = verticesNamed(graph, words, RowCounts::may, table.file.filename().string(), remarks);
  std::vector<Index> rowOf(at(graph.count), -1);
  for (Index r = 0; r < table.rows; ++r) {
    const Index vertex = vertices[at(r)];
    if (vertex < 0) table.damaged(r, column, words.wordAt(r) + graph.unknown());
    Index& row = rowOf[at(vertex)];
    if (row >= 0)
      table.damaged(r, column,
                    "vertex " + words.wordAt(r) + " was in " +
                        (table.lines.empty() ? "row " + std::to_string(row)
                                             : "line " + std::to_string(table.lines[at(row)])) +
                        " already; a row a vertex");
    row = r;
  }
  return vertices;
}

}  // namespace halo
