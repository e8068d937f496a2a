#pragma once

#include "engine/partition/contract/balance.h"

namespace halo {

/// Gives vertices without a part, which is −1, the one where most of their neighbours are. Only parts that
/// would not grow above `limit` count. Of equally many the lightest, then the first. Vertices whose
/// neighbours have parts come first, of these the lightest. Where no neighbour's part has room, or none has a
/// part, it is the lightest part.
///
/// edges  of every vertex with its neighbours, both ways
/// Time: edges and n log n, and parts for each vertex without neighbours in reach.
void joinNeighbours(const Csr& edges, const Weights& weights, int parts, std::int64_t limit, Owners& owners);

}  // namespace halo
