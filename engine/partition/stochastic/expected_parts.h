#pragma once

#include "engine/partition/connectivity/search.h"

namespace halo {

/// Nets whose Σ weight × (λ − 1) is near the rows expected of uniform batches. For each vertex with consumers
/// they are its column net, and a net of two for each arc. Of a vertex with one or two consumers in a part
/// the sum is exact but for rounding. Of larger batches, and of very small ones, it is so with any number of
/// consumers.
///
/// columns  the column nets, each of a vertex first and then of its consumers
/// unit     what an arc's net and its vertex's weigh together
Hypergraph netsNearExpected(const Hypergraph& columns, const std::vector<double>& chances, std::int64_t unit);

/// A partition of few rows expected of uniform batches of `batch` vertices: searched for over these nets,
/// then refined by the closed form itself.
Owners expectedParts(const Csr& arcs, const Hypergraph& columns, Index batch, const PartitionRequest& request,
                     SearchSettings settings);

}  // namespace halo
