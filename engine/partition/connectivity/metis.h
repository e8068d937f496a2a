#pragma once

#include <cstdint>
#include <span>

#include "engine/partition/contract/balance.h"

namespace halo {

enum class MetisObjective { cut, volume };

/// METIS's k-way partition (Karypis and Kumar 1998) of the graph with every inverse arc added; empty if
/// there is no edge, which METIS refuses. At least 2 parts, fewer than vertices. `weights`: so many of each
/// vertex, one vertex after the other, each of which parts hold equally much of (Karypis and Kumar 1998,
/// multi-constraint).
Owners metisParts(const Csr& arcs, const Weights& weights, int parts, double imbalance, std::uint64_t seed,
                  MetisObjective objective, int constraints = 1);

/// The same for few cut edges in a symmetric graph without loops, whose edges weigh what their values say.
/// `shares`: of the weight for each part, 1 together.
Owners fewCutEdges(const Csr& edges, const Weights& weights, std::span<const float> shares, double imbalance,
                   std::uint64_t seed);

}  // namespace halo
