#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/declaration.h"
#include "engine/base/problem.h"
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

/// What a partitioner works out of a graph before it divides it.
struct PartitionFigure {
  std::string_view name;   // of its metric, "partition_batches"
  std::string_view label;  // for a table
  double value = 0;
};

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
  /// What is wrong with its parameters, all of which are there, by key. vertices: of the graph; 0: not known.
  std::vector<Problem> (*refuse)(const Values& parameters, Index vertices) = nullptr;
  /// What it works out first, told and recorded. At least 2 parts, fewer than vertices.
  std::vector<PartitionFigure> (*figures)(const Csr& arcs, const PartitionRequest& request) = nullptr;
  /// The partition is somebody's own and stays as it is, empty parts too.
  bool given = false;
};

/// Looks the method up, runs it, checks what it returned and fills parts that it left empty. Throws
/// InputError for an unknown method (with the known ones) and for what the partitioner refuses.
Owners partition(const Csr& arcs, const std::string& method, const PartitionRequest& request);

/// What the method works out for `partition` of the same; most work nothing out. Throws as that does.
std::vector<PartitionFigure> partitionFigures(const Csr& arcs, const std::string& method,
                                              const PartitionRequest& request);
/// What the method refuses; `parameters` may lack some. An unknown method refuses nothing.
std::vector<Problem> partitionProblems(const std::string& method, Values parameters, Index vertices = 0);

}  // namespace halo
