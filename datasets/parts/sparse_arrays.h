#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/arrays/npz.h"
#include "datasets/contract/format.h"

namespace halo {

using Arrays = std::map<std::string, NpyArray>;

/// A sparse matrix as scipy stores it; checked: borders ascend, rows and columns exist, values finite or not.
struct SparseArrays {
  Index rows = 0, cols = 0;
  bool byColumns = false;                     // csc: indptr borders columns, indices are rows
  std::vector<std::int64_t> indptr;           // csr and csc
  std::vector<std::int64_t> majors, indices;  // coo: row and column of every entry, no indptr
  std::vector<double> data;

  /// Entry (i, j) is the arc i → j; stored zeros too.
  std::vector<Arc> arcs() const;
  Matrix dense() const;
  /// What is told of entries of a graph other than 1, which are not used.
  void remarkValues(std::vector<std::string>& remarks) const;

 private:
  template <class Use>
  void each(Use use) const;
};

/// From `<prefix>data`, `<prefix>shape`, and the rest of the form that `<prefix>format` names. Both csr (also
/// taken if it names none) and csc have indices and indptr, and coo has row and col. Throws DamagedInput
/// naming file and array.
SparseArrays sparseArrays(const Arrays& arrays, const std::string& prefix, const std::filesystem::path& file);

/// What is told of entries of a graph that are there and 0.
std::string storedZeros(Index count);

/// The text of a scalar array of type S or U; empty for others.
std::string textOf(const NpyArray& array);

}  // namespace halo
