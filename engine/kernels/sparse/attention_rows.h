#pragma once

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

// The loops of attention.h over a range of rows, as the SIMD kernels take them. Matrices are row-major
// without padding: rows × heads, or rows × heads · width.

struct AttendTask {
  const Index* offsets = nullptr;
  const Vertex* columns = nullptr;
  const Scalar* Y = nullptr;
  const Scalar* source = nullptr;
  const Scalar* target = nullptr;
  Scalar* largest = nullptr;
  Scalar* sum = nullptr;
  Scalar* Z = nullptr;
  Index heads = 1, width = 1;  // of a head
  Scalar slope = 0;
};
void attendRows(const AttendTask& task, Index begin, Index end);

/// Without dSource the gradients of the scores are left alone, without dY those of the rows.
struct AttendBackwardTask {
  const Index* offsets = nullptr;  // of the transposed block
  const Vertex* columns = nullptr;
  const Index* places = nullptr;  // nullptr: as the block stands
  const Scalar* Y = nullptr;
  const Scalar* source = nullptr;
  const Scalar* target = nullptr;
  const Scalar* logSum = nullptr;
  const Scalar* products = nullptr;
  const Scalar* dZ = nullptr;
  Scalar* dY = nullptr;
  Scalar* dSource = nullptr;
  Scalar* dEdges = nullptr;
  Index heads = 1, width = 1;
  Scalar slope = 0;
};
void attendBackwardRows(const AttendBackwardTask& task, Index begin, Index end);

/// S(v, h) = ⟨A(v)'s head h, B's⟩; strideB 0: the same B for every row.
void headDotRows(const Scalar* A, const Scalar* B, Index strideB, Index heads, Index width, Scalar* S,
                 Index begin, Index end);

}  // namespace halo
