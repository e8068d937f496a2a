#pragma once

#include <cstdint>
#include <vector>

#include "simulator/graph/workload.h"

namespace halo::sim {

/// Sources that stay on the chip throughout a pass: those with the most nonzeros, of equals the ones with
/// lower numbers; none without a nonzero.
struct HotRows {
  std::int64_t rows = 0;
  double nonzeroShare = 0;  // of all nonzeros
  std::vector<bool> isHot;  // of a matrix: its columns; empty with counts alone
};

/// At most `most` of them. With counts alone the degrees of the graph's power law, or where none is known all
/// alike.   Cost: two passes over the nonzeros; of counts alone, nothing to speak of.
HotRows hotRows(const Graph& graph, std::int64_t most);

}  // namespace halo::sim
