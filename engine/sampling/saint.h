#pragma once

#include <vector>

#include "engine/base/index.h"
#include "engine/sampling/square_sampler.h"
#include "engine/sampling/weighted_draw.h"

namespace halo {

// GraphSAINT's node and edge samplers (Zeng et al., ICLR 2020, section 3.4): m draws with replacement, V' the
// distinct vertices, arcs induced. Inclusion is known in closed form, so nothing is sampled beforehand.
// Memory: 8.5 bytes a vertex; of the edge sampler 8 a vertex, 16.5 a pair and 4 an arc.
// Making them takes a few looks at every arc; `askStop` is asked all the while.

/// Vertices by p_v ∝ Σ_w P_wv² over w ≠ v. A vertex without consumers is never drawn.
class SaintNodeSampler final : public SquareSampler {
 public:
  /// draws  m, 1 or more
  SaintNodeSampler(const SampledGraph& graph, const GlobalMatrix& P, std::int64_t draws,
                   const AskStop& askStop = {});
  /// The same of a graph whose rows nobody has all of. squares: Σ_w P_wv² over w ≠ v, by vertex, the same
  /// wherever it draws.
  SaintNodeSampler(const SampledGraph& graph, std::span<const double> squares, std::int64_t draws);

  const WeightedDraw& weights() const { return weights_; }  // by vertex
  double draws() const { return draws_; }                   // m
  void draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
            const AskStop& askStop = {}) const override;
  double inclusion(Vertex v) const override;
  void factors(const SquareBlock& block, Buffer<double>& out) const override;
  double meanVertices() const override { return meanVertices_; }
  std::size_t heldBytes() const override { return weights_.heldBytes(); }

 private:
  double draws_;
  WeightedDraw weights_;
  double meanVertices_ = 0;
};

/// Unordered pairs by p_e ∝ P_uv + P_vu; both ends join.
class SaintEdgeSampler final : public SquareSampler {
 public:
  SaintEdgeSampler(const SampledGraph& graph, const GlobalMatrix& P, std::int64_t draws,
                   const AskStop& askStop = {});

  /// A pair is known by one of its arcs: the one from the lower vertex, or the only one.
  /// Pairs stand in the order of these arcs, rows first.
  const Buffer<Arc>& pairs() const { return pairs_; }
  const WeightedDraw& weights() const { return weights_; }  // of pairs()
  /// q_v: that a draw has v.
  double met(Vertex v) const { return met_[at(v)]; }
  void draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
            const AskStop& askStop = {}) const override;
  double inclusion(Vertex v) const override;
  void factors(const SquareBlock& block, Buffer<double>& out) const override;
  double meanVertices() const override { return meanVertices_; }
  std::size_t heldBytes() const override {
    return halo::heldBytes(pairs_) + halo::heldBytes(pairOf_) + halo::heldBytes(met_) + weights_.heldBytes();
  }

 private:
  void findPairs(const AskStop& askStop);
  void weighPairs(const GlobalMatrix& P, const AskStop& askStop);

  double draws_;
  Buffer<Arc> pairs_;
  Buffer<std::uint32_t> pairOf_;  // by arc of the graph
  WeightedDraw weights_;
  Buffer<double> met_;
  double meanVertices_ = 0;
};

}  // namespace halo
