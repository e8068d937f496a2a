#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/mapped_rows.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/experiment/experiment.h"
#include "engine/kernels/sparse/spmm.h"
#include "engine/methods/contract/method.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/model/model.h"
#include "engine/model/optimizer.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// layer0_cache  Ẑ⁰ = P·X is the same in every epoch and is computed, and exchanged, once
inline constexpr Parameter kLayer0CacheParameter{
    "layer0_cache",
    "aggregate the input features once, not every epoch, so layer 0 is aggregate-first whatever model.order "
    "says; dropout then falls on what was aggregated",
    Flag{false}};

/// What one rank trains on: its share of graph, features and labels (rows in the order of graph.owned).
struct Share {
  LocalGraph graph;
  LocalArcs arcs;                                // empty, unless the method cuts vertices
  Matrix features;                               // own × d_0; without rows where they are mapped
  std::vector<std::int32_t> labels;              // own, or empty
  Matrix multiLabels;                            // own × classes, or empty
  std::vector<std::uint8_t> train, valid, test;  // own; 1: belongs to the split
  std::int64_t trainVertices = 0;                // of the whole graph
  std::int32_t classes = 0;
  bool multiLabel = false;
  std::vector<Vertex>
      order;  // of all vertices of the graph, as the method works on them; empty if it does not care
  std::shared_ptr<const MappedRows> mapped;  // features of all vertices, where they are mapped

  /// Features of an own row, wherever they are.
  std::span<const Scalar> featureRow(Index row) const {
    return mapped ? mapped->row(graph.owned[at(row)]) : features.row(row);
  }
  /// Of several: `out` holds rows.size() × d_0 elements.
  void gatherFeatures(std::span<const Vertex> rows, std::span<Scalar> out) const;
};

/// Everything a method is built from. All outlive it.
struct WorkerParts {
  Communicator& comm;
  Tracer& tracer;
  const RunSettings& settings;
  Share& share;  // features: a method that keeps them elsewhere may take them
  Model& model;
  Optimizer& optimizer;
  IterationListener* listener = nullptr;  // of methods that train in mini-batches; nobody need listen
};

/// With every halo row of the share.
Holdings haloHoldings(const LocalGraph& graph);
/// How many own vertices the plan sends to anybody.
std::int64_t boundaryOf(std::span<const HaloPeer> peers);

/// Y = A X or Y += A X, noted as aggregation: how propagators multiply.
void aggregate(Tracer& tracer, const Csr& A, FirstRows X, Matrix& Y, Write write);

}  // namespace halo
