#include "engine/kernels/opencl/card_network.h"

#include <utility>

namespace halo {

CardNetwork::CardNetwork(OpenClDevice& device, const std::string& kind, std::span<const Index> widths,
                         bool learnEpsilon)
    : device_(device), blocks_(widths.size() - 1), A_(widths.size()) {
  HALO_CHECK(widths.size() >= 2);
  for (std::size_t l = 0; l + 1 < widths.size(); ++l)
    layers_.push_back(makeCardLayer(kind, widths[l], widths[l + 1], learnEpsilon));
}

void CardNetwork::setWeights(int l, std::span<const Matrix* const> weights) {
  layers_[at(l)]->setWeights(device_, weights);
}

void CardNetwork::takeGradients(int l, std::span<Matrix* const> gradients) {
  layers_[at(l)]->takeGradients(device_, gradients);
}

void CardNetwork::forward(std::span<const Block> blocks, FirstRows X, Matrix& outputs) {
  HALO_CHECK(blocks.size() == layers_.size());
  device_.up(X, A_.front());
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    device_.up(blocks[l].edges, blocks_[l].edges);
    if (l > 0) device_.up(blocks[l].transposed, blocks_[l].transposed);
    layers_[l]->forward(device_, blocks_[l], A_[l], A_[l + 1]);
    if (l + 1 < blocks.size()) relu(device_, A_[l + 1]);
  }
  device_.down(A_.back(), outputs);
}

void CardNetwork::backward(const Matrix& dOutputs) {
  HALO_CHECK(dOutputs.rows() == A_.back().rows && dOutputs.cols() == A_.back().cols);
  device_.up(dOutputs, dU_);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    layers_[l]->backward(device_, blocks_[l], A_[l], dU_, l > 0 ? &dH_ : nullptr);
    if (l == 0) break;
    reluBackward(device_, A_[l], dH_);
    std::swap(dU_, dH_);
  }
}

}  // namespace halo
