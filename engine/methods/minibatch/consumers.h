#pragma once

#include <vector>

#include "engine/methods/minibatch/topology.h"

namespace halo {

/// The transposed rows of a rank's vertices: who reads each. own × all vertices, ascending, without the
/// vertex itself. Collective, uncounted.
Csr consumersOf(WorkerParts& parts, const Topology& topology);

/// Σ_w P_wv² over the consumers w ≠ v of every vertex v of the whole graph. The owner of v sums in ascending
/// order: the same bits on every rank, whoever owns what. Collective, uncounted.
std::vector<double> consumerSquares(WorkerParts& parts, const Topology& topology, const Csr& consumers);

}  // namespace halo
