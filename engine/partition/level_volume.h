#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/net_parts.h"

namespace halo {

/// The rows that each part sends: Σ (λ_v − 1) over the vertices v it owns. `state` is a partition of the
/// column nets of a graph (of its vertices, not of clusters).
std::vector<std::int64_t> sentRowsOf(const NetParts& state);

/// Moves vertices out of parts that send more than `most` rows, those that cost least in total first, to
/// parts that stay below, while Σ (λ − 1) stays within `total` and weights within `limit`. Best effort.
void levelVolume(NetParts& state, std::int64_t limit, std::int64_t most, std::int64_t total);

}  // namespace halo
