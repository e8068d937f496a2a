#pragma once

#include <cstdint>
#include <span>

#include "engine/base/stop_asks.h"
#include "engine/sampling/global_matrix.h"
#include "engine/sampling/keyed_word.h"
#include "engine/sampling/square_block.h"

namespace halo {

/// Draws a vertex set V' that all layers have, and says how its rows are made unbiased. What it has drawn by
/// is kept from the start; threads share it, each with a Numbering of its own.
class SquareSampler {
 public:
  explicit SquareSampler(const SampledGraph& graph) : graph_(graph) {}
  virtual ~SquareSampler() = default;
  SquareSampler(const SquareSampler&) = delete;
  SquareSampler& operator=(const SquareSampler&) = delete;

  const SampledGraph& graph() const { return graph_; }
  /// V' of a key, ascending. The key's purpose is subgraph, walk for walks, or preSample.
  virtual void draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
                    const AskStop& askStop = {}) const = 0;
  /// λ_v: the share of the sets that have v.
  virtual double inclusion(Vertex v) const = 0;
  /// Of each arc of the block, in stored order, what its P_vu is multiplied with: 1/α_vu. Then Z_v = P_vv h_v
  /// + Σ_{u ∈ V'} P_vu h_u / α_vu is Σ_u P_vu h_u on average over the sets that have v.
  virtual void factors(const SquareBlock& block, Buffer<double>& out) const = 0;
  /// Mean |V'|.
  virtual double meanVertices() const = 0;
  virtual std::size_t heldBytes() const = 0;

  /// Draws V' and takes the arcs within.
  void sample(const DrawKey& key, Numbering& numbering, SquareBlock& block,
              const AskStop& askStop = {}) const;

 protected:
  /// The vertices that a draw has met, ascending.
  static void sortMet(const Numbering& numbering, Buffer<Vertex>& vertices);

 private:
  const SampledGraph& graph_;
};

/// The matrix of a square block, |V'| × |V'|: global by the sampler's factors, block by degrees within V'.
/// `room` is kept from block to block.
void weighSquare(const SquareSampler& sampler, const SquareBlock& block, const GlobalMatrix& P,
                 EdgeWeights weights, Buffer<double>& room, Csr& out);

/// Training vertices that no set ever has; they are in no loss and not in n_train.
Index neverDrawn(const SquareSampler& sampler, std::span<const Vertex> train);

/// Iterations of an epoch, by which `vertices` are met once on average: ⌈vertices / mean |V'|⌉.
Index iterationsToMeet(Index vertices, double meanVertices);

}  // namespace halo
