#pragma once

#include <string>

#include "engine/kernels/opencl/card_layers.h"

namespace halo {

/// A model on a card: U(l) = layer l of A(l), A(0) = X, A(l + 1) = ReLU(U(l)). The loss stays on the host,
/// which has the labels; seeds are few. A trainer's step:
///
///   setWeights(l, …) of each layer;  forward(blocks, X, outputs);  loss and its gradient dU on the host;
///   backward(dU);  takeGradients(l, …) of each layer
///
/// Over the bus go weights, blocks, X and dU up, outputs and gradients down: traffic() of the device counts
/// them.
class CardNetwork {
 public:
  /// `widths`: d_0 … d_L. `kind` as makeCardLayer takes it. The device outlives this.
  CardNetwork(OpenClDevice& device, const std::string& kind, std::span<const Index> widths,
              bool learnEpsilon = false);

  int layers() const { return static_cast<int>(layers_.size()); }
  const CardLayer& layer(int l) const { return *layers_[at(l)]; }

  /// A block of layer l and its transpose; the latter is not read for layer 0, into which no gradient goes.
  struct Block {
    const Csr& edges;
    const Csr& transposed;
  };

  void setWeights(int l, std::span<const Matrix* const> weights);
  /// X: rows of the first block's sources; `outputs` (seeds × d_L), resized.
  void forward(std::span<const Block> blocks, FirstRows X, Matrix& outputs);
  /// Of the batch that went forward last.
  void backward(const Matrix& dOutputs);
  void takeGradients(int l, std::span<Matrix* const> gradients);

 private:
  OpenClDevice& device_;
  std::vector<std::unique_ptr<CardLayer>> layers_;
  std::vector<CardBlock> blocks_;
  std::vector<CardMatrix> A_;  // by layer: what enters it; last: the outputs
  CardMatrix dU_, dH_;
};

}  // namespace halo
