#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/base/declaration.h"
#include "engine/partition/contract/partitioner.h"

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
  std::string_view partitioner = {};           // the run's; its imbalance, and its seed
  double imbalance = 0.03;
  std::uint64_t seed = 1;
};

/// Who owns which vertex: as the method places them, or else as the partitioner does; and in which order they
/// are worked on, empty if the method has none.
struct Placement {
  Owners owners;
  std::vector<Vertex> order;
};
Placement placeVertices(const MethodEntry& method, PlacementRequest request);

}  // namespace halo
