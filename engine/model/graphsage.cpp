// GraphSAGE with the mean aggregator (Hamilton et al., NeurIPS 2017):  U = H Wₛ + (P H) Wₙ + b,  P = rows of
// A ÷ in-degree; graphsage-self: rows of A + I ÷ (in-degree + 1), as the public code of PipeGCN and BNS-GCN
//
//   aggregate-first   Z = P H            U = H Wₛ + Z Wₙ + b   dWₙ = Zᵀ dU   dZ = dU Wₙᵀ  dH = dU Wₛᵀ + Pᵀ dZ
//   update-first      Y = H Wₙ, Z = P Y  U = H Wₛ + Z + b      dZ = dU       dY = Pᵀ dZ   dWₙ = Hᵀ dY
//                                                              dH = dU Wₛᵀ + dY Wₙᵀ
//   update-last       forward as aggregate-first, backward as update-first
//   all: dWₛ = Hᵀ dU
//
// Departs from the paper: no L2 normalisation of the output; a vertex without neighbours has mean 0.
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/model/layer.h"

namespace halo {
namespace {

class GraphSage final : public Layer, public InputProduct {
 public:
  GraphSage(const LayerRequest& request, Propagation propagation)
      : Layer(request.in, request.out, request.order), propagation_(propagation) {
    weights_.push_back(glorot("weight_self", in(), out(), request, 0));
    weights_.push_back(glorot("weight_neighbour", in(), out(), request, 1));
    weights_.push_back(filled("bias", out(), 0));
  }

  Propagation propagation() const override { return propagation_; }

  std::size_t heldBytes() const override { return Y_.heldBytes(); }

  const Matrix& prepare(const Matrix& H) override {
    if (!updatesBeforeForward()) return H;
    multiply(H, neighbour().value, Y_);
    return Y_;
  }

  void finish(const Matrix& H, const Matrix& Z, Matrix& U) override {
    multiply(FirstRows(H, Z.rows()), own().value, U);
    if (updatesBeforeForward())
      add(Z, U);
    else
      multiply(Z, neighbour().value, U, Write::add);
    addBias(U, b().value.values());
  }

  void backwardFinish(const Matrix& H, const Matrix& Z, const Matrix& dU, bool needInput, Matrix& dZ,
                      Matrix& dH) override {
    columnSums(dU, b().gradient.values());
    multiplyTransposedA(FirstRows(H, dU.rows()), dU, own().gradient);
    if (needInput) multiplyTransposedB(dU, own().value, dH);
    if (!updatesBeforeBackward()) {
      dZ = dU;
      return;
    }
    multiplyTransposedA(Z, dU, neighbour().gradient);
    if (needInput) multiplyTransposedB(dU, neighbour().value, dZ);
  }

  void backwardPrepare(const Matrix& H, const Matrix& dY, bool needInput, Matrix& dH) override {
    if (updatesBeforeBackward()) {
      if (needInput) add(dY, dH);
      return;
    }
    multiplyTransposedA(H, dY, neighbour().gradient);
    if (needInput) multiplyTransposedB(dY, neighbour().value, dH, Write::add);
  }

  InputProduct* inputProduct() override { return updatesBeforeBackward() ? this : nullptr; }
  void product(const Matrix& H, const Matrix& Z, Matrix& T) override {
    multiply(FirstRows(H, Z.rows()), own().value, T);
    multiply(Z, neighbour().value, T, Write::add);
  }
  void finishProduct(const Matrix& T, Matrix& U) override {
    U = T;
    addBias(U, b().value.values());
  }
  void backwardProduct(const Matrix& dU, Matrix& dT) override {
    columnSums(dU, b().gradient.values());
    dT = dU;
  }
  void productGradients(const Matrix& H, const Matrix& Z, const Matrix& dT) override {
    multiplyTransposedA(FirstRows(H, dT.rows()), dT, own().gradient, Write::add);
    multiplyTransposedA(Z, dT, neighbour().gradient, Write::add);
  }
  std::vector<Weight*> rowWeights() override { return {&own(), &neighbour()}; }

 private:
  Weight& own() { return weights_[0]; }
  Weight& neighbour() { return weights_[1]; }
  Weight& b() { return weights_[2]; }

  Propagation propagation_;
  Matrix Y_;  // n × out
};

template <Propagation kPropagation>
std::unique_ptr<Layer> make(const LayerRequest& request) {
  return std::make_unique<GraphSage>(request, kPropagation);
}

const Registered<LayerEntry> self{
    {{"graphsage", "the vertex itself and the mean of its neighbours, weighted apart",
      "Hamilton et al., NeurIPS 2017"},
     Propagation::mean,
     make<Propagation::mean>,
     /*ownProduct=*/true}};

const Registered<LayerEntry> withSelf{
    {{"graphsage-self", "graphsage whose mean includes the vertex itself",
      "public code of PipeGCN (Wan et al., ICLR 2022) and BNS-GCN (Wan et al., MLSys 2022)"},
     Propagation::ownMean,
     make<Propagation::ownMean>,
     /*ownProduct=*/true}};

}  // namespace
}  // namespace halo
