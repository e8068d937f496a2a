#pragma once

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

/// Y = A X for neighbouring features of a range of rows, as the SIMD kernels take it.
/// X and Y point at the first of the features in row 0.
struct RowsTask {
  const Index* offsets = nullptr;
  const Vertex* columns = nullptr;
  const Scalar* values = nullptr;  // nullptr: every value is 1
  const Scalar* X = nullptr;
  Scalar* Y = nullptr;
  Index strideX = 0, strideY = 0;
  Index width = 0;      // features, at least 1
  bool add = false;     // Y += instead of Y =
  bool stream = false;  // store past the caches; needs every row of Y aligned to a cache line
  Index nonzeros = 0;   // of the whole matrix: how far `columns` may be read
  Index prefetch = 0;   // nonzeros ahead whose row of X is fetched; 0: none
  Index frontier = 0;   // rows ahead whose last neighbour is fetched when it is the furthest so far; 0: none
};

/// Rows [begin, end). Each row is summed by one thread in an order that depends on the row alone.
void spmmRows(const RowsTask& task, Index begin, Index end);

/// Rows [begin, end) of Y, `width` features each: zero where the bit of `mask` is zero. A row of the mask
/// takes `maskStride` bytes, least significant bit first.
void maskRows(const std::uint8_t* mask, Index maskStride, Index width, Scalar* Y, Index strideY, Index begin,
              Index end);

}  // namespace halo
