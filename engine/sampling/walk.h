#pragma once

#include <vector>

#include "engine/base/index.h"
#include "engine/sampling/square_sampler.h"

namespace halo {

/// GraphSAINT's random walks (Zeng et al., ICLR 2020, algorithm 2 and section 3.2). Roots are uniform over
/// the training vertices, with replacement. Each is followed by `depth` steps to a uniform in-neighbour; a
/// walk ends where there is none. V' are the distinct vertices, arcs induced.
///
/// Root and steps of walk r are numbers 0 … depth of stream (step << 32 | r); the step is below 2^32.
/// Normalisers are counted: C_v and C_vu are in how many of N sets sampled beforehand v, and both ends, were.
/// N is the first with Σ|V'| ≥ coverage · n. λ_v = max(C_v, 1)/N and α_vu = max(C_vu, 1)/max(C_v, 1), but λ_v
/// is 0 where no walk can ever come by. Memory: 4 bytes a vertex and arc.
class WalkSampler final : public SquareSampler {
 public:
  struct Settings {
    std::int64_t roots = 3000;
    int depth = 2;
    double coverage = 50;
    std::uint64_t seed = 1;  // of the sets sampled beforehand
  };
  /// train  not empty
  /// Takes as long as coverage · n steps and the arcs of their sets; `askStop` is asked all the while.
  WalkSampler(const SampledGraph& graph, std::span<const Vertex> train, const Settings& settings,
              const AskStop& askStop = {});

  Index preSampled() const { return sets_; }  // N
  std::int32_t met(Vertex v) const { return met_[at(v)]; }
  std::int32_t metBoth(Index place) const { return metBoth_[at(place)]; }  // of an arc
  void draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
            const AskStop& askStop = {}) const override;
  double inclusion(Vertex v) const override;
  void factors(const SquareBlock& block, Buffer<double>& out) const override;
  double meanVertices() const override { return meanVertices_; }
  std::size_t heldBytes() const override;

 private:
  void follow(const DrawKey& key, std::uint64_t walk, Numbering& numbering) const;
  void findReachable();

  std::vector<Vertex> train_;
  Settings settings_;
  Buffer<std::int32_t> met_, metBoth_;
  std::vector<std::uint8_t> reachable_;  // by vertex: within depth steps of a training vertex
  Index sets_ = 0;
  double meanVertices_ = 0;
};

}  // namespace halo
