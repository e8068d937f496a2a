#pragma once

#include "engine/kernels/dense/activation.h"
#include "engine/kernels/opencl/opencl_device.h"

namespace halo {

// What goes row by row or element by element on a card, by the names of the host's (dense/activation.h).

/// Sums (1 × d) of the columns of X, or of X ⊙ Y.
void columnSums(OpenClDevice& device, CardRows X, CardMatrix& sums);
void columnSums(OpenClDevice& device, CardRows X, const CardMatrix& Y, CardMatrix& sums);

void relu(OpenClDevice& device, CardMatrix& X);                                // in place
void reluBackward(OpenClDevice& device, const CardMatrix& Y, CardMatrix& dY);  // dY ⊙ [Y > 0], in place
/// Y += a X, to the first rows where X has fewer.
void scaleAdd(OpenClDevice& device, Scalar a, CardRows X, CardMatrix& Y);

/// X in place, by the draws of the host: the same elements are dropped. `ids`: global vertex of each row, of
/// type Vertex.
void dropout(OpenClDevice& device, const CardBuffer& ids, DropoutKey key, double rate, CardMatrix& X);

/// X becomes (X − mean) / σ of each row, which backward reads again with 1/σ (n × 1); Y is that, scaled and
/// shifted.
void layerNorm(OpenClDevice& device, CardMatrix& X, const CardMatrix& scale, const CardMatrix& shift,
               CardMatrix& Y, CardMatrix& inverse);
/// From dY to dX in place, with what X has become.
void layerNormBackward(OpenClDevice& device, const CardMatrix& X, const CardMatrix& inverse,
                       const CardMatrix& scale, CardMatrix& dY, CardMatrix& dScale, CardMatrix& dShift);

}  // namespace halo
