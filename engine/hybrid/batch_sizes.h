#pragma once

#include <cstdint>
#include <vector>

#include "engine/sampling/blocks.h"
#include "engine/sampling/fanouts.h"

namespace halo {

/// What one mini-batch is made of: V^0 (inputs) … V^L (seeds) and the sampled neighbours E^l, l = 1 … L.
/// Layer l aggregates over E^l; self loops are not among them.
struct BatchSize {
  std::vector<double> vertices;  // L + 1
  std::vector<double> edges;     // L; edges[l − 1] is |E^l|
  double sampled() const;        // neighbours of all layers
};

/// Of a batch that was drawn.
BatchSize sizeOf(const Blocks& blocks);

struct SampleRequest {
  Fanouts fanouts = {25, 10};            // from the inputs to the seeds
  std::vector<std::int64_t> batchSizes;  // of the full graph, ascending, 1 or more
  int draws = 8;                         // mini-batches of each size
  /// Vertices of the full graph over those of the replica, 1 or more. A batch of B seeds is the sum of
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
  /// Draw `number` (modulo how many there are) for a batch of `seeds`. Between two sizes it lies on the line
  /// through their draws of that number, outside them in proportion. Nothing for no seeds.
  BatchSize sizeAt(double seeds, std::uint64_t number) const;
  /// The mean of all draws.
  BatchSize mean(double seeds) const;

 private:
  std::vector<double> batchSizes_;             // ascending
  std::vector<std::vector<BatchSize>> sizes_;  // by batch size and draw
};

}  // namespace halo
