// GCN (Kipf and Welling, ICLR 2017):  U = P H W + b,  P = D_in^-1/2 (A + I) D_out^-1/2; graphsage-gcn: rows
// of A + I ÷ (in-degree + 1), the form of GraphSAGE that DistGNN (Md et al., SC 2021) trains
//
//   aggregate-first   Z = P H           U = Z W + b      dW = Zᵀ dU    dZ = dU Wᵀ   dH = Pᵀ dZ
//   update-first      Y = H W, Z = P Y  U = Z + b        dZ = dU       dY = Pᵀ dZ   dW = Hᵀ dY   dH = dY Wᵀ
//   update-last       forward as aggregate-first, backward as update-first
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/model/layer.h"

namespace halo {
namespace {

class Gcn final : public Layer, public InputProduct {
 public:
  Gcn(const LayerRequest& request, Propagation propagation)
      : Layer(request.in, request.out, request.order), propagation_(propagation) {
    weights_.push_back(glorot("weight", in(), out(), request));
    weights_.push_back(filled("bias", out(), 0));
  }

  Propagation propagation() const override { return propagation_; }
  bool readsInput() const override { return order() != Order::aggregateFirst; }

  std::size_t heldBytes() const override { return Y_.heldBytes(); }

  const Matrix& prepare(const Matrix& H) override {
    if (!updatesBeforeForward()) return H;
    multiply(H, W().value, Y_);
    return Y_;
  }

  void finish(const Matrix&, const Matrix& Z, Matrix& U) override {
    if (updatesBeforeForward())
      U = Z;
    else
      multiply(Z, W().value, U);
    addBias(U, b().value.values());
  }

  void backwardFinish(const Matrix& H, const Matrix& Z, const Matrix& dU, bool needInput, Matrix& dZ,
                      Matrix& dH) override {
    columnSums(dU, b().gradient.values());
    if (needInput) dH.setZero(dU.rows(), H.cols());
    if (!updatesBeforeBackward()) {
      dZ = dU;
      return;
    }
    multiplyTransposedA(Z, dU, W().gradient);
    if (needInput) multiplyTransposedB(dU, W().value, dZ);
  }

  void backwardPrepare(const Matrix& H, const Matrix& dY, bool needInput, Matrix& dH) override {
    if (updatesBeforeBackward()) {
      if (needInput) add(dY, dH);
      return;
    }
    multiplyTransposedA(H, dY, W().gradient);
    if (needInput) multiplyTransposedB(dY, W().value, dH, Write::add);
  }

  InputProduct* inputProduct() override { return updatesBeforeBackward() ? this : nullptr; }
  void product(const Matrix&, const Matrix& Z, Matrix& T) override { multiply(Z, W().value, T); }
  void finishProduct(const Matrix& T, Matrix& U) override {
    U = T;
    addBias(U, b().value.values());
  }
  void backwardProduct(const Matrix& dU, Matrix& dT) override {
    columnSums(dU, b().gradient.values());
    dT = dU;
  }
  void productGradients(const Matrix&, const Matrix& Z, const Matrix& dT) override {
    multiplyTransposedA(Z, dT, W().gradient, Write::add);
  }
  std::vector<Weight*> rowWeights() override { return {&W()}; }

 private:
  Weight& W() { return weights_[0]; }
  Weight& b() { return weights_[1]; }

  Propagation propagation_;
  Matrix Y_;  // n × out
};

template <Propagation kPropagation>
std::unique_ptr<Layer> make(const LayerRequest& request) {
  return std::make_unique<Gcn>(request, kPropagation);
}

const Registered<LayerEntry> self{
    {{"gcn", "neighbours and the vertex itself, weighted by degrees", "Kipf and Welling, ICLR 2017"},
     Propagation::symmetric,
     make<Propagation::symmetric>}};

const Registered<LayerEntry> mean{
    {{"graphsage-gcn", "the mean of the neighbours and the vertex itself, weighted as one",
      "Hamilton et al., NeurIPS 2017, as DistGNN (Md et al., SC 2021) has it"},
     Propagation::ownMean,
     make<Propagation::ownMean>}};

}  // namespace
}  // namespace halo
