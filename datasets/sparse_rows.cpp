#include "datasets/sparse_rows.h"

#include <cmath>

#include "engine/base/index.h"

namespace halo {
namespace {

bool isZero(Scalar value) { return value == 0 && !std::signbit(value); }

}  // namespace

std::optional<SparseRows> sparseIfSmaller(const Matrix& dense) {
  std::size_t nonzeros = 0;
  for (const Scalar value : dense.values()) nonzeros += !isZero(value);
  const std::size_t bytes =
      nonzeros * (sizeof(std::int32_t) + sizeof(Scalar)) + at(dense.rows() + 1) * sizeof(Index);
  if (bytes > dense.bytes() / 2) return std::nullopt;
  SparseRows rows;
  rows.offsets.push_back(0);
  rows.columns.reserve(nonzeros);
  rows.values.reserve(nonzeros);
  for (Index r = 0; r < dense.rows(); ++r) {
    for (Index c = 0; c < dense.cols(); ++c) {
      if (isZero(dense(r, c))) continue;
      rows.columns.push_back(static_cast<std::int32_t>(c));
      rows.values.push_back(dense(r, c));
    }
    rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
  }
  return rows;
}

Matrix denseOf(const SparseRows& rows, Index count, Index cols) {
  Matrix dense;
  dense.setZero(count, cols);
  for (Index r = 0; r < count; ++r)
    for (Index e = rows.offsets[at(r)]; e < rows.offsets[at(r) + 1]; ++e)
      dense(r, rows.columns[at(e)]) = rows.values[at(e)];
  return dense;
}

}  // namespace halo
