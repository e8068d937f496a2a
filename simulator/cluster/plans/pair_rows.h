#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/methods/contract/holdings.h"
#include "engine/partition/contract/partitioner.h"

namespace halo::cluster {

/// Rows of part `source` that part `target` aggregates; only where there are any.
struct PairRows {
  std::int32_t source = 0, target = 0;
  std::int64_t rows = 0;
  bool operator==(const PairRows&) const = default;
};

/// Of a row partition, ascending source, then target. `propagation`: row v lists what v aggregates.
/// Time: entries · log of the pairs; memory: pairs and entries, never parts².
std::vector<PairRows> haloPairs(const Csr& propagation, const Owners& owners, int parts);

/// The same as the predictors read it. Memory: parts².
RowTable tableOf(const std::vector<PairRows>& pairs, int parts);

}  // namespace halo::cluster
