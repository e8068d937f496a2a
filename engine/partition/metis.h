#pragma once

#include <cstdint>

#include "engine/partition/balance.h"

namespace halo {

enum class MetisObjective { cut, volume };

/// METIS's k-way partition (Karypis and Kumar 1998) of the graph with every inverse arc added; empty if
/// there is no edge, which METIS refuses. At least 2 parts, fewer than vertices.
Owners metisParts(const Csr& arcs, const Weights& weights, int parts, double imbalance, std::uint64_t seed,
                  MetisObjective objective);

/// The same for few cut edges in a symmetric graph without loops, whose edges weigh what their values say.
Owners fewCutEdges(const Csr& edges, const Weights& weights, int parts, double imbalance, std::uint64_t seed);

}  // namespace halo
