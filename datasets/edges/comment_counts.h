#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// What comments say how many there are; −1: they do not.
struct PromisedCounts {
  Index edges = -1, edgesAt = 0;  // the line
  Index vertices = -1, verticesAt = 0;
  Index firstSide = -1, secondSide = -1, sidesAt = 0;   // of a bipartite graph
  Index bareVertices = -1, bareEdges = -1, bareAt = 0;  // two numbers alone, `# 9 7`, which may be counts

  /// Takes numbers that stand alone for counts where the second is that of the edges.
  void takeBare(Index edgesRead);

  /// Adds what is to be said of vertices, once it is known how many there are and how many have edges.
  /// `makers`: what the file is made of, edges or lists.
  void remarkVertices(Index total, Index occurring, const std::string& makers,
                      std::vector<std::string>& remarks) const;
};

/// Notes the counts in the comment on line `number`. SNAP writes `# Nodes: 4 Edges: 9`, which is taken in any
/// case and with other marks or none. Also taken are `|V| = 4`, `n=4`, `# Number of vertices = 4` and
/// `# 4 nodes, 9 edges`. The last one counts.
void takeCounts(std::string_view comment, Index number, PromisedCounts& promised);

}  // namespace halo
