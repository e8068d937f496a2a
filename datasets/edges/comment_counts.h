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

/// Notes the counts in the comment on line `number`: `# Nodes: 4 Edges: 9` as SNAP has it, in any case, with
/// other marks or none, `# Number of vertices = 4`, `# 4 nodes, 9 edges`, `|V| = 4`, `n=4`. The last one
/// counts.
void takeCounts(std::string_view comment, Index number, PromisedCounts& promised);

}  // namespace halo
