#pragma once

#include <cstdint>

#include "datasets/graph/csr.h"
#include "engine/base/stop_asks.h"

namespace halo::sim {

/// The graph with about this share of its arcs moved; the others stay. Moved arcs join vertices at most
/// `reach` apart, as an order like RCM leaves them. Rows keep how many they have as long as there is room. A
/// moved arc's source is drawn by its degree among those in reach, so that hubs stay hubs (a Chung-Lu graph
/// within the band). Without self loops. Throws what `askStop` throws, which is asked all the while.
/// Cost: O(log vertices) an arc.
Csr localised(const Csr& arcs, Index reach, double share, std::uint64_t seed, const AskStop& askStop = {});

}  // namespace halo::sim
