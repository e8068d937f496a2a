#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "engine/sampling/block_numbering.h"
#include "engine/sampling/blocks.h"
#include "engine/sampling/row_draw.h"
#include "engine/sampling/sampled_graph.h"

namespace halo {

struct NeighbourSettings {
  Fanouts fanouts = {25, 10};  // one a layer, from the inputs to the seeds
  bool replace = false;        // each draw an arc of its own

  int layers() const { return static_cast<int>(fanouts.size()); }
};

/// The sampled in-neighbours of some vertices: what the owner of the vertices answers, and what makes a block
/// of answers. Kept from call to call.
class NeighbourDraw {
 public:
  /// Draws of `targets` in block `layer` (1 … L); row rowNumbers[i] of `graph` is of targets[i]. No row
  /// numbers: row v is of vertex v. `out` gets the draws: a row a target, columns by global id.
  ///
  /// Cost: O(targets + arcs drawn). Source: GraphSAGE (Hamilton et al. 2017), algorithm 2.
  void operator()(const SampledGraph& graph, const NeighbourSettings& settings, const DrawKey& key, int layer,
                  std::span<const Vertex> targets, std::span<const Vertex> rowNumbers, Csr& out,
                  const AskStop& askStop = {});
  std::size_t heldBytes() const { return halo::heldBytes(rows_) + sizeof *this; }

 private:
  struct Row {
    const Vertex* neighbours;
    std::uint32_t degree;                // without the vertex itself
    std::uint32_t loops = 0, after = 0;  // arcs from itself, and the neighbours before them
  };
  void findRows(const SampledGraph& graph, std::span<const Vertex> targets,
                std::span<const Vertex> rowNumbers);
  void take(const Row& row, Vertex* columns) const;

  Buffer<Row> rows_;
  RowDraw draw_;
};

/// The blocks of mini-batches: at most fanouts[l − 1] in-neighbours of every target of block l, without
/// replacement or with. One thread uses it; the graph outlives it.
///
/// Cost of a batch: O(Σ|V^l| + Σ|E^l|). Memory: 4 bytes a vertex of the graph, and of the largest batch 24
/// bytes a target and 4 a source. Nothing is allocated but for a batch larger than any before.
class NeighbourSampler {
 public:
  NeighbourSampler(const SampledGraph& graph, NeighbourSettings settings);

  /// seeds  distinct vertices, may be empty; they are V^L in this order
  void sample(std::span<const Vertex> seeds, const DrawKey& key, Blocks& out, const AskStop& askStop = {});
  std::size_t heldBytes() const { return numbering_.heldBytes() + draw_.heldBytes(); }

 private:
  const SampledGraph& graph_;
  NeighbourSettings settings_;
  NeighbourDraw draw_;
  BlockNumbering numbering_;
};

/// One of several batches that are sampled side by side.
struct NeighbourBatch {
  std::span<const Vertex> seeds;
  DrawKey key;
};

/// Samples batches on threads, a batch a thread. What comes out does not depend on their number.
class NeighbourTeam {
 public:
  /// threads  1 or more; memory of a NeighbourSampler each
  NeighbourTeam(const SampledGraph& graph, const NeighbourSettings& settings, int threads);

  /// out[i] gets batches[i]. `askStop` is asked by the calling thread before each of its batches. More than
  /// one batch on more than one thread starts threads, which allocates.
  void sample(std::span<const NeighbourBatch> batches, std::span<Blocks> out, const AskStop& askStop = {});
  int threads() const { return static_cast<int>(samplers_.size()); }
  std::size_t heldBytes() const;

 private:
  NeighbourSampler* take();

  std::vector<NeighbourSampler> samplers_;
  std::vector<NeighbourSampler*> idle_;
  std::mutex mutex_;  // of idle_
};

}  // namespace halo
