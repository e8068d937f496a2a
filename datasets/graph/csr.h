#pragma once

#include <cstdint>
#include <span>

#include "engine/base/buffer.h"
#include "engine/base/index.h"
#include "engine/base/matrix.h"

namespace halo {

using Vertex = std::int32_t;  // a vertex of one graph; arcs are counted in 64 bits

/// Sparse matrix, compressed by rows. As a graph: row v lists the in-neighbours of v (u stands in row v
/// for an arc u → v), which is what aggregation reads. Columns ascend inside a row.
struct Csr {
  Index cols = 0;
  Buffer<Index> offsets{0};  // rows + 1
  Buffer<Vertex> columns;    // nonzeros
  Buffer<Scalar> values;     // nonzeros, or empty: every stored value is 1

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
  Index nonzeros() const { return offsets.back(); }
  bool weighted() const { return !values.empty(); }
  Index degree(Index row) const { return offsets[at(row) + 1] - offsets[at(row)]; }
  std::span<const Vertex> row(Index r) const { return {columns.data() + offsets[at(r)], at(degree(r))}; }
  std::size_t bytes() const {
    return offsets.size() * sizeof(Index) + columns.size() * sizeof(Vertex) + values.size() * sizeof(Scalar);
  }
};

struct Arc {
  Vertex source, target;
  bool operator==(const Arc&) const = default;
};

/// The graph of `arcs` over `vertices` vertices: sorted rows, duplicates merged, self loops kept or dropped.
/// Linear time (two counting passes); the result does not depend on the order of `arcs` or on threads.
Csr buildCsr(Index vertices, std::span<const Arc> arcs, bool keepSelfLoops);

/// Aᵀ, values carried along; columns ascend again. Linear time.
Csr transpose(const Csr& A);
/// A with every inverse arc added (unweighted), duplicates merged.
Csr symmetrised(const Csr& A);
/// Whether the pattern of A equals that of Aᵀ.
bool isSymmetric(const Csr& A);
Index selfLoops(const Csr& A);

/// B[i][j] = A[order[i]][order[j]]: vertex order[i] becomes vertex i. Columns ascend again.
Csr permuted(const Csr& A, std::span<const Vertex> order);

}  // namespace halo
