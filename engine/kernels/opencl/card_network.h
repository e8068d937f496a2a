#pragma once

#include "engine/kernels/dense/activation.h"
#include "engine/kernels/opencl/card_layers.h"

namespace halo {

/// What is trained on a card.
struct CardModel {
  CardLayerForm form;         // of all layers
  std::vector<Index> widths;  // d_0 … d_L
  bool norm = false;          // LayerNorm after each layer but the last
  double dropout = 0;         // of what enters each layer, before it aggregates
};

/// A batch of blocks, as they are on the host.
struct CardBatch {
  /// A block of layer l and its transpose; the latter is not read for layer 0, into which no gradient goes.
  struct Block {
    const Csr& edges;
    const Csr& transposed;
  };
  std::span<const Block> blocks;
  /// What dropout draws by: V^l, l = 0 … L − 1, by global id, and the update. Not read without dropout.
  std::span<const std::vector<Vertex>> ids = {};
  DropoutKey key = {};  // its layer is set here
};

/// A model on a card:
///
///   A(0) = X;   H(l) = dropout(A(l));   U(l) = layer l of H(l);   A(l + 1) = ReLU(norm(U(l)))
///
/// The loss stays on the host, which has the labels; seeds are few. A trainer's step:
///
///   setWeights(l, …) of each layer;  begin(batch, X);  forwardLayer(l) from the first to the last;
///   takeOutputs(U);  loss and its gradient dU on the host;  startBackward(dU);  backwardLayer(l) from the
///   last to the first;  takeGradients(l, …) of each layer
///
/// Over the bus go weights, blocks, X, vertices and dU up, outputs and gradients down: traffic() of the
/// device counts them.
class CardNetwork {
 public:
  /// The device outlives this.
  CardNetwork(OpenClDevice& device, const CardModel& model);

  int layers() const { return static_cast<int>(layers_.size()); }
  bool normalised(int l) const { return model_.norm && l + 1 < layers(); }
  /// Of a layer: its own, and where it is normalised scale and shift after them.
  std::size_t weightCount(int l) const { return layers_[at(l)]->weightCount() + (normalised(l) ? 2U : 0U); }

  void setWeights(int l, std::span<const Matrix* const> weights);
  /// X: rows of the first block's sources, which are dropped in their place. What is given outlives the
  /// backward pass.
  void begin(const CardBatch& batch, CardMatrix& X);
  void forwardLayer(int l);
  void takeOutputs(Matrix& outputs) { device_.down(A_.back(), outputs); }  // seeds × d_L, resized
  void startBackward(const Matrix& dOutputs);
  void backwardLayer(int l);
  void takeGradients(int l, std::span<Matrix* const> gradients);

 private:
  struct Norm {
    CardMatrix scale, shift, dScale, dShift;
    CardMatrix hat, inverse;  // what backward reads of forward
  };
  CardMatrix& entering(std::size_t l) { return l == 0 ? *X_ : A_[l]; }
  void drop(std::size_t l, CardMatrix& rows);

  OpenClDevice& device_;
  CardModel model_;
  std::vector<std::unique_ptr<CardLayer>> layers_;
  std::vector<Norm> norms_;  // by layer
  std::vector<CardBlock> blocks_;
  std::vector<CardMatrix> A_;    // what enters a layer, but for the first; last: the outputs
  std::vector<CardBuffer> ids_;  // of what enters a layer
  CardBatch batch_;
  CardMatrix* X_ = nullptr;
  CardMatrix dU_, dH_;
};

}  // namespace halo
