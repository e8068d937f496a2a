#pragma once

#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// Every rank gets the vertices that `owners` (the same on every rank) gives it. Their rows of the
/// propagation matrix, features, labels and split come from who had them. `share` is then as if it had been
/// cut so. Of a share whose features nobody took, without arcs of its own. Collective control traffic,
/// uncounted; takes memory for both shares, and 24 bytes a vertex of the whole graph.
void moveVertices(Communicator& comm, Share& share, const Owners& owners);

}  // namespace halo
