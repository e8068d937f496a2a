#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/hypergraph/hypergraph.h"

namespace halo {

struct Clusters {
  std::vector<Vertex> ofVertex;  // the cluster of each node
  Vertex count = 0;
};

/// Clusters named by any numbers below clusters.size(), renamed in the order of their first nodes.
Clusters numbered(std::vector<Vertex> clusters);

/// Nodes put together with those they share small nets with (heavy connectivity: Σ weight / (pins − 1) over
/// shared nets). They come in the order of shuffledInBlocks, until `fewest` clusters are left or every node
/// has had its turn. No cluster gets heavier than `heaviest`. With `within`, only nodes of one part come
/// together.
Clusters heavyConnectivity(const Hypergraph& graph, std::int64_t heaviest, Vertex fewest,
                           const Owners* within, std::uint64_t seed);

}  // namespace halo
