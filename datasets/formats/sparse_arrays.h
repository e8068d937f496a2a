#pragma once

#include <map>
#include <string>
#include <vector>

#include "datasets/formats/format.h"
#include "datasets/npz.h"

namespace halo {

using Arrays = std::map<std::string, NpyArray>;

/// A sparse matrix as scipy stores it, by rows; checked: borders ascend, columns exist, values finite or not.
struct SparseArrays {
  Index rows = 0, cols = 0;
  std::vector<std::int64_t> indptr, indices;
  std::vector<double> data;

  /// Entry (i, j) is the arc i → j; stored zeros too.
  std::vector<Arc> arcs() const;
  Matrix dense() const;
};

/// From `<prefix>data`, `<prefix>indices`, `<prefix>indptr`, `<prefix>shape`. Throws DamagedInput naming file
/// and array.
SparseArrays sparseArrays(const Arrays& arrays, const std::string& prefix, const std::filesystem::path& file);

/// A dense matrix that cannot be held, or for which `entries` stand too few, is refused with DamagedInput naming
/// `file`.
void requireDenseFits(Index rows, Index cols, Index entries, const std::filesystem::path& file);

}  // namespace halo
