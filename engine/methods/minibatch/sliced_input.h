#pragma once

#include <memory>
#include <vector>

#include "engine/methods/full_graph/row_steps.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/sampling/block_numbering.h"
#include "engine/sampling/blocks.h"

namespace halo {

/// Whether layer 0 of the model can be made of slices: its kind has an InputProduct.
bool canSliceInput(const ModelSettings& model);

/// What the batches of an epoch pushed to the ranks, of one of these.
struct PushCounts {
  std::int64_t targets = 0, arcs = 0, iterations = 0;  // Σ|V^1|, Σ|E^1|, iterations with targets
};

/// Layer 0 of every rank's batch, by slices of the features. Rank q has columns [⌊d_0 q/P⌋, ⌊d_0 (q+1)/P⌋) of
/// all vertices, and those rows of the layer's input weights.
///
///   forward    block 1 of every batch to every rank;   T_bq = product of the slice;   T_b = Σ_q T_bq at b
///   backward   dT_b to every rank;   gradients of the slice's weights, summed over b
///
/// Sums are in the order of ranks. Kept from batch to batch. Parts of T and dT travel from a start to its
/// finish. The forward pass of one batch and the backward pass of another may be under way together.
class SlicedInput {
 public:
  /// Collective; what is set up is not counted. All outlive this. `batches`: most that are between their
  /// forward and their backward pass.
  SlicedInput(WorkerParts& parts, const Topology& topology, EdgeWeights weights, int batches);

  // Collective, every rank with a batch that may be empty. Of the newest batch:

  /// Everybody learns of everybody's block 1.
  void push(const Blocks& blocks);
  /// `ownMatrix`: that of the own block 1; `input`: how layer 0 drops.
  void startForward(const Csr& ownMatrix, const LayerInput& input);
  /// T of the own batch, |V^1| × f^1.
  void finishForward(Matrix& T);

  // Collective, of the oldest batch:

  void startBackward(const Matrix& dT);
  /// Overwrites the gradients of the slice's weights.
  void finishBackward();

  /// The model's weights become what the slices are. Not counted.
  void gather();
  /// The slices become what the model's weights are.
  void takeSlices();

  /// The slices that this rank steps.
  const std::vector<Weight*>& weights() const { return weights_; }
  /// The weights of the model that they are slices of.
  const std::vector<Weight*>& wholes() const { return wholes_; }

  void countFrom(const PushCounts& counts) { counts_ = counts; }
  const PushCounts& counts() const { return counts_; }
  void addTo(Memory& memory) const;

 private:
  /// A batch as this rank sees it, from its forward to its backward pass.
  struct Batch {
    std::vector<std::int64_t> header;  // |V^1|, |E^1|
    Buffer<std::int64_t> message;
    Blocks blocks;
    Csr matrix;
    Matrix H, Z,
        T;  // rows of the slice that enter, those that are aggregated, and their product or its gradient
    Index targets() const { return header[0]; }
  };

  Index columnsBefore(int rank) const { return width_ * rank / comm_.size(); }
  void takeFeatures();
  void makeSlice();
  void takeFactor();
  void pack(const Blocks& blocks, Batch& own) const;
  void unpack(Batch& batch);
  void multiplySlice(Batch& batch, const LayerInput& input);
  template <class Use>
  void eachOther(const Use& use) {
    for (int rank = 0; rank < comm_.size(); ++rank)
      if (rank != comm_.rank()) use(rank);
  }
  /// Messages under way.
  struct Under {
    std::vector<Transfer> receives, sends;
  };
  void finish(Under& under);
  Batch& ownOf(std::vector<Batch>& batches) { return batches[at(comm_.rank())]; }
  std::vector<Batch>& newest() { return batches_[newest_]; }
  std::vector<Batch>& oldest() { return batches_[oldest_]; }

  WorkerParts& parts_;
  Communicator& comm_;
  const Topology& topology_;
  EdgeWeights edgeWeights_;
  Index width_, begin_;           // d_0; the first column of the slice
  Matrix X_;                      // all vertices × the slice; without rows where it is mapped
  std::unique_ptr<Layer> slice_;  // layer 0 on the slice's columns
  InputProduct *product_ = nullptr, *wholeProduct_ = nullptr;
  std::vector<Weight*> weights_, wholes_;
  BlockNumbering numbering_;
  std::vector<std::vector<Batch>> batches_;  // in a circle; each by rank
  std::size_t newest_, oldest_ = 0;
  std::vector<Matrix> arrived_;  // parts of T from each rank
  Under forward_, backward_;
  PushCounts counts_;
};

}  // namespace halo
