// A layer kind in one file: CONTRIBUTING.md, "Add a layer". Compiled by the suite and linked nowhere.
//
//   U = (P H) W,  P = A;   dW = Zᵀ dU   dZ = dU Wᵀ   dH = Pᵀ dZ      aggregate-first whatever the order says
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/model/layer.h"

namespace halo {
namespace {

class Plain final : public Layer {
 public:
  explicit Plain(const LayerRequest& request) : Layer(request.in, request.out, Order::aggregateFirst) {
    weights_.push_back(glorot("weight", in(), out(), request));
  }

  Propagation propagation() const override { return Propagation::sum; }
  bool readsInput() const override { return false; }
  std::size_t heldBytes() const override { return 0; }

  const Matrix& prepare(const Matrix& H) override { return H; }
  void finish(const Matrix&, const Matrix& Z, Matrix& U) override { multiply(Z, weights_[0].value, U); }
  void backwardFinish(const Matrix& H, const Matrix& Z, const Matrix& dU, bool needInput, Matrix& dZ,
                      Matrix& dH) override {
    multiplyTransposedA(Z, dU, weights_[0].gradient);
    if (!needInput) return;
    dH.setZero(dU.rows(), H.cols());
    multiplyTransposedB(dU, weights_[0].value, dZ);
  }
  void backwardPrepare(const Matrix&, const Matrix& dY, bool needInput, Matrix& dH) override {
    if (needInput) add(dY, dH);
  }
};

const Registered<LayerEntry> self{
    {{"plain", "the sum of the neighbours, one product", "none: an example"},
     Propagation::sum,
     [](const LayerRequest& request) -> std::unique_ptr<Layer> { return std::make_unique<Plain>(request); }}};

}  // namespace
}  // namespace halo
