#include "engine/kernels/spmm.h"

#include "engine/kernels/blocks.h"

namespace halo {
namespace {

// y += the weighted rows of X that stand in row i of A, in stored order.
void addRow(const Csr& A, const Matrix& X, Index i, Scalar* y) {
  const auto columns = A.row(i);
  const Scalar* values = A.weighted() ? A.values.data() + A.offsets[static_cast<std::size_t>(i)] : nullptr;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Scalar w = values ? values[k] : Scalar{1};
    const Scalar* x = X.data() + columns[k] * X.cols();
#pragma omp simd
    for (Index j = 0; j < X.cols(); ++j) y[j] += w * x[j];
  }
}

}  // namespace

void spmm(const Csr& A, const Matrix& X, Matrix& Y, Write write) {
  HALO_CHECK(A.cols == X.rows());
  if (write == Write::overwrite) Y.resize(A.rows(), X.cols());
  HALO_CHECK(Y.rows() == A.rows() && Y.cols() == X.cols());
  forBlocks(A.rows(), 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Scalar* y = Y.row(i).data();
      if (write == Write::overwrite) std::fill_n(y, Y.cols(), Scalar{0});
      addRow(A, X, i, y);
    }
  });
  work().sparse += 2 * A.nonzeros() * X.cols();
}

void spmmMasked(const Csr& A, const Matrix& X, std::span<const std::uint8_t> mask, Matrix& Z) {
  HALO_CHECK(A.cols == X.rows());
  const Index rowBytes = (X.cols() + 7) / 8;
  HALO_CHECK(static_cast<Index>(mask.size()) == rowBytes * A.rows());
  Z.resize(A.rows(), X.cols());
  forBlocks(A.rows(), 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Scalar* z = Z.row(i).data();
      std::fill_n(z, Z.cols(), Scalar{0});
      addRow(A, X, i, z);
      const std::uint8_t* bits = mask.data() + i * rowBytes;
      for (Index j = 0; j < Z.cols(); ++j)
        if (!(bits[j / 8] >> (j % 8) & 1)) z[j] = 0;
    }
  });
  work().sparse += 2 * A.nonzeros() * X.cols();
}

}  // namespace halo
