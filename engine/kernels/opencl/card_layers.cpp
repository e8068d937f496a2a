#include "engine/kernels/opencl/card_layers.h"

#include "engine/base/problem.h"
#include "engine/kernels/opencl/card_activation.h"
#include "engine/kernels/opencl/card_products.h"

namespace halo {
namespace {

// Z = P H   U = Z W + b       dW = Zᵀ dU   dZ = dU Wᵀ   dH = Pᵀ dZ
class CardGcn final : public CardLayer {
 public:
  CardGcn(Index in, Index out) : CardLayer(in, out, 2) {}

  void forward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H, CardMatrix& U) override {
    spmm(device, block.edges, H, Z_);
    multiply(device, Z_, weights_[0], U, Write::overwrite, &weights_[1]);
  }
  void backward(OpenClDevice& device, const CardBlock& block, const CardMatrix&, const CardMatrix& dU,
                CardMatrix* dH) override {
    columnSums(device, dU, gradients_[1]);
    multiplyTransposedA(device, Z_, dU, gradients_[0]);
    if (dH == nullptr) return;
    multiplyTransposedB(device, dU, weights_[0], dZ_);
    spmm(device, block.transposed, dZ_, *dH);
  }

 private:
  CardMatrix Z_;
};

// Z = P H   U = H Wₛ + Z Wₙ + b       dWₛ = Hᵀ dU   dWₙ = Zᵀ dU   dZ = dU Wₙᵀ   dH = dU Wₛᵀ + Pᵀ dZ
class CardSage final : public CardLayer {
 public:
  CardSage(Index in, Index out) : CardLayer(in, out, 3) {}

  void forward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H, CardMatrix& U) override {
    spmm(device, block.edges, H, Z_);
    multiply(device, {H, Z_.rows}, weights_[0], U, Write::overwrite, &weights_[2]);
    multiply(device, Z_, weights_[1], U, Write::add);
  }
  void backward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H, const CardMatrix& dU,
                CardMatrix* dH) override {
    columnSums(device, dU, gradients_[2]);
    multiplyTransposedA(device, {H, dU.rows}, dU, gradients_[0]);
    multiplyTransposedA(device, Z_, dU, gradients_[1]);
    if (dH == nullptr) return;
    multiplyTransposedB(device, dU, weights_[1], dZ_);
    spmm(device, block.transposed, dZ_, *dH);
    multiplyTransposedB(device, dU, weights_[0], *dH, Write::add);
  }

 private:
  CardMatrix Z_;
};

// S = (1 + ε) H + A H   R = ReLU(S W₀ + b₀)   U = R W₁ + b₁
// dT = (dU W₁ᵀ) ⊙ [R > 0]   dW₁ = Rᵀ dU   dW₀ = Sᵀ dT   dS = dT W₀ᵀ   dε = ⟨dS, H⟩   dH = (1 + ε) dS + Aᵀ dS
class CardGin final : public CardLayer {
 public:
  CardGin(Index in, Index out, bool learnEpsilon)
      : CardLayer(in, out, learnEpsilon ? 5 : 4), learnEpsilon_(learnEpsilon) {}

  void setWeights(OpenClDevice& device, std::span<const Matrix* const> weights) override {
    CardLayer::setWeights(device, weights);
    if (learnEpsilon_) epsilon_ = (*weights[4])(0, 0);
  }
  void forward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H, CardMatrix& U) override {
    spmm(device, block.edges, H, S_);
    scaleAdd(device, 1 + epsilon_, {H, S_.rows}, S_);
    multiply(device, S_, weights_[0], R_, Write::overwrite, &weights_[1]);
    relu(device, R_);
    multiply(device, R_, weights_[2], U, Write::overwrite, &weights_[3]);
  }
  void backward(OpenClDevice& device, const CardBlock& block, const CardMatrix& H, const CardMatrix& dU,
                CardMatrix* dH) override {
    columnSums(device, dU, gradients_[3]);
    multiplyTransposedA(device, R_, dU, gradients_[2]);
    multiplyTransposedB(device, dU, weights_[2], dT_);
    reluBackward(device, R_, dT_);
    columnSums(device, dT_, gradients_[1]);
    multiplyTransposedA(device, S_, dT_, gradients_[0]);
    if (dH == nullptr && !learnEpsilon_) return;
    multiplyTransposedB(device, dT_, weights_[0], dZ_);
    if (learnEpsilon_) columnSums(device, dZ_, H, gradients_[4]);
    if (dH == nullptr) return;
    spmm(device, block.transposed, dZ_, *dH);
    scaleAdd(device, 1 + epsilon_, dZ_, *dH);
  }
  // ε has a column of its gradient for each of H: their sum is taken here, in double as on the host
  void takeGradients(OpenClDevice& device, std::span<Matrix* const> gradients) override {
    CardLayer::takeGradients(device, gradients);
    if (!learnEpsilon_) return;
    double sum = 0;
    for (const Scalar part : gradients[4]->values()) sum += static_cast<double>(part);
    gradients[4]->resize(1, 1);
    gradients[4]->fill(static_cast<Scalar>(sum));
  }

 private:
  bool learnEpsilon_;
  Scalar epsilon_ = 0;
  CardMatrix S_, R_, dT_;
};

}  // namespace

void CardLayer::setWeights(OpenClDevice& device, std::span<const Matrix* const> weights) {
  HALO_CHECK(weights.size() == weights_.size());
  for (std::size_t w = 0; w < weights.size(); ++w) device.up(*weights[w], weights_[w]);
}

void CardLayer::takeGradients(OpenClDevice& device, std::span<Matrix* const> gradients) {
  HALO_CHECK(gradients.size() == gradients_.size());
  for (std::size_t w = 0; w < gradients.size(); ++w) device.down(gradients_[w], *gradients[w]);
}

std::unique_ptr<CardLayer> makeCardLayer(const CardLayerForm& form, Index in, Index out) {
  if (form.ownProduct && form.secondProduct)
    throw InputError(Problem{.key = "model.kind",
                             .message = "a layer with a product of its own rows and a second one of its "
                                        "outputs has no kernels of OpenCL; a kind with one of these"});
  if (form.ownProduct) return std::make_unique<CardSage>(in, out);
  if (form.secondProduct) return std::make_unique<CardGin>(in, out, form.learnEpsilon);
  return std::make_unique<CardGcn>(in, out);
}

}  // namespace halo
