#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/hypergraph.h"

namespace halo {

/// A hypergraph and ever coarser ones made of it by heavy connectivity.
class Levels {
 public:
  /// Keeps a reference to `finest`. Coarsens until about `enough` nodes are left or no more come together.
  /// With `within`, only nodes of one part come together, so that this partition exists on every level.
  Levels(const Hypergraph& finest, Vertex enough, const Owners* within, std::uint64_t seed);

  std::size_t count() const { return coarser_.size() + 1; }
  const Hypergraph& graph(std::size_t level) const {
    return level == 0 ? finest_ : coarser_[level - 1].graph;
  }
  /// The node of the coarsest level that each vertex went into.
  std::vector<Vertex> coarsestNode() const;
  /// A partition of the finest level that is the same inside every cluster, on the coarsest.
  Owners toCoarsest(Owners owners) const;
  /// A partition of `level`, at least 1, on the next finer one.
  Owners toFiner(const Owners& owners, std::size_t level) const;

 private:
  struct Coarser {
    Hypergraph graph;
    std::vector<Vertex> cluster;  // of the finer level's nodes
  };
  const Hypergraph& finest_;
  std::vector<Coarser> coarser_;
};

/// The arcs between clusters, loops left out; values count arcs.
Csr contractedArcs(const Csr& arcs, const std::vector<Vertex>& cluster, Vertex clusters);

}  // namespace halo
