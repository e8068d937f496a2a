#include "engine/kernels/sparse/attention.h"

#include <cmath>
#include <limits>

#include "engine/base/index.h"
#include "engine/kernels/sparse/attention_rows.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

constexpr Index kRows = 64;          // of a block of work with edges
constexpr Index kSummedRows = 1024;  // whose share of da is summed before it is added to the total

void checkHeads(Index heads, Index width) {
  HALO_CHECK(heads >= 1 && heads <= kMostHeads && width % heads == 0);
}

void checkScores(const Csr& A, const EdgeScores& scores, Index heads) {
  HALO_CHECK(scores.source.rows() == A.cols && scores.target.rows() >= A.rows());
  HALO_CHECK(scores.source.cols() == heads && scores.target.cols() == heads);
}

void headDots(const Matrix& A, const Scalar* B, Index strideB, Index heads, Index from, Index count,
              Matrix& S) {
  checkHeads(heads, A.cols());
  HALO_CHECK(from >= 0 && count >= 0 && from + count <= A.rows());
  S.resize(A.rows(), heads);
  forBlocks(count, rowBlock(A.cols()), [&](Index begin, Index end) {
    headDotRows(A.data(), B, strideB, heads, A.cols() / heads, S.data(), from + begin, from + end);
  });
  work().sparse += 2 * count * A.cols();
}

AttendBackwardTask backwardTask(const Csr& transposed, const EdgeScores& scores,
                                const AttentionGradient& gradient) {
  const Index heads = gradient.logSum.cols(), width = gradient.dZ.cols();
  checkHeads(heads, width);
  HALO_CHECK(scores.source.rows() == transposed.rows() && scores.source.cols() == heads);
  HALO_CHECK(scores.target.rows() >= transposed.cols && scores.target.cols() == heads);
  HALO_CHECK(gradient.dZ.rows() == transposed.cols && gradient.products.rows() == transposed.cols);
  AttendBackwardTask task;
  task.offsets = transposed.offsets.data();
  task.columns = transposed.columns.data();
  task.source = scores.source.data();
  task.target = scores.target.data();
  task.logSum = gradient.logSum.data();
  task.products = gradient.products.data();
  task.dZ = gradient.dZ.data();
  task.heads = heads;
  task.width = width / heads;
  task.slope = scores.slope;
  return task;
}

/// Has the task give the gradients of the scores too.
void giveScores(const Csr& transposed, std::span<const Index> places, const Matrix& Y,
                AttendBackwardTask& task, Matrix& dSource, Matrix& dEdges) {
  HALO_CHECK(Y.rows() == transposed.rows() && Y.cols() == task.heads * task.width);
  HALO_CHECK(places.empty() || static_cast<Index>(places.size()) == transposed.nonzeros());
  dSource.resize(Y.rows(), task.heads);
  dEdges.resize(transposed.nonzeros(), task.heads);
  task.places = places.empty() ? nullptr : places.data();
  task.Y = Y.data();
  task.dSource = dSource.data();
  task.dEdges = dEdges.data();
}

void runBackward(const AttendBackwardTask& task, const Csr& transposed, std::int64_t flopOfEdge) {
  forBlocks(transposed.rows(), kRows, [&](Index begin, Index end) { attendBackwardRows(task, begin, end); });
  work().sparse += flopOfEdge * transposed.nonzeros();
}

}  // namespace

void headScores(const Matrix& Y, const Matrix& a, Matrix& S) { headScores(Y, a, 0, Y.rows(), S); }

void headScores(const Matrix& Y, const Matrix& a, Index begin, Index count, Matrix& S) {
  HALO_CHECK(a.size() == Y.cols());
  headDots(Y, a.data(), 0, a.rows(), begin, count, S);
}

void headProducts(const Matrix& A, const Matrix& B, Index heads, Matrix& S) {
  HALO_CHECK(A.rows() == B.rows() && A.cols() == B.cols());
  headDots(A, B.data(), B.cols(), heads, 0, A.rows(), S);
}

void headScoresBackward(const Matrix& Y, const Matrix& a, const Matrix& dS, Matrix& dY, Matrix& da) {
  const Index heads = a.rows(), w = a.cols(), width = heads * w, rows = dS.rows();
  HALO_CHECK(Y.cols() == width && dY.cols() == width && dY.rows() == Y.rows());
  HALO_CHECK(rows <= Y.rows() && dS.cols() == heads && da.rows() == heads && da.cols() == w);
  const auto addRows = [&](Index begin, Index end, double* sums) {
    for (Index v = begin; v < end; ++v) {
      for (Index h = 0; h < heads; ++h) {
        const Scalar g = dS(v, h);
        const Scalar* y = Y.row(v).data() + h * w;
        const Scalar* vector = a.row(h).data();
        Scalar* dy = dY.row(v).data() + h * w;
        double* sum = sums + h * w;
#pragma omp simd
        for (Index j = 0; j < w; ++j) {
          dy[j] += g * vector[j];
          sum[j] += static_cast<double>(g) * y[j];
        }
      }
    }
  };
  sumBlockRows(rows, kSummedRows, at(width), addRows, da.values(), /*add=*/true);
  work().sparse += 4 * rows * width;
}

void headVectorGradient(const Matrix& Y, const Matrix& dS, Matrix& da) {
  const Index heads = da.rows(), w = da.cols(), width = heads * w, rows = dS.rows();
  HALO_CHECK(Y.cols() == width && rows <= Y.rows() && dS.cols() == heads);
  const auto addRows = [&](Index begin, Index end, double* sums) {
    for (Index v = begin; v < end; ++v)
      for (Index h = 0; h < heads; ++h) {
        const Scalar g = dS(v, h);
        const Scalar* y = Y.row(v).data() + h * w;
        double* sum = sums + h * w;
#pragma omp simd
        for (Index j = 0; j < w; ++j) sum[j] += static_cast<double>(g) * y[j];
      }
  };
  sumBlockRows(rows, kSummedRows, at(width), addRows, da.values(), /*add=*/true);
  work().sparse += 2 * rows * width;
}

void addHeadRows(const Matrix& dS, const Matrix& a, Matrix& dY) {
  const Index heads = a.rows(), w = a.cols(), width = heads * w;
  HALO_CHECK(dY.cols() == width && dS.rows() <= dY.rows() && dS.cols() == heads);
  forBlocks(dS.rows(), rowBlock(width), [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      for (Index h = 0; h < heads; ++h) {
        const Scalar g = dS(v, h);
        const Scalar* vector = a.row(h).data();
        Scalar* dy = dY.row(v).data() + h * w;
#pragma omp simd
        for (Index j = 0; j < w; ++j) dy[j] += g * vector[j];
      }
  });
  work().sparse += 2 * dS.rows() * width;
}

void meanOfHeads(const Matrix& Z, Index heads, Matrix& U) {
  checkHeads(heads, Z.cols());
  const Index w = Z.cols() / heads;
  const Scalar share = Scalar{1} / static_cast<Scalar>(heads);
  U.setZero(Z.rows(), w);
  forBlocks(Z.rows(), rowBlock(Z.cols()), [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      Scalar* u = U.row(v).data();
      for (Index h = 0; h < heads; ++h) {
        const Scalar* z = Z.row(v).data() + h * w;
#pragma omp simd
        for (Index j = 0; j < w; ++j) u[j] += share * z[j];
      }
    }
  });
}

void meanOfHeadsBackward(const Matrix& dU, Index heads, Matrix& dZ) {
  const Index w = dU.cols();
  const Scalar share = Scalar{1} / static_cast<Scalar>(heads);
  dZ.resize(dU.rows(), heads * w);
  forBlocks(dU.rows(), rowBlock(dZ.cols()), [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      for (Index h = 0; h < heads; ++h)
        for (Index j = 0; j < w; ++j) dZ(v, h * w + j) = share * dU(v, j);
  });
}

void beginAttention(Index rows, Index width, Index heads, RunningSoftmax& softmax, Matrix& Z) {
  checkHeads(heads, width);
  softmax.largest.resize(rows, heads);
  softmax.largest.fill(std::numeric_limits<Scalar>::lowest());
  softmax.sum.setZero(rows, heads);
  Z.setZero(rows, width);
}

void attend(const Csr& A, const Matrix& Y, const EdgeScores& scores, RunningSoftmax& softmax, Matrix& Z) {
  const Index heads = softmax.sum.cols();
  checkHeads(heads, Y.cols());
  checkScores(A, scores, heads);
  HALO_CHECK(Y.rows() == A.cols && Z.rows() == A.rows() && Z.cols() == Y.cols());
  HALO_CHECK(softmax.sum.rows() == A.rows());
  const AttendTask task{A.offsets.data(),
                        A.columns.data(),
                        Y.data(),
                        scores.source.data(),
                        scores.target.data(),
                        softmax.largest.data(),
                        softmax.sum.data(),
                        Z.data(),
                        heads,
                        Y.cols() / heads,
                        scores.slope};
  forBlocks(A.rows(), kRows, [&](Index begin, Index end) { attendRows(task, begin, end); });
  work().sparse += 2 * A.nonzeros() * Y.cols();
}

void finishAttention(const RunningSoftmax& softmax, Matrix& Z, Matrix& logSum) {
  const Index heads = softmax.sum.cols(), w = Z.cols() / heads;
  logSum.resize(Z.rows(), heads);
  forBlocks(Z.rows(), rowBlock(Z.cols()), [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      for (Index h = 0; h < heads; ++h) {
        const Scalar sum = softmax.sum(v, h);
        const Scalar inverse = sum == 0 ? Scalar{0} : 1 / sum;
        logSum(v, h) = softmax.largest(v, h) + std::log(sum);
        Scalar* z = Z.row(v).data() + h * w;
#pragma omp simd
        for (Index j = 0; j < w; ++j) z[j] *= inverse;
      }
    }
  });
}

Buffer<Index> transposedPlaces(const Csr& A) {
  std::vector<Index> next(at(A.cols) + 1, 0);
  for (const Vertex u : A.columns) ++next[at(u) + 1];
  for (std::size_t u = 1; u < next.size(); ++u) next[u] += next[u - 1];
  Buffer<Index> places(A.columns.size());
  for (std::size_t k = 0; k < A.columns.size(); ++k)
    places[at(next[at(A.columns[k])]++)] = static_cast<Index>(k);
  return places;
}

void attendBackward(const Csr& transposed, std::span<const Index> places, const Matrix& Y,
                    const EdgeScores& scores, const AttentionGradient& gradient, Matrix& dY, Matrix& dSource,
                    Matrix& dEdges) {
  AttendBackwardTask task = backwardTask(transposed, scores, gradient);
  giveScores(transposed, places, Y, task, dSource, dEdges);
  dY.resize(Y.rows(), Y.cols());
  task.dY = dY.data();
  runBackward(task, transposed, 4 * gradient.dZ.cols());
}

void attendBackwardScores(const Csr& transposed, std::span<const Index> places, const Matrix& Y,
                          const EdgeScores& scores, const AttentionGradient& gradient, Matrix& dSource,
                          Matrix& dEdges) {
  AttendBackwardTask task = backwardTask(transposed, scores, gradient);
  giveScores(transposed, places, Y, task, dSource, dEdges);
  runBackward(task, transposed, 2 * gradient.dZ.cols());
}

void attendBackwardValues(const Csr& transposed, const EdgeScores& scores, const AttentionGradient& gradient,
                          Matrix& dY) {
  AttendBackwardTask task = backwardTask(transposed, scores, gradient);
  dY.resize(transposed.rows(), gradient.dZ.cols());
  task.dY = dY.data();
  runBackward(task, transposed, 2 * gradient.dZ.cols());
}

void sumEdges(const Csr& A, const Matrix& dEdges, Matrix& dTarget) {
  const Index heads = dEdges.cols();
  HALO_CHECK(dEdges.rows() == A.nonzeros() && dTarget.rows() == A.rows() && dTarget.cols() == heads);
  forBlocks(A.rows(), kRows, [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      Scalar* sum = dTarget.row(v).data();
      const Index last = A.offsets[at(v) + 1];
      for (Index k = A.offsets[at(v)]; k < last; ++k)
        for (Index h = 0; h < heads; ++h) sum[h] += dEdges(k, h);
    }
  });
}

void sumTurnedEdges(const Csr& transposed, const Matrix& dEdges, Matrix& dTarget) {
  const Index heads = dEdges.cols(), targets = transposed.cols;
  HALO_CHECK(dEdges.rows() == transposed.nonzeros());
  HALO_CHECK(dTarget.rows() == targets && dTarget.cols() == heads);
  const Index block = (targets + kernelThreads() - 1) / kernelThreads();
  forBlocks(targets, std::max<Index>(block, 1), [&](Index begin, Index end) {
    for (Index u = 0; u < transposed.rows(); ++u) {
      const auto row = transposed.row(u);
      const auto first = std::ranges::lower_bound(row, static_cast<Vertex>(begin));
      Index k = transposed.offsets[at(u)] + (first - row.begin());
      for (auto v = first; v != row.end() && *v < end; ++v, ++k) {
        Scalar* sum = dTarget.row(*v).data();
        for (Index h = 0; h < heads; ++h) sum[h] += dEdges(k, h);
      }
    }
  });
}

}  // namespace halo
