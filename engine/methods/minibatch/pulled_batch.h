#pragma once

#include "engine/methods/minibatch/owner_exchange.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/sampling/neighbour.h"

namespace halo {

/// The blocks of a rank's batch, and the features that they read, where vertices belong to several ranks. Who
/// owns a target draws for it, and who owns a vertex sends its features. One process would draw the same
/// blocks.
///
/// An iteration: open, then steps. Round l = L … 1 draws block l, for l < L with others' draws; round 0
/// fetches X of V^0. A step takes what the one before it posted, and posts what follows. All ranks take all
/// steps, with an empty batch too, in the same order within each of their batches. Kept from batch to batch.
class PulledBatch {
 public:
  /// Collective. All outlive this. `slot`: among the batches of a rank that may be under way together, which
  /// are told apart by it. `fetches`: false leaves out round 0.
  PulledBatch(WorkerParts& parts, const Topology& topology, NeighbourSettings settings, int slot,
              bool fetches = true);

  /// `seeds`: own vertices, distinct, perhaps none.
  void open(std::span<const Vertex> seeds, const DrawKey& key);
  /// The round that the next step is of; −1: all are done.
  int round() const { return round_; }
  /// Whether the next step would not wait for anybody.
  bool isReady() { return exchange_.isHere(); }
  /// Sets the tracer to the layer and pass of its round.
  void step(PullCounts& counts);

  const Blocks& blocks() const { return blocks_; }
  const Matrix& features() const { return features_; }
  /// Bytes of what travels and of blocks.
  std::size_t heldBytes() const;

 private:
  /// What the next step does, after it has waited.
  enum class Step : std::uint8_t { ask, sayWhich, answer, take };

  int tag() const;
  Csr& block() { return blocks_.arcs[at(round_) - 1]; }
  void ask(PullCounts& counts);
  void answerDraws(PullCounts& counts);
  void setOffsets(std::span<const Vertex> targets, Csr& block) const;
  void startDraws(const Csr& block);
  void drawOwn(std::span<const Vertex> targets, Csr& block);
  void takeDraws(PullCounts& counts);
  void answerRows();
  void takeRows();

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
  int slot_, round_ = -1;
  bool fetches_;
  Step next_ = Step::ask;
  DrawKey key_;
  Matrix features_;
};

}  // namespace halo
