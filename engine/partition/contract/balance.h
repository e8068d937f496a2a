#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/contract/partitioner.h"

namespace halo {

using Weights = std::vector<std::int32_t>;

inline constexpr std::string_view kBalanced[] = {"vertices", "nonzeros", "nonzeros-self"};
/// What parts hold equally much of where nobody says: the same for all partitioners, for volumes compare only
/// at equal balance. METIS's own, and that of the published training systems that use it.
inline constexpr std::string_view kDefaultBalance = "vertices";
inline constexpr std::string_view kBalanceHelp =
    "what parts hold equally much of: vertices, or stored arcs (nonzeros of their rows; nonzeros-self: each "
    "row with an arc from the vertex to itself)";
/// For a partitioner's declaration.
inline constexpr Parameter kBalanceParameter = {"balance", kBalanceHelp, Choice{kDefaultBalance, kBalanced}};

/// The weight of each vertex as `balance` of the parameters says: 1, or the stored arcs of its row. A row
/// without any counts 1, so that vertices that cost nothing are spread as well. `nonzeros-self` counts the
/// vertex itself in every row, once.
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
