#pragma once

#include <cstdint>

#include "engine/partition/hypergraph/net_parts.h"

namespace halo {

/// Weight that parts hold above `limit`, summed.
std::int64_t excessOf(const NetParts& state, std::int64_t limit);

/// Moves nodes out of parts heavier than `limit` while one fits elsewhere, the cheapest a weight first.
void rebalance(NetParts& state, std::int64_t limit);

/// Lightens parts that are still heavier, where no other has room for a node more. It swaps nodes of unlike
/// weight, the cheapest pair a weight first. No other part grows above the limit, but may take over what one
/// part holds too much where it has nodes to swap on. Time of a swap: parts × nodes, and the gains of the two
/// parts' nodes for each part with room. These are nodes of the boundary, or all nodes where none on it can
/// be swapped.
void swapIntoBalance(NetParts& state, std::int64_t limit);

}  // namespace halo
