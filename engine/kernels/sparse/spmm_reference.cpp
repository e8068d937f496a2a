#include <vector>

#include "engine/base/index.h"
#include "engine/kernels/sparse/spmm.h"

namespace halo {
namespace {

double weight(const Csr& A, Index arc) { return A.weighted() ? A.values[at(arc)] : 1.0; }

}  // namespace

void spmmReference(const Csr& A, const Matrix& X, Matrix& Y, Write write) {
  HALO_CHECK(A.cols == X.rows());
  if (write == Write::overwrite) Y.setZero(A.rows(), X.cols());
  HALO_CHECK(Y.rows() == A.rows() && Y.cols() == X.cols());
  std::vector<double> sum(at(X.cols()));
  for (Index i = 0; i < A.rows(); ++i) {
    sum.assign(sum.size(), 0.0);
    for (Index k = A.offsets[at(i)]; k < A.offsets[at(i) + 1]; ++k)
      for (Index j = 0; j < X.cols(); ++j) sum[at(j)] += weight(A, k) * X(A.columns[at(k)], j);
    for (Index j = 0; j < X.cols(); ++j) Y(i, j) = static_cast<Scalar>(Y(i, j) + sum[at(j)]);
  }
}

void spmmMaskedReference(const Csr& A, const Matrix& X, std::span<const std::uint8_t> mask, Matrix& Z) {
  spmmReference(A, X, Z);
  const Index rowBytes = (X.cols() + 7) / 8;
  HALO_CHECK(static_cast<Index>(mask.size()) == rowBytes * A.rows());
  for (Index i = 0; i < Z.rows(); ++i)
    for (Index j = 0; j < Z.cols(); ++j)
      if (!(mask[at(i * rowBytes + j / 8)] >> (j % 8) & 1)) Z(i, j) = 0;
}

void indexAddReference(const Matrix& X, std::span<const Vertex> target, Matrix& Y) {
  HALO_CHECK(static_cast<Index>(target.size()) == X.rows() && Y.cols() == X.cols());
  std::vector<double> sum(at(Y.size()));
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) sum[at(target[at(i)] * X.cols() + j)] += X(i, j);
  for (std::size_t k = 0; k < sum.size(); ++k) Y.data()[k] = static_cast<Scalar>(Y.data()[k] + sum[k]);
}

}  // namespace halo
