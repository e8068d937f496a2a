#include "engine/kernels/sparse/gather.h"

#include <cstring>

#include "engine/base/index.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

void checkRows(FirstRows X, std::span<const Vertex> rows, std::size_t elements) {
  HALO_CHECK(elements == rows.size() * at(X.cols()));
  for (const Vertex r : rows) HALO_CHECK(r >= 0 && r < X.rows());
}

}  // namespace

void gatherRows(FirstRows X, std::span<const Vertex> rows, std::span<Scalar> out) {
  gatherColumns(X, rows, 0, X.cols(), out);
}

void gatherRows(FirstRows X, std::span<const Vertex> numbers, std::span<const Vertex> rows,
                std::span<Scalar> out) {
  const Index f = X.cols();
  HALO_CHECK(out.size() == rows.size() * at(f));
  forBlocks(static_cast<Index>(rows.size()), rowBlock(f), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Vertex row = numbers[at(rows[at(i)])];
      HALO_CHECK(row >= 0 && row < X.rows());
      std::copy_n(X.data() + row * f, f, out.data() + i * f);
    }
  });
}

void gatherColumns(FirstRows X, std::span<const Vertex> rows, Index first, Index width,
                   std::span<Scalar> out) {
  HALO_CHECK(first >= 0 && first + width <= X.cols());
  checkRows({X.data(), X.rows(), width}, rows, out.size());
  const Index f = X.cols();
  forBlocks(static_cast<Index>(rows.size()), rowBlock(width), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      std::copy_n(X.data() + rows[at(i)] * f + first, width, out.data() + i * width);
  });
}

void scatterRows(std::span<const Scalar> in, std::span<const Vertex> rows, Matrix& X) {
  checkRows(X, rows, in.size());
  const Index f = X.cols();
  forBlocks(static_cast<Index>(rows.size()), rowBlock(f), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::copy_n(in.data() + i * f, f, X.data() + rows[at(i)] * f);
  });
}

void addRows(std::span<const Scalar> in, std::span<const Vertex> rows, Matrix& X) {
  checkRows(X, rows, in.size());
  const Index f = X.cols();
  forBlocks(static_cast<Index>(rows.size()), rowBlock(f), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Scalar* from = in.data() + i * f;
      Scalar* to = X.data() + rows[at(i)] * f;
#pragma omp simd
      for (Index j = 0; j < f; ++j) to[j] += from[j];
    }
  });
}

void copyBlock(const Scalar* from, Index fromStride, Scalar* to, Index toStride, Index rows, Index width) {
  forBlocks(rows, rowBlock(width), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::copy_n(from + i * fromStride, width, to + i * toStride);
  });
}

}  // namespace halo
