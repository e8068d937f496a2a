#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "datasets/graph/csr_rows.h"
#include "engine/base/stop_asks.h"

namespace halo::sim {

/// A binary matrix in which pairs of columns that stand together in several rows were made columns of their
/// own. A pair's sum is made once and added where both columns would have been.
struct PairReduction {
  Csr matrix;                                    // as many rows; columns: the matrix's, then one a pair
  std::vector<std::pair<Vertex, Vertex>> pairs;  // of columns, pairs before it among them

  /// Additions of one column of features: of the pairs, and of each row all but the first.
  std::int64_t additions() const;
};

/// Each round counts in how many rows two columns stand together, and keeps those in at least `least`. It
/// matches greedily by that number; a column is in one pair of a round at most. Each pair takes the place of
/// its columns. Stops early where nothing is left to pair. Deterministic: of equals those with lower numbers.
/// Cost a round: pairSteps(); memory 12 bytes a nonzero and 16 a pair that is kept. Throws InputError if the
/// columns become too many to number.
/// Source: Zeng and Prasanna, GraphACT, FPGA 2020
PairReduction reducePairs(const CsrRows& matrix, int rounds, std::int64_t least = 3,
                          const AskStop& askStop = {});

/// Σ over rows of degree², about the steps of a round.
double pairSteps(const CsrRows& matrix);

/// Σ (degree − 1) over rows [first, last) that have a nonzero.
std::int64_t rowAdditions(const CsrRows& matrix, std::int64_t first, std::int64_t last);

}  // namespace halo::sim
