#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/sampling/blocks.h"
#include "engine/sampling/global_matrix.h"

namespace halo {

// Matrices that a layer multiplies a block's sources with. They hold the arcs of the block in their order.
// Where P includes the vertex itself, each row's own entry stands before its arcs, which makes nnz^l entries.
// attention has the pattern and no values. `out` keeps what it held from block to block. Cost O(rows + arcs)
// each.

/// The matrix of block l of a neighbour sample, |V^l| × |V^(l−1)|.
///
/// global: Z_v = P_vv h_v + (d_v / k_v) Σ_draws P_vu h_u, unbiased given h.
/// block: P made of the draws alone. For `symmetric` that is the mean of draws and vertex, 1 / (k_v + 1). It
/// differs from the whole graph even where every neighbour is drawn.
void weighNeighbours(const Blocks& blocks, int layer, const GlobalMatrix& P, EdgeWeights weights, Csr& out);

/// P_vu times a factor for each arc, P_vv times one for each row.
///
/// arcs      rows × sources; row i is of source i
/// vertices  the sources by global id
/// factors   of each arc in stored order
/// own       of each row, or empty: 1
void weighByFactors(const Csr& arcs, std::span<const Vertex> vertices, const GlobalMatrix& P,
                    std::span<const double> factors, std::span<const double> own, Csr& out);

/// P of a graph that has these arcs alone, sources × sources.
void weighWithin(const Csr& arcs, EdgeRule rule, Csr& out);
/// Some rows of such a matrix, rows × sources; row i is of source i. Of the arcs, `in` has those into each
/// row. `from` has those from each source, and `symmetric` alone reads it.
void weighWithin(const Csr& arcs, EdgeRule rule, std::span<const Vertex> in, std::span<const Vertex> from,
                 Csr& out);

}  // namespace halo
