#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/methods/minibatch/topology.h"

namespace halo {

/// Labels of `outputs`, which this worker owns: of one class each, or of several. The other gets no rows.
void takeTargets(const Share& share, const Topology& topology, std::span<const Vertex> outputs,
                 std::vector<std::int32_t>& labels, Matrix& multiLabels);

}  // namespace halo
