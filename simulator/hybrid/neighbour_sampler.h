#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/csr.h"

namespace halo::sim {

/// What one mini-batch is made of: V^0 (inputs) … V^L (seeds) and, for l = 1 … L, the sampled neighbours E^l
/// over which layer l aggregates, self loops not among them.
struct BatchSize {
  std::vector<double> vertices;  // L + 1
  std::vector<double> edges;     // L; edges[l − 1] is |E^l|
  double sampled() const;        // neighbours of all layers
};

/// One mini-batch of GraphSAGE's neighbour sampler: of each vertex at most `fanouts[h]` in-neighbours at hop
/// h from the seeds, without replacement, all if it has no more. The vertices of a layer are among the inputs
/// of the next. The draws of a vertex depend on (seed, iteration, hop, vertex) alone.
///
/// fanouts  from the output layer inwards: HyScale's 25 and 10 are {10, 25} (HP-GNN's sizes say so)
/// seeds    distinct vertices
/// Time: as many steps as neighbours are drawn, and one for each vertex of A once a sampler.
class NeighbourSampler {
 public:
  /// A outlives it.
  NeighbourSampler(const Csr& A, std::vector<int> fanouts, std::uint64_t seed);

  BatchSize sample(std::span<const Vertex> seeds, std::uint64_t iteration);
  /// The sampled arcs of the last call, hop by hop from the seeds.
  const std::vector<std::vector<Arc>>& arcs() const { return arcs_; }

 private:
  void draw(Vertex target, int hop, std::uint64_t iteration);

  const Csr& A_;
  std::vector<int> fanouts_;
  std::uint64_t seed_;
  std::vector<std::int64_t> seenIn_;  // the sample in which a vertex was last met
  std::int64_t samples_ = 0;
  std::vector<Vertex> met_;
  std::vector<std::vector<Arc>> arcs_;
};

struct SampleRequest {
  std::vector<int> fanouts = {10, 25};
  std::vector<std::int64_t> batchSizes;  // of the full graph, ascending, 1 or more
  int draws = 8;                         // mini-batches of each size
  /// Vertices of the full graph over those of the replica, 1 or more: a batch of B seeds is the sum of
  /// batches of B / scale seeds (at least one) on the replica, as many as make B. The share of vertices met
  /// twice, which depends on how many are drawn of how many, stays that of the full graph.
  double scale = 1;
  std::uint64_t seed = 1;
};

/// Sizes of mini-batches as drawn, not their mean.
class BatchSizes {
 public:
  /// Draws `request.draws` mini-batches of each size, in parallel; the same for any number of threads.
  /// Throws InputError for fan-outs, sizes, draws and scales that cannot be. A graph without vertices gives
  /// empty mini-batches.
  BatchSizes(const Csr& replica, const SampleRequest& request, int threads = 0);
  /// The same size each time, in proportion to the batch: for closed forms and tests.
  explicit BatchSizes(BatchSize atOne);

  int layers() const { return static_cast<int>(sizes_.front().front().edges.size()); }
  int draws() const { return static_cast<int>(sizes_.front().size()); }
  /// Draw `which` (modulo their number) for a batch of `seeds`: between two sizes on the line through their
  /// draws of that number, outside them in proportion. Nothing for no seeds.
  BatchSize of(double seeds, std::uint64_t which) const;
  /// The mean of all draws.
  BatchSize mean(double seeds) const;

 private:
  std::vector<double> batchSizes_;             // ascending
  std::vector<std::vector<BatchSize>> sizes_;  // by batch size and draw
};

}  // namespace halo::sim
