#include "engine/kernels/dense/dense.h"

#include <omp.h>

#include "engine/base/index.h"
#include "engine/kernels/dense/product_tiles.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

Index wholeLines(Index numbers) { return (numbers + kLine - 1) / kLine * kLine; }

// Room of its own for each thread of the team. The thread that drives the kernels keeps it from call to call.
// An epoch then allocates nothing for it, whichever thread takes which block.
class Rooms {
 public:
  Rooms(Matrix& buffer, Index each) : each_(wholeLines(each)) {
    buffer.resize(kernelThreads(), each_);
    first_ = buffer.data();
  }
  Scalar* mine() const { return first_ + omp_get_thread_num() * each_; }

 private:
  Index each_;
  Scalar* first_;
};

// C has its shape; true when there is nothing to multiply.
bool prepare(Index rows, Index cols, Index inner, Write write, Matrix& C) {
  if (write == Write::overwrite) C.resize(rows, cols);
  HALO_CHECK(C.rows() == rows && C.cols() == cols);
  if (inner == 0 && write == Write::overwrite) C.fill(0);
  work().dense += 2 * rows * cols * inner;
  return C.size() == 0 || inner == 0;
}

// Rows of a block: a function of the sizes alone. Long enough that handing it out is noise, short enough that
// threads finish together.
Index productRows(Index rows) { return std::clamp<Index>((rows / 32 + 15) / 16 * 16, 128, 2048); }

// Rows that are multiplied before the next where sums are over rows: less for wide ones, so that two such
// blocks share the second cache.
Index columnDepth(Index width) { return std::clamp<Index>(65536 / width / 16 * 16, 64, 128); }

// B is packed once, by the driving thread, for all blocks of rows.
void multiplyRows(FirstRows A, Operand B, Index n, Write write, Matrix& C) {
  const Index k = A.cols();
  thread_local Matrix packed, left;
  packed.resize(1, packedSize(k, n));
  Scalar* const panels = packed.data();  // another thread would see its own
  for (Index p = 0; p < k; p += kDepth)
    packRight({B.data + p * B.row, B.row, B.column}, std::min(kDepth, k - p), n, panels + packedSize(p, n));
  const Rooms rooms(left, leftRoom());
  forBlocks(A.rows(), productRows(A.rows()), [&](Index begin, Index end) {
    for (Index p = 0; p < k; p += kDepth)
      multiplyTiles({end - begin,
                     n,
                     std::min(kDepth, k - p),
                     {A.data() + begin * k + p, k, 1},
                     panels + packedSize(p, n),
                     p > 0 || write == Write::add,
                     C.data() + begin * n,
                     n,
                     rooms.mine()});
  });
}

// C (d × h) = Aᵀ B or C += Aᵀ B, of rows [begin, end), on this thread; both are read once, as they come.
void multiplyColumns(FirstRows A, const Matrix& B, Index begin, Index end, bool add, Scalar* C,
                     Scalar* room) {
  const Index d = A.cols(), h = B.cols(), depth = columnDepth(d);
  const auto rows = [](const Scalar* data, Index from, Index to, Index width) {
    return std::span(data + from * width, at((to - from) * width));
  };
  for (Index p = begin; p < end; p += depth) {
    const Index q = std::min(p + depth, end), after = std::min(q + depth, end);
    const Scalar* panels = B.data() + p * h;
    if (!isPanel(h)) {
      packRight({panels, h, 1}, q - p, h, room + leftRoom());
      panels = room + leftRoom();
    }
    multiplyTiles({d,
                   h,
                   q - p,
                   {A.data() + p * d, 1, d},
                   panels,
                   p > begin || add,
                   C,
                   h,
                   room,
                   {rows(A.data(), q, after, d), rows(B.data(), q, after, h)}});
  }
}

}  // namespace

void multiply(FirstRows A, const Matrix& B, Matrix& C, Write write) {
  HALO_CHECK(A.cols() == B.rows());
  if (prepare(A.rows(), B.cols(), A.cols(), write, C)) return;
  multiplyRows(A, {B.data(), B.cols(), 1}, B.cols(), write, C);
}

void multiplyTransposedB(const Matrix& A, const Matrix& B, Matrix& C, Write write) {
  HALO_CHECK(A.cols() == B.cols());
  if (prepare(A.rows(), B.rows(), A.cols(), write, C)) return;
  multiplyRows(A, {B.data(), 1, B.cols()}, B.rows(), write, C);
}

void multiplyTransposedA(FirstRows A, const Matrix& B, Matrix& C, Write write) {
  HALO_CHECK(A.rows() == B.rows());
  const Index n = A.rows(), d = A.cols(), h = B.cols();
  if (prepare(d, h, n, write, C)) return;
  // at most 32 partial products, whatever n: each of them is d × h numbers to keep and to add
  const Index block = std::max<Index>(512, (n + 31) / 32), blocks = (n + block - 1) / block;
  thread_local Matrix parts, left;
  const Rooms rooms(left, leftRoom() + packedSize(kDepth, h));
  if (blocks == 1) {
    multiplyColumns(A, B, 0, n, write == Write::add, C.data(), rooms.mine());
    return;
  }
  parts.resize(blocks, d * h);
  Scalar* const first = parts.data();  // another thread would see its own
  forBlocks(n, block, [&](Index begin, Index end) {
    multiplyColumns(A, B, begin, end, false, first + begin / block * d * h, rooms.mine());
  });
  forBlocks(d * h, 4096, [&](Index begin, Index end) {
    for (Index b = 0; b < blocks; ++b) {
      const Scalar* part = first + b * d * h;
      const bool overwrites = b == 0 && write == Write::overwrite;
      for (Index k = begin; k < end; ++k) C.data()[k] = overwrites ? part[k] : C.data()[k] + part[k];
    }
  });
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
