#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/partition/contract/balance.h"

namespace halo {

/// Nodes (vertices, or clusters of them) and nets (sets of nodes). A net that touches λ parts costs
/// weight × (λ − 1).
struct Hypergraph {
  std::vector<std::int64_t> netBegin{0},
      nodeBegin{0};  // where a net's pins, a node's nets begin; and the end
  std::vector<Vertex> pins, nets;
  std::vector<std::int32_t> netWeight;
  Weights nodeWeight;

  Vertex nodeCount() const { return static_cast<Vertex>(nodeBegin.size()) - 1; }
  Vertex netCount() const { return static_cast<Vertex>(netBegin.size()) - 1; }
  std::span<const Vertex> pinsOf(Vertex net) const { return slice(pins, netBegin, net); }
  std::span<const Vertex> netsOf(Vertex node) const { return slice(nets, nodeBegin, node); }

 private:
  static std::span<const Vertex> slice(const std::vector<Vertex>& all, const std::vector<std::int64_t>& begin,
                                       Vertex i) {
    const auto at = static_cast<std::size_t>(i);
    return {all.data() + begin[at], static_cast<std::size_t>(begin[at + 1] - begin[at])};
  }
};

/// The column-net model (Çatalyürek and Aykanat 1999). A net for each vertex v holds v and every vertex whose
/// row needs v, so that Σ (λ − 1) is the number of halo rows. Nets of one vertex cost nothing and are left
/// out.
Hypergraph columnNets(const Csr& arcs, Weights weights);

/// What `divide` makes of the column nets of `arcs`. The vertices are spread by their weights instead where
/// there are no nets or not fewer parts than vertices.
Owners columnNetParts(const Csr& arcs, const PartitionRequest& request,
                      const std::function<Owners(const Hypergraph&)>& divide);

/// Fills nodeBegin and nets from netBegin and pins.
void completeNodes(Hypergraph& graph, Vertex nodes);

/// Σ weight × (λ − 1), from the definition.
std::int64_t connectivity(const Hypergraph& graph, const Owners& owners, int parts);

/// The hypergraph over clusters: node c is every node with cluster[v] = c. Pins of a net become distinct.
/// Nets of one cluster are left out, and equal nets become one with their weights summed. So a partition of
/// the clusters costs what it costs in `graph`.
Hypergraph contracted(const Hypergraph& graph, const std::vector<Vertex>& cluster, Vertex clusters);

}  // namespace halo
