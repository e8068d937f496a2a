#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sampling/block_numbering.h"
#include "engine/sampling/blocks.h"
#include "engine/sampling/global_matrix.h"
#include "engine/sampling/row_draw.h"
#include "engine/sampling/sampled_graph.h"
#include "engine/sampling/weighted_draw.h"

namespace halo {

/// Blocks whose sources a layer draws together, and what makes them unbiased (weighByFactors).
struct LayerWiseBlocks {
  Blocks blocks;
  std::vector<Buffer<double>> factors;  // [l − 1], of each arc: m_u / (s q_u)
  std::vector<Buffer<double>> own;      // [l − 1], of each target: the same of itself, 0 where not drawn
};

/// s draws with replacement of V^(l−1) for all of V^l together, by q_u ∝ Σ_{v ∈ V^l} P_vu². With u drawn m_u
/// times, Z_v = Σ_u P_vu (m_u / (s q_u)) h_u is unbiased. Where P includes the vertex itself, that entry is
/// drawn as the others are. Rows are not renormalised.
///
/// Draws of block l are numbers 0 … s − 1 of stream step · L + L − l. Candidates of a block are numbered by
/// global id. Cost O(degrees of the targets). One thread uses it; the graph outlives it.
/// Source: FastGCN (Chen et al. 2018); q of the layer's targets alone as in LADIES (Zou et al. 2019).
class LayerWiseSampler {
 public:
  /// P's degrees outlive this. draws: s of each layer from the inputs to the seeds, 1 or more
  LayerWiseSampler(const SampledGraph& graph, const GlobalMatrix& P, std::vector<std::int64_t> draws);

  /// seeds  distinct vertices, may be empty. The key's purpose is subgraph.
  void sample(std::span<const Vertex> seeds, const DrawKey& key, LayerWiseBlocks& out,
              const AskStop& askStop = {});
  std::size_t heldBytes() const;

 private:
  void findCandidates(std::span<const Vertex> targets);
  void drawCandidates(const DrawKey& key, int layer);
  void takeArcs(std::span<const Vertex> targets, int layer, LayerWiseBlocks& out);

  const SampledGraph& graph_;
  GlobalMatrix P_;
  std::vector<std::int64_t> draws_;
  BlockNumbering numbering_;
  Numbering candidateNumbers_;  // candidates in the order found
  Buffer<Vertex> candidates_;   // ascending
  Buffer<double> byFound_, q_;  // Σ P²; in the order found, and by candidate
  WeightedDraw weights_;
  Buffer<std::int32_t> times_;  // m_u, in the order found
};

}  // namespace halo
