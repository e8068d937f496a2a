#pragma once

#include <vector>

#include "engine/comm/exchange/row_directory.h"
#include "engine/methods/worker/worker_parts.h"
#include "engine/sampling/global_matrix.h"
#include "engine/sampling/sampled_graph.h"

namespace halo {

/// The rule of a kind's propagation matrix.
EdgeRule edgeRule(Propagation propagation);

/// What a rank knows of the graph to sample with. It has the in-rows of its own vertices by global id. Of
/// every vertex it has the owner, the row there, and the degrees (16 bytes a vertex).
class Topology {
 public:
  /// Collective, uncounted. `parts` outlives this.
  explicit Topology(WorkerParts& parts);
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  const RowDirectory& directory() const { return directory_; }
  const std::vector<Vertex>& owned() const { return owned_; }
  /// Row r is of owned()[r].
  const SampledGraph& graph() const { return graph_; }
  /// Of the whole graph, without arcs from a vertex to itself.
  Vertex inDegree(Vertex v) const { return inDegrees_[at(v)]; }
  GlobalMatrix matrix() const { return {rule_, inDegrees_, outDegrees_}; }
  std::size_t heldBytes() const;

 private:
  Csr rowsFrom(RowDirectory& directory) const;
  void shareDegrees(Communicator& comm);

  const std::vector<Vertex>& owned_;
  EdgeRule rule_;
  RowDirectory directory_;
  Csr rows_;
  SampledGraph graph_;
  std::vector<Vertex> inDegrees_, outDegrees_;
};

}  // namespace halo
