#include "engine/partition/hypergraph/net_shape.h"

#include <algorithm>

namespace halo {

NetShape shapeOf(const Hypergraph& graph) {
  std::size_t largest = 0;
  for (Vertex net = 0; net < graph.netCount(); ++net) largest = std::max(largest, graph.pinsOf(net).size());
  const bool mesh = largest <= 30;
  return {.hubs = largest > 1000,
          .mesh = mesh,
          .road = mesh && std::ssize(graph.pins) <= std::int64_t{4} * graph.netCount()};
}

}  // namespace halo
