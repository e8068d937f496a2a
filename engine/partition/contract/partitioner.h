#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/declaration.h"
#include "engine/base/registry.h"

namespace halo {

struct PartitionRequest {
  int parts = 1;
  double imbalance = 0.03;
  std::uint64_t seed = 1;
  Values parameters;  // what the partitioner declared
};

/// The part of each vertex, in [0, parts). No part is empty where there are as many vertices as parts, unless
/// the partition was given.
using Owners = std::vector<std::int32_t>;

/// The part of each stored entry of a matrix, by position.
using ArcParts = std::vector<std::int32_t>;

struct Hypergraph;

/// One partitioner, registered by its own file. `arcs`: row v lists the in-neighbours of v.
struct PartitionerEntry {
  Declaration declaration;
  Owners (*partition)(const Csr& arcs, const PartitionRequest& request) = nullptr;
  /// One that cuts vertices: where the entries of a matrix over these arcs belong
  /// (partition/vertex_cut/arc_parts.h).
  ArcParts (*placeArcs)(const Csr& matrix, const PartitionRequest& request) = nullptr;
  /// One that divides the nodes of any hypergraph (partition/hypergraph/hypergraph.h), which has nets, by its
  /// weights.
  Owners (*divideNets)(const Hypergraph& graph, const PartitionRequest& request) = nullptr;
  /// The partition is somebody's own and stays as it is, empty parts too.
  bool given = false;
};

/// Looks the method up, runs it, checks what it returned and fills parts that it left empty. Throws
/// InputError for an unknown method (with the known ones).
Owners partition(const Csr& arcs, const std::string& method, const PartitionRequest& request);

}  // namespace halo
