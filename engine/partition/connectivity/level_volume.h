#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/hypergraph/net_parts.h"

namespace halo {

/// The rows that each part sends: Σ (λ_v − 1) over the vertices v it owns. `state` is a partition of the
/// column nets of a graph (of its vertices, not of clusters).
std::vector<std::int64_t> sentRowsOf(const NetParts& state);

/// Lowers what parts that send more than `most` rows send, while Σ (λ − 1) stays within `total`. It moves
/// vertices out of them, and readers of their rows into them. Moves that cost least in total, for what the
/// part sends less, come first. No other part comes to send as much as the largest did, none to weigh more
/// than `limit`. Each move lowers what an overfull part sends; it stops short of `most` where no single move
/// does.
void levelVolume(NetParts& state, std::int64_t limit, std::int64_t most, std::int64_t total);

}  // namespace halo
