#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/kernels/opencl/card_memory.h"
#include "engine/kernels/opencl/opencl_device.h"

namespace halo {

/// A block of a batch on a card, both ways round: `transposed` is needed where a gradient goes back through
/// it.
struct CardBlock {
  CardCsr edges, transposed;
};

/// What tells layers apart beside the values of P. Z = P H is multiplied by weights in × out in each.
struct CardLayerForm {
  bool ownProduct = false;     // and H by weights of its own
  bool secondProduct = false;  // (1 + ε) H + Z instead, and the rectified product once more, out × out
  bool learnEpsilon = false;   // of the second product's
};

/// A layer on a card, aggregate-first, for a block of n targets and m sources of which the targets are the
/// first n:   H (m × in)   U, dU (n × out)   dH (m × in)
///
/// Formulas and weights are those of the host's layer of that name (engine/model). What forward keeps for
/// backward is of the last batch.
class CardLayer {
 public:
  CardLayer(Index in, Index out, std::size_t weights)
      : in_(in), out_(out), weights_(weights), gradients_(weights) {}
  virtual ~CardLayer() = default;

  Index in() const { return in_; }
  Index out() const { return out_; }
  /// As many, in the order and the shapes of the host's.
  std::size_t weightCount() const { return weights_.size(); }
  virtual void setWeights(OpenClDevice& device, std::span<const Matrix* const> weights);
  virtual void takeGradients(OpenClDevice& device, std::span<Matrix* const> gradients);

  virtual void forward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H, CardMatrix& U) = 0;
  /// `dH`: nullptr where nobody reads it.
  virtual void backward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H,
                        const CardMatrix& dU, CardMatrix* dH) = 0;

 protected:
  Index in_, out_;
  std::vector<CardMatrix> weights_, gradients_;
  CardMatrix dZ_;
};

/// Throws InputError for a form that no kernels are there for: both products at once.
std::unique_ptr<CardLayer> makeCardLayer(const CardLayerForm& form, Index in, Index out);

}  // namespace halo
