#pragma once

#include "engine/kernels/opencl/opencl_device.h"
#include "engine/kernels/sparse/spmm.h"

namespace halo {

// The host's products on a card, by the same names: A (n × m) sparse or dense, shapes as in spmm.h and
// dense.h. Outputs are resized, or have the right shape already where Write::add is asked for. Each sum is
// taken in an order that the shapes decide, which is not that of the host. Results equal the host's to
// rounding, and are the same bits every time.

/// Z = A Y
void spmm(OpenClDevice& device, const CardCsr& A, const CardMatrix& Y, CardMatrix& Z,
          Write write = Write::overwrite);
/// C = A B; with `bias` (1 × h) added to each row.
void multiply(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C,
              Write write = Write::overwrite, const CardMatrix* bias = nullptr);
/// C = Aᵀ B
void multiplyTransposedA(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C);
/// C = A Bᵀ. With Write::add C may have more rows than A, which stay as they are.
void multiplyTransposedB(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C,
                         Write write = Write::overwrite);

}  // namespace halo
