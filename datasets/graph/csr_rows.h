#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/index.h"

namespace halo {

/// The pattern of a Csr that is kept elsewhere: in a Csr, or in a file that is mapped. As cheap to copy as
/// what it refers to is large; outlived by it.
struct CsrRows {
  CsrRows() = default;
  CsrRows(const Csr& A)  // NOLINT(google-explicit-constructor): a Csr is rows
      : cols(A.cols), offsets(A.offsets), columns(A.columns), weighted_(A.weighted()) {}
  CsrRows(Index colCount, std::span<const Index> rowOffsets, std::span<const Vertex> columnNumbers)
      : cols(colCount), offsets(rowOffsets), columns(columnNumbers) {}

  Index cols = 0;
  std::span<const Index> offsets;   // rows + 1
  std::span<const Vertex> columns;  // nonzeros

  Index rows() const { return offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1; }
  Index nonzeros() const { return offsets.empty() ? 0 : offsets.back(); }
  bool weighted() const { return weighted_; }
  Index degree(Index row) const { return offsets[at(row) + 1] - offsets[at(row)]; }
  std::span<const Vertex> row(Index r) const { return columns.subspan(at(offsets[at(r)]), at(degree(r))); }

 private:
  bool weighted_ = false;
};

}  // namespace halo
