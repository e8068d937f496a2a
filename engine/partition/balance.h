#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/partitioner.h"

namespace halo {

using Weights = std::vector<std::int32_t>;

inline constexpr std::string_view kBalanced[] = {"vertices", "nonzeros"};
/// What the parts of a partitioner are to hold equally much of; for its declaration.
constexpr Parameter balanceParameter(std::string_view fallback) {
  return {"balance", "what parts hold equally much of: vertices, or stored arcs (nonzeros of their rows)",
          Choice{fallback, kBalanced}};
}

/// The weight of each vertex as `balance` of the parameters says: 1, or the stored arcs of its row. A row
/// without any counts 1, so that vertices that cost nothing are spread as well.
Weights balanceWeights(const Csr& arcs, const Values& parameters);

std::int64_t totalWeight(const Weights& weights);

/// The most that a part may weigh: (1 + imbalance) × the mean, rounded down, but room for the heaviest vertex
/// and for the mean.
std::int64_t partLimit(const Weights& weights, int parts, double imbalance);

std::vector<std::int64_t> partWeights(const Weights& weights, const Owners& owners, int parts);

/// A partition without regard to arcs that balances well: heaviest vertex first, to the lightest part (Graham
/// 1969: at most 4/3 of the best possible).
Owners spreadByWeight(const Weights& weights, int parts);

}  // namespace halo
