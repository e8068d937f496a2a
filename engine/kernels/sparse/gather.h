#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

/// out row i = X row rows[i]; `out` holds rows.size() × X.cols() elements (a send buffer).
void gatherRows(FirstRows X, std::span<const Vertex> rows, std::span<Scalar> out);
/// The same of X row numbers[rows[i]].
void gatherRows(FirstRows X, std::span<const Vertex> numbers, std::span<const Vertex> rows,
                std::span<Scalar> out);
/// out row i = columns [first, first + width) of X row rows[i].
void gatherColumns(FirstRows X, std::span<const Vertex> rows, Index first, Index width,
                   std::span<Scalar> out);
/// X row rows[i] = in row i; rows must not repeat.
void scatterRows(std::span<const Scalar> in, std::span<const Vertex> rows, Matrix& X);
/// X row rows[i] += in row i; rows must not repeat (a peer's list never does).
void addRows(std::span<const Scalar> in, std::span<const Vertex> rows, Matrix& X);

/// `rows` rows of `width` elements from one row-major matrix into another: row i from `from` + i · fromStride
/// to `to` + i · toStride. The two must not overlap.
void copyBlock(const Scalar* from, Index fromStride, Scalar* to, Index toStride, Index rows, Index width);

}  // namespace halo
