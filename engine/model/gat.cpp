// GAT (Veličković et al., ICLR 2018), each head:  Y = H W   s(u→v) = LeakyReLU(aₛ·y_u + a_t·y_v)
// α = softmax over v's in-neighbours and v itself   Z(v) = Σ_u α(u→v) y_u
//
//   heads side by side      U = Z + b            dZ = dU
//   in the last layer       U = mean over heads of Z, + b
//   update-first            Y travels; dY comes back: dW = Hᵀ dY   dH = dY Wᵀ
//   aggregate-first         H travels and is multiplied with W where it arrives; dH comes back, dW is made
//   there
//
// The slope of LeakyReLU is 0.2. Departs from the paper in three points. Between layers stands ReLU instead
// of ELU, as with every kind here. Coefficients have no dropout, and the last layer has as many heads as the
// layers before it.
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/sparse/attention.h"
#include "engine/model/layer.h"
#include "engine/model/own_key.h"

namespace halo {
namespace {

constexpr auto kSlope = static_cast<Scalar>(0.2);

class Gat final : public Layer {
 public:
  explicit Gat(const LayerRequest& request)
      : Layer(request.in, request.out, request.order), heads_(request.heads), averages_(request.last) {
    HALO_CHECK(averages_ || out() % heads_ == 0);
    const Index w = averages_ ? out() : out() / heads_;
    weights_.push_back(glorot("weight", in(), heads_ * w, request, 0));
    weights_.push_back(glorot("attention_source", heads_, w, request, 1));
    weights_.push_back(glorot("attention_target", heads_, w, request, 2));
    weights_.push_back(filled("bias", out(), 0));
  }

  Propagation propagation() const override { return Propagation::attention; }

  std::optional<Attention> attention() override {
    return Attention{&weights_[1], &weights_[2], aggregatesFirst() ? &weights_[0] : nullptr, kSlope};
  }

  std::size_t heldBytes() const override { return Y_.heldBytes(); }

  const Matrix& prepare(const Matrix& H) override {
    if (aggregatesFirst()) return H;
    multiply(H, W().value, Y_);
    return Y_;
  }

  void finish(const Matrix&, const Matrix& Z, Matrix& U) override {
    if (averages_)
      meanOfHeads(Z, heads_, U);
    else
      U = Z;
    addBias(U, b().value.values());
  }

  void backwardFinish(const Matrix& H, const Matrix&, const Matrix& dU, bool needInput, Matrix& dZ,
                      Matrix& dH) override {
    columnSums(dU, b().gradient.values());
    if (needInput) dH.setZero(dU.rows(), H.cols());
    if (averages_)
      meanOfHeadsBackward(dU, heads_, dZ);
    else
      dZ = dU;
  }

  void backwardPrepare(const Matrix& H, const Matrix& dY, bool needInput, Matrix& dH) override {
    if (aggregatesFirst()) {
      if (needInput) add(dY, dH);
      return;
    }
    multiplyTransposedA(H, dY, W().gradient);
    if (needInput) multiplyTransposedB(dY, W().value, dH, Write::add);
  }

 protected:
  Index propagatedWhenUpdated() const override { return averages_ ? heads_ * out() : out(); }

 private:
  bool aggregatesFirst() const { return order() == Order::aggregateFirst; }
  Weight& W() { return weights_[0]; }
  Weight& b() { return weights_[3]; }

  Index heads_;
  bool averages_;  // rather than side by side
  Matrix Y_;       // n × heads · w
};

const Registered<LayerEntry> self{
    {{"gat", "neighbours and the vertex itself, weighted by learned attention",
      "Veličković et al., ICLR 2018", ownModelKey("heads")},
     Propagation::attention,
     [](const LayerRequest& request) -> std::unique_ptr<Layer> { return std::make_unique<Gat>(request); }}};

}  // namespace
}  // namespace halo
