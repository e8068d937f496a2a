#pragma once

#include "engine/partition/connectivity/refine_levels.h"
#include "engine/partition/hypergraph/net_shape.h"

namespace halo {

inline constexpr std::string_view kSearchStarts[] = {"metis", "hypergraph"};
/// For a partitioner's declaration.
inline constexpr Parameter kStartParameter = {
    "start",
    "metis: up to 16 parts and in meshes, beside bisections; Zoltan's partition where that was a poor start "
    "or vertices read what others read; hypergraph: Zoltan's in any case, which takes longer",
    Choice{"metis", kSearchStarts}};

struct SearchSettings {
  NetShape shape;            // of the column nets of the arcs
  bool fromZoltan = false;   // its partition of the column nets is a start in any case
  std::int64_t cycles = 12;  // of coarsening and refining again, at most
  std::int64_t unit = 1;     // of weight, as in RefineEffort
};

/// A partition of the vertices of `arcs` of small Σ weight × (λ − 1) over the nets of `graph`. These are the
/// column nets of the arcs, or others over the same vertices. Fewer parts than vertices, at least 2; at least
/// one net. request.parameters has `balance`, for who is asked for a start.
Volume searchedParts(const Csr& arcs, const Hypergraph& graph, const PartitionRequest& request,
                     const SearchSettings& settings);

}  // namespace halo
