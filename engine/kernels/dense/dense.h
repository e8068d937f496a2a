#pragma once

#include "engine/base/matrix.h"
#include "engine/kernels/sparse/spmm.h"

namespace halo {

// Products of a layer. Cost 2 · n · d · h FLOP; row blocks of fixed size, so results do not depend on the
// number of threads. With Write::add the output must have the right shape.

/// C = A B:   A (n × d)  B (d × h)  C (n × h)
void multiply(FirstRows A, const Matrix& B, Matrix& C, Write write = Write::overwrite);
/// C = Aᵀ B:  A (n × d)  B (n × h)  C (d × h); reduced over fixed blocks of rows in order
void multiplyTransposedA(FirstRows A, const Matrix& B, Matrix& C, Write write = Write::overwrite);
/// C = A Bᵀ:  A (n × d)  B (h × d)  C (n × h)
void multiplyTransposedB(const Matrix& A, const Matrix& B, Matrix& C, Write write = Write::overwrite);

void multiplyReference(const Matrix& A, bool transposeA, const Matrix& B, bool transposeB, Matrix& C,
                       Write write = Write::overwrite);

}  // namespace halo
