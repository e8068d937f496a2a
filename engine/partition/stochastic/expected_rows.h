#pragma once

#include <vector>

#include "engine/partition/contract/partitioner.h"

namespace halo {

/// Chances that a uniform batch which has some vertex also has any of c given others, c = 0 … most:
/// 1 − C(n−1−c, b−1) / C(n−1, b−1). 1 ≤ batch ≤ vertices, most < vertices.
std::vector<double> chancesOfAny(Index vertices, Index batch, Index most);

/// Rows that each part sends in a uniform batch of `batch` vertices, on average over all batches there are.
/// That is (b/n) Σ, over its vertices v and parts p besides its own, of the chance for the consumers of v in
/// p.
std::vector<double> expectedRows(const Csr& arcs, const Owners& owners, int parts, Index batch);

}  // namespace halo
