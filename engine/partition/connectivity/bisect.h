#pragma once

#include <cstdint>

#include "engine/partition/hypergraph/hypergraph.h"
#include "engine/partition/hypergraph/refine.h"

namespace halo {

/// A partition by recursive bisection of the hypergraph, each multilevel, from METIS's cut or a grown half.
/// By net splitting every cut counts towards Σ weight × (λ − 1) (Çatalyürek and Aykanat 1999). No part above
/// `limit` where that can be had. Costs O(pins × log parts) × starts, shared by `threads` from the first
/// halves on. Every level is refined with `effort`. Decided by `seed`.
Owners recursivelyBisected(const Hypergraph& graph, int parts, std::int64_t limit, std::uint64_t seed,
                           int threads = 1, const RefineEffort& effort = {.rounds = 3, .seeds = 4});

}  // namespace halo
