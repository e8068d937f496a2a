#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/comm/exchange/batch_transposition.h"
#include "engine/methods/contract/placement.h"
#include "engine/methods/contract/predictions.h"

namespace halo {

// Into how many batches MoA cuts the vertices, in which order, and who has what of them
// (MixGCN 3.2.2, Proposition 3.5).

/// More stages than kMostStages are not chosen automatically. Where they would be needed, layers are not
/// meant to overlap. Fewer then do for a batch to be updated while the next is aggregated.
constexpr int kMostStages = 32, kStagesWithinLayers = 8;
constexpr int kMostStagesAsked = 4096;

/// max |position − position| in this order over the nonzeros of A; which vertices its rows and columns are.
Index bandwidthIn(std::span<const Vertex> order, const Csr& A, std::span<const Vertex> rows,
                  std::span<const Vertex> columns);

/// Proposition 3.5: ⌈2n / (n − b)⌉, the fewest batches with which the first of an aggregation needs nothing
/// of the last update before it. Where these are more than kMostStages, it is kStagesWithinLayers.
int enoughStages(Index vertices, Index bandwidth);

/// What "stages" says: 0 for auto; nothing if it says nothing that can be used.
std::optional<int> readStages(const std::string& text);

/// The order that parameter "ordering" asks for.
std::vector<Vertex> orderOf(const PlacementRequest& request);

/// Of `workers` ranks every other one updates, from rank 0, and the others aggregate.
inline bool aggregates(int rank) { return rank % 2 == 1; }
BatchPlan planOf(Index vertices, int stages, int workers);

/// Who updates which vertex.
Owners placeBatches(const PlacementRequest& request);

/// One table of a VolumeRequest: rows of each batch, by updater.
std::vector<RowTable> countBatches(const CountRequest& request);
std::vector<PredictedVolume> predictBatches(const VolumeRequest& request);

}  // namespace halo
