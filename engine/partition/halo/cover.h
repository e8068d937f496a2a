#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph/csr.h"

namespace halo {

/// Rows and columns of a bipartite graph that together touch every edge.
struct Cover {
  std::vector<std::uint8_t> rows, columns;  // 1: belongs to the cover
  Index size = 0;
};

/// A smallest cover: as many vertices as a largest matching has edges (König 1931). Rows whose edges all lead
/// to the cover's columns are left out of it, so each covered row has an edge to a column outside.
///
/// edges (sources × destinations), values ignored
/// Cost: O(nonzeros · √vertices). One thread; deterministic (vertices in ascending order).
/// Source: Hopcroft and Karp 1973 for the matching, König's alternating paths from unmatched rows.
Cover minimumCover(const Csr& edges);

}  // namespace halo
