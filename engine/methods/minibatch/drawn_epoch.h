#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/methods/contract/predictions.h"
#include "engine/sampling/blocks.h"

namespace halo {

/// The batches of one iteration.
struct DrawnBatches {
  std::span<const Blocks> batches;  // by rank, of its own seeds
  const Owners& owners;
};

/// What they pull from whom: PullCounts::tables of one iteration.
///
/// Cost: O(Σ|V^l| + Σ|E^l|) over the ranks.
std::vector<RowTable> decidePulls(const DrawnBatches& iteration);

/// By vertex, 1 for those whose features a rank keeps, for so many layers; empty: that is not asked.
using KeptOf = std::function<std::vector<std::uint8_t>(int rank, int layers)>;

/// An epoch of drawn neighbours. decide: Method::decided of an iteration.
///
/// Cost: sampling `request.most` iterations, and O(n log n) for the seeds of each rank.
DrawnEpoch drawEpoch(const DrawRequest& request,
                     std::vector<RowTable> (*decide)(const DrawnBatches& iteration),
                     const KeptOf& keptOf = {});

}  // namespace halo
