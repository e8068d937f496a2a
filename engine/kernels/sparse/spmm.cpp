#include "engine/kernels/sparse/spmm.h"

#include <algorithm>
#include <cstring>

#include "engine/base/index.h"
#include "engine/kernels/sparse/spmm_rows.h"
#include "engine/kernels/threads/blocks.h"
#include "engine/kernels/threads/caches.h"

namespace halo {
namespace {

// How one product is done; depends on the matrix and the sizes, never on the number of threads.
struct Strategy {
  Index panel =
      0;  // features a packed panel of X holds; 0: X is read where it stands, all features of a row at once
  Index prefetch = 0;  // nonzeros ahead
  Index frontier = 0;  // rows ahead
  bool stream = false;
};

// The constants below were chosen with spmm_bench on its three graphs (skewed, clustered, banded), widths 16
// to 602.
constexpr Index kLine = 64 / sizeof(Scalar);     // features in a cache line
constexpr Index kPanel = 2 * kLine;              // two lines a row: the panel of 50 000 rows is 6 MiB
constexpr Index kPackFrom = 12;                  // nonzeros a column from which packing pays for itself
constexpr Index kPanelLimit = Index{256} << 20;  // bytes of scratch
constexpr Index kAheadBytes = 4096;              // of X that are on their way from memory
constexpr Index kSmall = 1 << 15;                // multiplications below which one thread is quicker than two

// The last column of a row grows from row to row: the graph was numbered along its shape, as roads and meshes
// are.
bool isBanded(const Csr& A) {
  const Index samples = std::min<Index>(A.rows() - 1, 512);
  Index growing = 0;
  for (Index s = 0; s < samples; ++s) {
    const Index row = s * (A.rows() - 1) / samples;
    const auto current = A.row(row), next = A.row(row + 1);
    if (!current.empty() && !next.empty() && next.back() >= current.back()) ++growing;
  }
  return samples > 0 && 10 * growing >= 9 * samples;
}

Strategy choose(const Csr& A, Index features, bool overwrite) {
  Strategy chosen;
  const Index rowBytes = features * static_cast<Index>(sizeof(Scalar)), bytes = rowBytes * A.cols;
  if (bytes <= caches().second / 2) return chosen;
  const bool dense = A.nonzeros() >= kPackFrom * std::max(A.cols, A.rows());
  const Index panelBytes = A.cols * kPanel * static_cast<Index>(sizeof(Scalar));
  if (dense && features > kPanel && panelBytes <= kPanelLimit) {
    chosen.panel = kPanel;
    chosen.prefetch = kAheadBytes / (kPanel * static_cast<Index>(sizeof(Scalar)));
    return chosen;
  }
  // what the product writes does not fit the caches, so nobody will read it from there
  chosen.stream = overwrite && rowBytes * A.rows() > caches().last && features % kLine == 0;
  const Index ahead = std::clamp<Index>(kAheadBytes / rowBytes, 4, 64);
  if (!dense && isBanded(A))
    chosen.frontier =
        rowBytes >= 256 ? std::min<Index>(ahead, 8) : 0;  // narrow rows: the processor fetches by itself
  else if (bytes > 8 * caches().second)
    chosen.prefetch = ahead;
  else if (features % kLine ==
           0)  // nearer, so sooner there; asking by less than a line costs more than waiting
    chosen.prefetch = std::max<Index>(ahead / 2, 4);
  return chosen;
}

// Border p of `parts` ranges of rows with about equally many rows and nonzeros together.
Index rowBorder(const Csr& A, Index p, Index parts) {
  const Index target = (A.nonzeros() + A.rows()) / parts * p;
  if (p == parts) return A.rows();
  Index low = 0, high = A.rows();
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (A.offsets[at(middle)] + middle < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Row i of the panel = features [first, first + width) of row i of X.
void packRows(FirstRows X, Index first, Index width, Index stride, Scalar* panel, Index begin, Index end) {
  for (Index i = begin; i < end; ++i)
    std::memcpy(panel + i * stride, X.data() + i * X.cols() + first, at(width) * sizeof(Scalar));
}

// Kept from call to call by each thread that drives kernels: its pages would cost more than what is done with
// them.
Buffer<Scalar>& panelScratch(std::size_t elements) {
  thread_local Buffer<Scalar> scratch;
  if (scratch.size() < elements) scratch.resize(elements);
  return scratch;
}

// One product. `mask` may be empty.
class Product {
 public:
  Product(const Csr& A, FirstRows X, std::span<const std::uint8_t> mask, Matrix& Y, Write write)
      : A_(A),
        X_(X),
        mask_(mask),
        Y_(Y),
        strategy_(choose(A, X.cols(), write == Write::overwrite && mask.empty())) {
    task_.offsets = A.offsets.data();
    task_.columns = A.columns.data();
    task_.values = A.weighted() ? A.values.data() : nullptr;
    task_.nonzeros = A.nonzeros();
    task_.strideY = Y.cols();
    task_.add = write == Write::add;
    task_.prefetch = strategy_.prefetch;
    task_.frontier = strategy_.frontier;
    task_.stream = strategy_.stream;
  }

  void run() {
    const bool small = A_.nonzeros() * X_.cols() + Y_.size() < kSmall;
    parts_ = small ? 1 : 32 * kernelThreads();
    if (strategy_.panel == 0)
      runWhole();
    else
      runPanels();
  }

 private:
  void runWhole() {
    task_.X = X_.data();
    task_.Y = Y_.data();
    task_.strideX = task_.width = X_.cols();
    forBlocks(parts_, 1, [&](Index p, Index) { rows(task_, 0, p); });
  }

  // Feature blocking: a panel of X that fits the caches is copied together, cache lines whole, and gathered
  // from there.
  void runPanels() {
    const Index features = X_.cols(), panels = std::max<Index>(1, features / strategy_.panel);
    const Index widest =
        features - (panels - 1) * strategy_.panel;  // the last takes what is left, so none is a sliver
    Scalar* panel = panelScratch(at(A_.cols * ((widest + kLine - 1) / kLine * kLine))).data();
    for (Index q = 0; q < panels; ++q) {
      const Index first = q * strategy_.panel;
      RowsTask task = task_;
      task.width = q + 1 == panels ? widest : strategy_.panel;
      task.strideX = (task.width + kLine - 1) / kLine * kLine;
      task.X = panel;
      task.Y = Y_.data() + first;
      forBlocks(A_.cols, 512, [&](Index begin, Index end) {
        packRows(X_, first, task.width, task.strideX, panel, begin, end);
      });
      forBlocks(parts_, 1, [&](Index p, Index) { rows(task, first, p); });
    }
  }

  void rows(const RowsTask& task, Index first, Index part) const {
    const Index begin = rowBorder(A_, part, parts_), end = rowBorder(A_, part + 1, parts_);
    if (begin >= end) return;
    spmmRows(task, begin, end);
    if (mask_.empty()) return;
    const Index rowBytes = (X_.cols() + 7) / 8;
    // every panel starts at a multiple of eight features, so at a byte of the mask
    maskRows(mask_.data() + first / 8, rowBytes, task.width, task.Y, task.strideY, begin, end);
  }

  const Csr& A_;
  FirstRows X_;
  std::span<const std::uint8_t> mask_;
  Matrix& Y_;
  Strategy strategy_;
  RowsTask task_;
  Index parts_ = 1;
};

void countWork(const Csr& A, FirstRows X, Write write) {
  const auto row = X.cols() * static_cast<Index>(sizeof(Scalar));
  const Index written = (write == Write::add ? 2 : 1) * A.rows() * row;
  const Index always = static_cast<Index>(A.bytes()) + written;
  work().sparse += 2 * A.nonzeros() * X.cols();
  work().sparseLeastBytes += always + std::min(X.rows(), A.nonzeros()) * row;
  work().sparseMostBytes += always + A.nonzeros() * row;
}

}  // namespace

void spmm(const Csr& A, FirstRows X, Matrix& Y, Write write) {
  HALO_CHECK(A.cols == X.rows() && (X.size() == 0 || X.data() != Y.data()));
  if (write == Write::overwrite) Y.resize(A.rows(), X.cols());
  HALO_CHECK(Y.rows() == A.rows() && Y.cols() == X.cols());
  countWork(A, X, write);
  if (!Y.empty()) Product(A, X, {}, Y, write).run();
}

void spmmMasked(const Csr& A, const Matrix& X, std::span<const std::uint8_t> mask, Matrix& Z) {
  HALO_CHECK(A.cols == X.rows() && &X != &Z);
  HALO_CHECK(static_cast<Index>(mask.size()) == (X.cols() + 7) / 8 * A.rows());
  Z.resize(A.rows(), X.cols());
  countWork(A, X, Write::overwrite);
  if (!Z.empty()) Product(A, X, mask, Z, Write::overwrite).run();
}

}  // namespace halo
