#pragma once

#include "engine/sampling/square_sampler.h"

namespace halo {

/// b of n vertices without replacement, each set equally likely. Draw j of the key's step is number j.
/// λ_v = b/n; 1/α_uv = (n − 1)/(b − 1), with b = 1 there are no arcs.
/// Source: Floyd's algorithm (Bentley and Floyd 1987). O(b log b) a set.
class UniformSampler final : public SquareSampler {
 public:
  /// 1 ≤ vertices ≤ n
  UniformSampler(const SampledGraph& graph, Index vertices);

  void draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
            const AskStop& askStop = {}) const override;
  double inclusion(Vertex v) const override;
  void factors(const SquareBlock& block, Buffer<double>& out) const override;
  double meanVertices() const override { return static_cast<double>(drawn_); }
  std::size_t heldBytes() const override { return 0; }

 private:
  Index drawn_;
};

}  // namespace halo
