#pragma once

#include <functional>
#include <span>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/base/declaration.h"
#include "engine/partition/contract/balance.h"

namespace halo {

struct MethodEntry;

/// What a method that places vertices itself goes by.
struct PlacementRequest {
  const Csr& arcs;
  int parts = 1;
  const Values& parameters;
  std::function<Owners(int parts)> partition;  // what the run's partitioner gives
  std::vector<Vertex> order = {};              // in which the method works on vertices, if it has one
  std::span<const Split> split = {};           // by vertex; empty: not known
  /// METIS by `constraints` weights of each vertex (metisParts), as the run has its imbalance and seed.
  /// Empty: the run's partitioner is another.
  std::function<Owners(const Csr& arcs, const Weights& weights, int parts, int constraints)> divide = {};
};

/// Who owns which vertex: as the method places them, or else as the partitioner does. `order` says in which
/// order they are worked on; it is empty if the method has none.
struct Placement {
  Owners owners;
  std::vector<Vertex> order;
};
Placement placeVertices(const MethodEntry& method, PlacementRequest request);

}  // namespace halo
