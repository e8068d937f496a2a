#pragma once

#include <span>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/buffer.h"

namespace halo {

/// What a mini-batch of L layers reads: V^0 (whose features are fetched) … V^L (the seeds). Between them lie
/// the sampled arcs E^l of block l = 1 … L, none from a vertex to itself.
///
/// The first vertices of V^(l−1) are V^l, in the same order; the others follow in the order met. So a vertex
/// has one number in all layers. Kept from batch to batch: what has grown stays.
struct Blocks {
  Buffer<Vertex> vertices;  // V^0 by global id
  /// arcs[l − 1] is E^l: |V^l| × |V^(l−1)|, unweighted. A row is in the order drawn, or where it was copied
  /// whole, by global id; with replacement a column may stand there twice.
  std::vector<Csr> arcs;

  int layers() const { return static_cast<int>(arcs.size()); }
  /// V^l, l = 0 … L.
  std::span<const Vertex> at(int l) const {
    const Index count = l == 0 ? static_cast<Index>(vertices.size()) : block(l).rows();
    return std::span(vertices).first(static_cast<std::size_t>(count));
  }
  /// E^l, l = 1 … L.
  const Csr& block(int l) const { return arcs[static_cast<std::size_t>(l) - 1]; }
  Index sampledArcs() const {
    Index sum = 0;
    for (const Csr& block : arcs) sum += block.nonzeros();
    return sum;
  }
  std::size_t heldBytes() const {
    std::size_t sum = halo::heldBytes(vertices);
    for (const Csr& block : arcs) sum += halo::heldBytes(block.offsets) + halo::heldBytes(block.columns);
    return sum;
  }
};

}  // namespace halo
