#pragma once

#include <cstdint>

#include "engine/partition/hypergraph/anneal.h"
#include "engine/partition/hypergraph/net_parts.h"

namespace halo {

/// How hard refinement tries.
struct RefineEffort {
  int rounds = 1;         // of localised searches over the whole boundary, at most
  int patience = 200;     // moves without improvement before a search gives up, unless it does so before
  int seeds = 20;         // boundary nodes a search starts from
  int spread = 64;        // pins; larger nets that come to a new part do not attract the rest of their pins
  double least = 0.001;   // a round that improves by less is the last
  Cooling cooling{};      // of an annealing that comes first
  std::int64_t unit = 1;  // of weight: what a net weighs that is one of many
};

/// Lowers Σ weight × (λ − 1) without any part growing above `limit` (nor above what it weighs already).
/// Single moves that pay, or an annealing, come first. Localised searches follow, which also take moves that
/// do not pay and keep the best prefix (Fiduccia and Mattheyses 1982; Sanders and Schulz 2011). A search
/// gives up where its moves no longer promise to pay (Osipov and Sanders 2010). Never ends above where it
/// began. Decided by `seed`.
void refine(NetParts& state, std::int64_t limit, const RefineEffort& effort, std::uint64_t seed);

}  // namespace halo
