#pragma once

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

/// An epoch of drawn neighbours. decide: Method::decided of an iteration.
///
/// Cost: sampling `request.most` iterations, and O(n log n) for the seeds of each rank.
DrawnEpoch drawEpoch(const DrawRequest& request,
                     std::vector<RowTable> (*decide)(const DrawnBatches& iteration));

}  // namespace halo
