#pragma once

#include <span>
#include <vector>

#include "engine/base/index.h"
#include "engine/methods/worker/worker_parts.h"
#include "engine/sampling/sampled_graph.h"

namespace halo {

/// The part of the graph that a rank samples in by itself, L layers deep. It has the rank's training
/// vertices, all in-neighbours within L hops of them, and the in-rows of those within L − 1. Beside them it
/// takes 4 bytes a vertex of the whole graph.
class ClosedPart {
 public:
  /// Collective, uncounted. `trained`: this rank's training vertices.
  ClosedPart(WorkerParts& parts, std::span<const Vertex> trained);
  ClosedPart(const ClosedPart&) = delete;
  ClosedPart& operator=(const ClosedPart&) = delete;

  const SampledGraph& graph() const { return graph_; }
  /// The row of graph() that lists v's in-neighbours; below 0: there is none.
  Vertex rowOf(Vertex v) const { return rowOf_[at(v)]; }
  std::span<const Vertex> vertices() const { return vertices_; }
  /// Arcs of graph() from each of vertices() to another one.
  std::vector<Index> outDegrees() const;
  std::size_t heldBytes() const;

 private:
  Csr rowsAround(WorkerParts& parts, std::span<const Vertex> trained);

  std::vector<Vertex> vertices_;  // those with a row first, in the order of rows
  std::vector<Vertex> rowOf_;     // by vertex of the whole graph
  Csr rows_;
  SampledGraph graph_;
};

}  // namespace halo
