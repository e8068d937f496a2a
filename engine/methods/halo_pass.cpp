#include "engine/methods/halo_pass.h"

#include <utility>

namespace halo {

void HaloPass::forward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& Y, Matrix& Z) {
  exchange_.startForward(layer, Y);
  aggregation_.begin(layer, Y, Z, own.edges.rows());
  if (localFirst_) aggregation_.add(own, Y);
  Matrix& arrived = exchange_.finishForward();
  if (!localFirst_) aggregation_.add(own, Y);
  if (halo.edges.nonzeros() > 0) aggregation_.add(halo, arrived);
  aggregation_.finish();
  if (aggregation_.attends()) std::swap(arrived, arrived_[static_cast<std::size_t>(layer)]);
}

void HaloPass::backward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& dZ,
                        Matrix& dY) {
  aggregation_.beginBackward(layer, dZ);
  aggregation_.rowGradients(halo, arrived_[static_cast<std::size_t>(layer)], haloGradient_);
  exchange_.startBackward(layer, haloGradient_);
  if (!localFirst_) exchange_.awaitBackward();
  aggregation_.ownGradients(own, dY);
  aggregation_.finishBackward(dY);
  exchange_.finishBackward(dY);
}

std::size_t HaloPass::bufferBytes() const {
  std::size_t bytes = exchange_.bufferBytes() + haloGradient_.bytes() + aggregation_.bytes();
  for (const Matrix& rows : arrived_) bytes += rows.bytes();
  return bytes;
}

}  // namespace halo
