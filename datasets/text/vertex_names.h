#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// The vertex that a word names in the file of a graph; −1: none. Empty: vertices are 0 … n−1 there.
using VertexOf = std::function<Index(std::string_view word)>;

/// The vertices of a graph, for files that name them; a number alone: 0 … n−1.
struct GraphVertices {
  GraphVertices(Index vertices, VertexOf vertexOf = {}) : count(vertices), named(std::move(vertexOf)) {}
  Index count;
  VertexOf named;

  /// −1: the word names none.
  Index find(std::string_view word) const;
  /// What is said of a word that names none: " is no vertex; 0 to 4".
  std::string unknown() const;
};

/// Vertices 1 … n of formats that count from 1.
VertexOf countedFromOne(Index vertices);

/// Whether a file that gives every vertex a row may count the rows instead, from 0 or from 1.
enum class RowCounts { no, may };

/// Below, a double keeps every whole number.
inline constexpr double kExactBelow = 9'007'199'254'740'992;  // 2^53

/// A whole number from 0; a plus, leading zeros and double quotes allowed as in graphs; −1: something else.
Index wholeNumberOf(std::string_view word);
/// The same; −1 also for a number that a double does not keep, from 2^53 on.
Index wholeNumberOf(double value);

/// Words of a file beside the graph.
struct VertexWords {
  std::vector<Index> numbers;                // as wholeNumberOf has them; any below 0: none
  std::function<std::string(Index)> wordAt;  // by their place in `numbers`
};

/// The vertices that the words of `file` name, −1 for a word that names none. They have the numbers of the
/// graph's own file; where those of rows fit too, it is remarked which were taken. Only where a word is no
/// such number may all of them count the rows, which is remarked: from 0, or from 1, to the last.
std::vector<Index> verticesNamed(const GraphVertices& graph, const VertexWords& words, RowCounts counts,
                                 const std::string& file, std::vector<std::string>& remarks);

}  // namespace halo
