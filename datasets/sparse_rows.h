#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/buffer.h"
#include "engine/base/matrix.h"

namespace halo {

/// A matrix with many zeros, by rows.
struct SparseRows {
  Buffer<Index> offsets;
  Buffer<std::int32_t> columns;
  Buffer<Scalar> values;
};

/// Nothing where that would not take less than half of the room. Only +0 counts as zero: what is made dense
/// again has the same bits.
std::optional<SparseRows> sparseIfSmaller(const Matrix& dense);
Matrix denseOf(const SparseRows& rows, Index count, Index cols);

}  // namespace halo
