#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/partition/hypergraph/coarsen.h"

namespace halo {

/// A symmetric graph without loops, or what is left of it once vertices were put together.
struct Affinity {
  Csr edges;  // values weigh them; none: each weighs 1
  std::vector<std::int64_t>
      degree;  // the weight of a vertex' edges, and twice of those that are inside it now
};

/// Of a graph's arcs and their inverses.
Affinity affinityOf(const Csr& arcs);

/// Vertices put together to communities of high modularity, none heavier than `heaviest`. A vertex that is
/// heavier by itself stays alone. Each vertex goes to the neighbouring community where the modularity grows
/// most. They come in the order of shuffledInBlocks, until few still move. These are the local moves of the
/// Louvain method (Blondel, Guillaume, Lambiotte and Lefebvre 2008). With `within`, only vertices of one part
/// come together. A few passes over the edges.
Clusters communities(const Affinity& graph, const Weights& weight, std::int64_t heaviest,
                     const Owners* within, std::uint64_t seed);

/// The graph over clusters: edges between two of them become one with their weights summed.
Affinity contracted(const Affinity& graph, const Clusters& clusters);

}  // namespace halo
