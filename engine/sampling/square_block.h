#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/buffer.h"
#include "engine/base/stop_asks.h"
#include "engine/sampling/numbering.h"
#include "engine/sampling/sampled_graph.h"

namespace halo {

/// One vertex set V' that all layers have, with all arcs within it. Kept from batch to batch.
struct SquareBlock {
  Buffer<Vertex> vertices;  // V', ascending by global id
  Csr arcs;                 // |V'| × |V'|, unweighted, columns ascend; none from a vertex to itself
  Buffer<Index> places;     // where each arc stands in the graph

  std::size_t heldBytes() const {
    return halo::heldBytes(vertices) + halo::heldBytes(arcs.offsets) + halo::heldBytes(arcs.columns) +
           halo::heldBytes(places);
  }
};

/// The arcs of `graph` (a row for every vertex) within block.vertices, which ascend.
/// Cost: O(Σ degrees of the vertices).
void induce(const SampledGraph& graph, Numbering& numbering, SquareBlock& block, const AskStop& askStop = {});

}  // namespace halo
