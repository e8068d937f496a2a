#include "engine/methods/minibatch/targets.h"

#include <algorithm>

#include "engine/base/index.h"

namespace halo {

void takeTargets(const Share& share, const Topology& topology, std::span<const Vertex> outputs,
                 std::vector<std::int32_t>& labels, Matrix& multiLabels) {
  labels.clear();
  multiLabels.resize(share.multiLabel ? std::ssize(outputs) : 0, share.multiLabels.cols());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Vertex row = topology.directory().rowAtOwner(outputs[i]);
    if (share.multiLabel)
      std::ranges::copy(share.multiLabels.row(row), multiLabels.row(static_cast<Index>(i)).begin());
    else
      labels.push_back(share.labels[at(row)]);
  }
}

}  // namespace halo
