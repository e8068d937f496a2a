#pragma once

#include "engine/methods/minibatch/owner_exchange.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/sampling/neighbour.h"

namespace halo {

/// The blocks of a rank's batch, and the features that they read, where vertices belong to several ranks: who
/// owns a target draws for it, who owns a vertex sends its features. One process would draw the same blocks.
///
/// An iteration: open; for l = L … 1 draw block l, for l < L with others' draws; then fetch the features of
/// V^0. All ranks take part in every step, with an empty batch too. Kept from batch to batch.
class PulledBatch {
 public:
  /// Collective. All outlive this.
  PulledBatch(WorkerParts& parts, const Topology& topology, NeighbourSettings settings);

  /// `seeds`: own vertices, distinct, perhaps none.
  void open(std::span<const Vertex> seeds) { numbering_.begin(seeds); }
  /// Collective.
  void draw(int layer, const DrawKey& key, PullCounts& counts);
  /// Collective. X of V^0.
  void fetch(PullCounts& counts);

  const Blocks& blocks() const { return blocks_; }
  const Matrix& features() const { return features_; }
  /// Bytes of what travels and of blocks.
  std::size_t heldBytes() const;

 private:
  int tag(int round) const;
  void setOffsets(std::span<const Vertex> targets, int layer, Csr& block) const;
  void startDraws(int layer, const DrawKey& key, const Csr& block);
  void drawOwn(std::span<const Vertex> targets, int layer, const DrawKey& key, Csr& block);
  void place(Csr& block);

  WorkerParts& parts_;
  const Topology& topology_;
  NeighbourSettings settings_;
  OwnerExchange exchange_;
  NeighbourDraw draw_;
  BlockNumbering numbering_;
  Blocks blocks_;
  Csr drawn_;                               // of some targets, columns by global id
  std::vector<Vertex> ids_;                 // of these
  std::vector<Index> sent_, received_;      // arcs, by rank
  Buffer<std::int64_t> answers_, arrived_;  // drawn neighbours
  Buffer<Scalar> packed_, arrivedRows_;     // features
  Matrix features_;
};

}  // namespace halo
