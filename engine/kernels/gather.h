#pragma once

#include <span>

#include "datasets/csr.h"
#include "engine/base/matrix.h"

namespace halo {

/// out row i = X row rows[i]; `out` holds rows.size() × X.cols() elements (a send buffer).
void gatherRows(const Matrix& X, std::span<const Vertex> rows, std::span<Scalar> out);
/// X row rows[i] = in row i; rows must not repeat.
void scatterRows(std::span<const Scalar> in, std::span<const Vertex> rows, Matrix& X);
/// X row rows[i] += in row i; rows must not repeat (a peer's list never does).
void addRows(std::span<const Scalar> in, std::span<const Vertex> rows, Matrix& X);

}  // namespace halo
