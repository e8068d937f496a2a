#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/hypergraph/communities.h"
#include "engine/partition/hypergraph/hypergraph.h"

namespace halo {

/// A hypergraph and ever coarser ones made of it.
class Levels {
 public:
  /// By heavy connectivity, until about `enough` nodes are left or no more come together. Keeps a reference
  /// to `finest`.
  Levels(const Hypergraph& finest, Vertex enough, const Owners* within, std::uint64_t seed);
  /// By communities of the graph that `finest` was made of as long as there are any, then by heavy
  /// connectivity. No cluster gets heavier than `heaviest`. With `within`, only nodes of one part come
  /// together, so that this partition exists on every level. Keeps references to `finest` and `graph`.
  Levels(const Hypergraph& finest, const Affinity& graph, Vertex enough, std::int64_t heaviest,
         const Owners* within, std::uint64_t seed);

  std::size_t count() const { return coarser_.size() + 1; }
  const Hypergraph& graph(std::size_t level) const {
    return level == 0 ? finest_ : coarser_[level - 1].graph;
  }
  const Hypergraph& coarsest() const { return graph(count() - 1); }
  /// The graph over the nodes of the coarsest level, of levels that were made with one; made when asked for.
  Affinity coarsestGraph() const;
  /// A partition of the finest level that is the same inside every cluster, on the coarsest.
  Owners toCoarsest(Owners owners) const;
  /// A partition of `level`, at least 1, on the next finer one.
  Owners toFiner(const Owners& owners, std::size_t level) const;

 private:
  struct Coarser {
    Hypergraph graph;
    Clusters clusters;  // of the finer level's nodes
  };
  void byCommunities(Vertex enough, std::int64_t heaviest, Owners& parts, std::uint64_t seed);
  void byNets(Vertex enough, std::int64_t heaviest, Owners& parts, std::uint64_t seed);
  void add(Clusters clusters, Owners& parts);
  /// The graph as far as it was contracted.
  const Affinity& contractedGraph() const { return contractions_ == 0 ? *graph_ : contracted_; }

  const Hypergraph& finest_;
  const Affinity* graph_ = nullptr;
  Affinity contracted_;           // over the nodes of level `contractions_`, if that is above 0
  std::size_t contractions_ = 0;  // nets alone decide the levels after it
  std::vector<Coarser> coarser_;
};

}  // namespace halo
