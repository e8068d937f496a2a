#pragma once

#include <cstdint>
#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

enum class Write { overwrite, add };

/// Y = A X (or Y += A X): each row sums its neighbours' rows, weighted by the stored values (1 when A has
/// none).
///
/// A (n × m)   X (m × f)   Y (n × f); overwrite resizes Y, add requires its shape.
/// Cost: 2 · nnz(A) · f FLOP. Row blocks balanced by nonzeros run in parallel; the result does not depend on
/// the number of threads. Source: Gustavson 1978 (row-wise product), two-dimensional cache tiling of rows and
/// features.
void spmm(const Csr& A, FirstRows X, Matrix& Y, Write write = Write::overwrite);

/// Z = (A X) ⊙ M with one bit an element: M row-major, each row padded to a byte, least significant bit
/// first.
void spmmMasked(const Csr& A, const Matrix& X, std::span<const std::uint8_t> mask, Matrix& Z);

/// Y[target[i]] += X[i]; targets may repeat. Deterministic for any number of threads.
void indexAdd(const Matrix& X, std::span<const Vertex> target, Matrix& Y);

// The definitions, one thread, sums in double. The tests hold the kernels against them.
void spmmReference(const Csr& A, const Matrix& X, Matrix& Y, Write write = Write::overwrite);
void spmmMaskedReference(const Csr& A, const Matrix& X, std::span<const std::uint8_t> mask, Matrix& Z);
void indexAddReference(const Matrix& X, std::span<const Vertex> target, Matrix& Y);

}  // namespace halo
