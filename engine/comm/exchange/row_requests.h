#pragma once

#include <vector>

#include "engine/comm/communicator/communicator.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// Collective. `peers`, one a rank, say which rows this rank receives. `requests`, by rank, are these rows'
/// places at their owner. Every owner learns which of its rows it sends. Returns the peers that exchange any.
std::vector<HaloPeer> requestRows(Communicator& comm, std::vector<HaloPeer> peers,
                                  const std::vector<std::vector<Vertex>>& requests);

}  // namespace halo
