#include "engine/kernels/opencl/card_network.h"

#include <utility>

#include "engine/kernels/opencl/card_activation.h"

namespace halo {

CardNetwork::CardNetwork(OpenClDevice& device, const CardModel& model)
    : device_(device),
      model_(model),
      norms_(model.widths.size() - 1),
      blocks_(model.widths.size() - 1),
      A_(model.widths.size()),
      ids_(model.widths.size() - 1) {
  HALO_CHECK(model.widths.size() >= 2);
  for (std::size_t l = 0; l + 1 < model.widths.size(); ++l)
    layers_.push_back(makeCardLayer(model.form, model.widths[l], model.widths[l + 1]));
}

void CardNetwork::setWeights(int l, std::span<const Matrix* const> weights) {
  HALO_CHECK(weights.size() == weightCount(l));
  const std::size_t own = layers_[at(l)]->weightCount();
  layers_[at(l)]->setWeights(device_, weights.first(own));
  if (!normalised(l)) return;
  device_.up(*weights[own], norms_[at(l)].scale);
  device_.up(*weights[own + 1], norms_[at(l)].shift);
}

void CardNetwork::takeGradients(int l, std::span<Matrix* const> gradients) {
  HALO_CHECK(gradients.size() == weightCount(l));
  const std::size_t own = layers_[at(l)]->weightCount();
  layers_[at(l)]->takeGradients(device_, gradients.first(own));
  if (!normalised(l)) return;
  device_.down(norms_[at(l)].dScale, *gradients[own]);
  device_.down(norms_[at(l)].dShift, *gradients[own + 1]);
}

void CardNetwork::drop(std::size_t l, CardMatrix& rows) {
  if (model_.dropout == 0) return;
  DropoutKey key = batch_.key;
  key.layer = static_cast<std::uint32_t>(l);
  dropout(device_, ids_[l], key, model_.dropout, rows);
}

void CardNetwork::begin(const CardBatch& batch, CardMatrix& X) {
  HALO_CHECK(batch.blocks.size() == layers_.size());
  HALO_CHECK(model_.dropout == 0 || batch.ids.size() >= layers_.size());
  batch_ = batch;
  X_ = &X;
}

void CardNetwork::forwardLayer(int layer) {
  const std::size_t l = at(layer);
  device_.up(batch_.blocks[l].edges, blocks_[l].edges);
  if (l > 0) device_.up(batch_.blocks[l].transposed, blocks_[l].transposed);
  if (model_.dropout > 0) device_.up(batch_.ids[l], ids_[l]);
  drop(l, entering(l));
  Norm& norm = norms_[l];
  layers_[l]->forward(device_, blocks_[l], entering(l), normalised(layer) ? norm.hat : A_[l + 1]);
  if (normalised(layer)) layerNorm(device_, norm.hat, norm.scale, norm.shift, A_[l + 1], norm.inverse);
  if (layer + 1 < layers()) relu(device_, A_[l + 1]);
}

void CardNetwork::startBackward(const Matrix& dOutputs) {
  HALO_CHECK(dOutputs.rows() == A_.back().rows && dOutputs.cols() == A_.back().cols);
  device_.up(dOutputs, dU_);
}

// What was dropped is 0 in its place, so the mask of ReLU that is read there leaves it out once more.
void CardNetwork::backwardLayer(int layer) {
  const std::size_t l = at(layer);
  layers_[l]->backward(device_, blocks_[l], entering(l), dU_, l > 0 ? &dH_ : nullptr);
  if (l == 0) return;
  drop(l, dH_);
  reluBackward(device_, A_[l], dH_);
  Norm& norm = norms_[l - 1];
  if (normalised(layer - 1))
    layerNormBackward(device_, norm.hat, norm.inverse, norm.scale, dH_, norm.dScale, norm.dShift);
  std::swap(dU_, dH_);
}

}  // namespace halo
