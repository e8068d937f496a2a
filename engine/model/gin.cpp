// GIN (Xu et al., ICLR 2019):  U = ReLU(((1 + ε) H + A H) W₀ + b₀) W₁ + b₁,  W₀ (in × out)  W₁ (out × out)
//
//   aggregate-first   Z = A H             S = (1 + ε) H + Z     T = S W₀ + b₀
//   update-first      Y = H W₀, Z = A Y                         T = (1 + ε) Y + Z + b₀
//   update-last       as aggregate-first                        then, all: R = ReLU(T)   U = R W₁ + b₁
//
//   backward, all     dT = (dU W₁ᵀ) ⊙ [R > 0]   dW₁ = Rᵀ dU
//   aggregate-first   dW₀ = Sᵀ dT   dS = dT W₀ᵀ   dZ = dS   dε = ⟨dS, H⟩   dH = (1 + ε) dS + Aᵀ dZ
//   update-first      dZ = dT   dε = ⟨dT, Y⟩   G = (1 + ε) dT + Aᵀ dZ   dW₀ = Hᵀ G   dH = G W₀ᵀ
//   update-last       as update-first but for dε = ⟨dT W₀ᵀ, H⟩, since there is no Y
//
// Update-first propagates only the linear part H W₀; ε and the bias come after. ε is 0, or with
// model.learn_epsilon the weight "epsilon" (1 element, starts at 0). Departs from the paper: no batch norm
// inside the MLP.
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/model/layer.h"
#include "engine/model/own_key.h"

namespace halo {
namespace {

/// Sum of the elementwise product; one thread, in double, so it is the same everywhere.
Scalar innerProduct(const Matrix& A, FirstRows B) {
  HALO_CHECK(A.rows() == B.rows() && A.cols() == B.cols());
  double sum = 0;
  for (Index i = 0; i < A.size(); ++i) sum += static_cast<double>(A.data()[i]) * B.data()[i];
  return static_cast<Scalar>(sum);
}

class Gin final : public Layer, public InputProduct {
 public:
  explicit Gin(const LayerRequest& request)
      : Layer(request.in, request.out, request.order), learnEpsilon_(request.learnEpsilon) {
    weights_.push_back(glorot("mlp0.weight", in(), out(), request, 0));
    weights_.push_back(filled("mlp0.bias", out(), 0));
    weights_.push_back(glorot("mlp1.weight", out(), out(), request, 1));
    weights_.push_back(filled("mlp1.bias", out(), 0));
    if (learnEpsilon_) weights_.push_back(filled("epsilon", 1, 0));
  }

  Propagation propagation() const override { return Propagation::sum; }

  std::size_t heldBytes() const override {
    return S_.heldBytes() + Y_.heldBytes() + R_.heldBytes() + dT_.heldBytes() + G_.heldBytes();
  }

  const Matrix& prepare(const Matrix& H) override {
    if (!updatesBeforeForward()) return H;
    multiply(H, W0().value, Y_);
    return Y_;
  }

  void finish(const Matrix& H, const Matrix& Z, Matrix& U) override {
    if (updatesBeforeForward()) {
      R_ = Z;
      scaleAdd(1 + epsilon(), FirstRows(Y_, Z.rows()), R_);
    } else {
      product(H, Z, R_);
    }
    perceive(U);
  }

  void backwardFinish(const Matrix& H, const Matrix&, const Matrix& dU, bool needInput, Matrix& dZ,
                      Matrix& dH) override {
    perceiveBackward(dU, dT_);
    if (needInput) dH.setZero(dU.rows(), H.cols());
    if (!updatesBeforeBackward()) {
      dZ = dT_;
      if (learnEpsilon_) weights_[4].gradient.fill(throughUpdate(H));
      return;
    }
    multiplyTransposedA(S_, dT_, W0().gradient);
    if (!needInput && !learnEpsilon_) return;
    multiplyTransposedB(dT_, W0().value, dZ);
    if (learnEpsilon_) weights_[4].gradient.fill(innerProduct(dZ, {H, dZ.rows()}));
    if (needInput) scaleAdd(1 + epsilon(), dZ, dH);
  }

  void backwardPrepare(const Matrix& H, const Matrix& dY, bool needInput, Matrix& dH) override {
    if (updatesBeforeBackward()) {
      if (needInput) add(dY, dH);
      return;
    }
    G_ = dY;
    scaleAdd(1 + epsilon(), dT_, G_);
    multiplyTransposedA(H, G_, W0().gradient);
    if (needInput) multiplyTransposedB(G_, W0().value, dH, Write::add);
  }

  InputProduct* inputProduct() override { return updatesBeforeBackward() ? this : nullptr; }
  void product(const Matrix& H, const Matrix& Z, Matrix& T) override {
    sum(H, Z);
    multiply(S_, W0().value, T);
  }
  void finishProduct(const Matrix& T, Matrix& U) override {
    R_ = T;
    perceive(U);
  }
  void backwardProduct(const Matrix& dU, Matrix& dT) override { perceiveBackward(dU, dT); }
  void productGradients(const Matrix& H, const Matrix& Z, const Matrix& dT) override {
    sum(H, Z);
    multiplyTransposedA(S_, dT, W0().gradient, Write::add);
    if (!learnEpsilon_) return;
    multiplyTransposedB(dT, W0().value, S_);
    weights_[4].gradient(0, 0) += innerProduct(S_, {H, S_.rows()});
  }
  std::vector<Weight*> rowWeights() override { return {&W0()}; }
  Weight* factor() override { return learnEpsilon_ ? &weights_[4] : nullptr; }

 private:
  void sum(const Matrix& H, const Matrix& Z) {
    S_ = Z;
    scaleAdd(1 + epsilon(), FirstRows(H, Z.rows()), S_);
  }
  /// From T in R, to which it adds the bias.
  void perceive(Matrix& U) {
    addBias(R_, b0().value.values());
    relu(R_, R_);
    multiply(R_, W1().value, U);
    addBias(U, b1().value.values());
  }
  void perceiveBackward(const Matrix& dU, Matrix& dT) {
    columnSums(dU, b1().gradient.values());
    multiplyTransposedA(R_, dU, W1().gradient);
    multiplyTransposedB(dU, W1().value, dT);
    reluBackward(R_, dT);
    columnSums(dT, b0().gradient.values());
  }
  /// ⟨dT, H W₀⟩
  Scalar throughUpdate(const Matrix& H) {
    if (updatesBeforeForward()) return innerProduct(dT_, {Y_, dT_.rows()});
    multiplyTransposedB(dT_, W0().value, S_);  // the forward pass's S is read no more
    return innerProduct(S_, {H, S_.rows()});
  }
  Scalar epsilon() const { return learnEpsilon_ ? weights_[4].value(0, 0) : 0; }
  Weight& W0() { return weights_[0]; }
  Weight& b0() { return weights_[1]; }
  Weight& W1() { return weights_[2]; }
  Weight& b1() { return weights_[3]; }

  bool learnEpsilon_;
  Matrix S_;       // n × in
  Matrix Y_, R_;   // n × out
  Matrix dT_, G_;  // n × out
};

const Registered<LayerEntry> self{
    {{"gin", "sum of the neighbours through a two-layer perceptron", "Xu et al., ICLR 2019",
      ownModelKey("learn_epsilon")},
     Propagation::sum,
     [](const LayerRequest& request) -> std::unique_ptr<Layer> { return std::make_unique<Gin>(request); },
     /*ownProduct=*/false,
     /*secondProduct=*/true}};

}  // namespace
}  // namespace halo
