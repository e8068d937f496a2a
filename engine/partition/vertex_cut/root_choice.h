#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/contract/partitioner.h"
#include "engine/partition/vertex_cut/clone_sets.h"

namespace halo {

struct RootChoice {
  Owners roots;
  std::int64_t steps = 0;  // that searches for room took where parts were full
};

/// One of each vertex's clones as its root, drawn by (seed, vertex), or another where that part is full. A
/// vertex without clones may have its root in any part. `load`: arcs of each part. A vertex loads the part of
/// its root by one, for its self loop is there, or would be. So arcs and their propagation matrix have the
/// same roots.
RootChoice chooseRoots(const CloneSets& clones, std::vector<std::int64_t> load, Vertex vertices,
                       const PartitionRequest& request);

}  // namespace halo
