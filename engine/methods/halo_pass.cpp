#include "engine/methods/halo_pass.h"

namespace halo {

void HaloPass::forward(int layer, const Csr& own, const Csr& halo, const Matrix& Y, Matrix& Z) {
  exchange_.startForward(layer, Y);
  if (localFirst_) aggregate(parts_.tracer, own, Y, Z, Write::overwrite);
  const Matrix& arrived = exchange_.finishForward();
  if (!localFirst_) aggregate(parts_.tracer, own, Y, Z, Write::overwrite);
  if (halo.nonzeros() > 0) aggregate(parts_.tracer, halo, arrived, Z, Write::add);
}

void HaloPass::backward(int layer, const Csr& ownTransposed, const Csr& haloTransposed, const Matrix& dZ,
                        Matrix& dY) {
  aggregate(parts_.tracer, haloTransposed, dZ, haloGradient_, Write::overwrite);
  exchange_.startBackward(layer, haloGradient_);
  if (!localFirst_) exchange_.awaitBackward();
  aggregate(parts_.tracer, ownTransposed, dZ, dY, Write::overwrite);
  exchange_.finishBackward(dY);
}

}  // namespace halo
