#pragma once

#include "engine/partition/hypergraph/hypergraph.h"

namespace halo {

/// What a graph's column nets look like, as far as partitioners go different ways for it.
struct NetShape {
  bool hubs = false;  // a net of more than 1000 pins, which hides who belongs together
  bool mesh = false;  // no net of more than 30
  bool road = false;  // a mesh of at most 4 pins a net on average
};
NetShape shapeOf(const Hypergraph& graph);

}  // namespace halo
