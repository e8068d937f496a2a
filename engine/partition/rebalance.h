#pragma once

#include <cstdint>

#include "engine/partition/net_parts.h"

namespace halo {

/// Weight that parts hold above `limit`, summed.
std::int64_t excessOf(const NetParts& state, std::int64_t limit);

/// Brings parts heavier than `limit` below it as far as it can: moves nodes out of them, the cheapest a
/// weight first; where no part has room for a node more, swaps two of unlike weight, the cheapest pair a
/// weight first. No other part grows above the limit. Time of a swap: the boundary's nets × the parts they
/// touch.
void rebalance(NetParts& state, std::int64_t limit);

}  // namespace halo
