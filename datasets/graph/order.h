#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/base/stop_asks.h"

namespace halo {

// Vertex orders: order[i] is the vertex that comes i-th; for `permuted`.

/// Falling degree, ties by vertex number.
std::vector<Vertex> degreeOrder(const Csr& A);
/// Reverse Cuthill–McKee on the symmetric pattern of A: per component a BFS from a pseudo-peripheral vertex,
/// neighbours by increasing degree, all reversed. Source: George & Liu 1981.
std::vector<Vertex> rcmOrder(const Csr& A);
/// Uniform over all orders; the same (seed, stream) gives the same one. Throws what `askStop` throws.
std::vector<Vertex> randomOrder(Index vertices, std::uint64_t seed, std::uint64_t stream = 0,
                                const AskStop& askStop = {});

/// The data set with vertex order[i] as vertex i: arcs, features, labels and split together.
Dataset reordered(const Dataset& dataset, const std::vector<Vertex>& order);

/// max |i − j| over the nonzeros; 0 for none.
Index bandwidth(const Csr& A);

}  // namespace halo
