#pragma once

#include <span>
#include <vector>

#include "engine/methods/contract/predictions.h"

namespace halo {

/// Places in `vertices` of those with the largest degrees, largest first, ties to smaller ids; so many at
/// most.
std::vector<std::size_t> mostRead(std::span<const Vertex> vertices, std::span<const Index> degrees,
                                  Index most);

/// Which vertices' rows a rank's FeatureCache keeps, by who knows the whole graph: 1 for each that it does.
/// Its part has what is drawn within `layers` hops of its training vertices, as ClosedPart.
std::vector<std::uint8_t> keptVertices(const DrawRequest& request, int rank, int layers, Index capacity);

}  // namespace halo
