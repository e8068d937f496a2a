#include "engine/kernels/dense.h"

#include <vector>

#ifdef HALO_DOUBLE
#define EIGEN_DONT_PARALLELIZE  // the blocks are ours; inside one, Eigen must not split the sums by its own
                                // threads
#include <Eigen/Core>
#else
#include <dnnl.h>
#include <omp.h>
#endif

#include "engine/kernels/blocks.h"

namespace halo {
namespace {

// One product on one thread, row-major: C (m × n) = beta C + op(A) op(B), op(A) m × k.
struct Operand {
  const Scalar* data;
  Index stride;
  bool transposed;
};

#ifdef HALO_DOUBLE
using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;

template <class Left, class Right, class Result>
void accumulate(const Left& a, const Right& b, bool add, Result& c) {
  if (add)
    c.noalias() += a * b;
  else
    c.noalias() = a * b;
}

void product(Index m, Index n, Index k, Operand A, Operand B, bool add, Scalar* C, Index strideC) {
  const Strided a(A.data, A.transposed ? k : m, A.transposed ? m : k, Eigen::OuterStride<>(A.stride));
  const Strided b(B.data, B.transposed ? n : k, B.transposed ? k : n, Eigen::OuterStride<>(B.stride));
  Eigen::Map<RowMajor, 0, Eigen::OuterStride<>> c(C, m, n, Eigen::OuterStride<>(strideC));
  if (A.transposed)
    accumulate(a.transpose(), b, add, c);
  else if (B.transposed)
    accumulate(a, b.transpose(), add, c);
  else
    accumulate(a, b, add, c);
}
#else
void product(Index m, Index n, Index k, Operand A, Operand B, bool add, Scalar* C, Index strideC) {
  // oneDNN asks OpenMP how many threads to use, and a team of one does not count as "inside a parallel
  // region"
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto status = dnnl_sgemm(A.transposed ? 'T' : 'N', B.transposed ? 'T' : 'N', m, n, k, 1.0F, A.data,
                                 A.stride, B.data, B.stride, add ? 1.0F : 0.0F, C, strideC);
  omp_set_num_threads(before);
  HALO_CHECK(status == dnnl_success);
}
#endif

// C has its shape; true when there is nothing to multiply.
bool prepare(Index rows, Index cols, Index inner, Write write, Matrix& C) {
  if (write == Write::overwrite) C.resize(rows, cols);
  HALO_CHECK(C.rows() == rows && C.cols() == cols);
  if (inner == 0 && write == Write::overwrite) C.fill(0);
  work().dense += 2 * rows * cols * inner;
  return C.size() == 0 || inner == 0;
}

// Rows of a block: a function of the sizes alone. Long enough that packing the small matrix again for every
// block is noise, short enough that two threads finish together.
Index productRows(Index rows) { return std::clamp<Index>((rows / 32 + 15) / 16 * 16, 128, 2048); }

void multiplyRows(FirstRows A, Operand B, Index h, Write write, Matrix& C) {
  const Index d = A.cols();
  forBlocks(A.rows(), productRows(A.rows()), [&](Index begin, Index end) {
    product(end - begin, h, d, {A.data() + begin * d, d, false}, B, write == Write::add, C.data() + begin * h,
            h);
  });
}

}  // namespace

void multiply(FirstRows A, const Matrix& B, Matrix& C, Write write) {
  HALO_CHECK(A.cols() == B.rows());
  if (prepare(A.rows(), B.cols(), A.cols(), write, C)) return;
  multiplyRows(A, {B.data(), B.cols(), false}, B.cols(), write, C);
}

void multiplyTransposedB(const Matrix& A, const Matrix& B, Matrix& C, Write write) {
  HALO_CHECK(A.cols() == B.cols());
  if (prepare(A.rows(), B.rows(), A.cols(), write, C)) return;
  multiplyRows(A, {B.data(), B.cols(), true}, B.rows(), write, C);
}

void multiplyTransposedA(FirstRows A, const Matrix& B, Matrix& C, Write write) {
  HALO_CHECK(A.rows() == B.rows());
  const Index n = A.rows(), d = A.cols(), h = B.cols();
  if (prepare(d, h, n, write, C)) return;
  // at most 32 partial products, whatever n: each of them is d × h numbers to keep and to add
  const Index block = std::max<Index>(512, (n + 31) / 32), blocks = (n + block - 1) / block;
  if (blocks == 1) {
    product(d, h, n, {A.data(), d, true}, {B.data(), h, false}, write == Write::add, C.data(), h);
    return;
  }
  thread_local Matrix parts;  // kept from call to call, so that an epoch allocates nothing for it
  parts.resize(blocks, d * h);
  Scalar* const first = parts.data();  // another thread would see its own
  forBlocks(n, block, [&](Index begin, Index end) {
    product(d, h, end - begin, {A.data() + begin * d, d, true}, {B.data() + begin * h, h, false}, false,
            first + begin / block * d * h, h);
  });
  forBlocks(d * h, 4096, [&](Index begin, Index end) {
    for (Index b = 0; b < blocks; ++b) {
      const Scalar* part = first + b * d * h;
      const bool overwrites = b == 0 && write == Write::overwrite;
      for (Index k = begin; k < end; ++k) C.data()[k] = overwrites ? part[k] : C.data()[k] + part[k];
    }
  });
}

void prepareProducts() {
  constexpr Index kSide = 32;  // single rows and columns would take another way
  const std::vector<Scalar> A(kSide * kSide, 0);
  std::vector<Scalar> C(A);
  for (const bool transposeA : {false, true})
    for (const bool transposeB : {false, true})
      if (!transposeA || !transposeB)
        product(kSide, kSide, kSide, {A.data(), kSide, transposeA}, {A.data(), kSide, transposeB}, false,
                C.data(), kSide);
}

void multiplyReference(const Matrix& A, bool transposeA, const Matrix& B, bool transposeB, Matrix& C,
                       Write write) {
  const Index m = transposeA ? A.cols() : A.rows(), k = transposeA ? A.rows() : A.cols();
  const Index n = transposeB ? B.rows() : B.cols();
  HALO_CHECK(k == (transposeB ? B.cols() : B.rows()));
  if (write == Write::overwrite) C.setZero(m, n);
  HALO_CHECK(C.rows() == m && C.cols() == n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = C(i, j);
      for (Index q = 0; q < k; ++q)
        sum += static_cast<double>(transposeA ? A(q, i) : A(i, q)) * (transposeB ? B(j, q) : B(q, j));
      C(i, j) = static_cast<Scalar>(sum);
    }
}

}  // namespace halo
