#include "datasets/formats/sparse_arrays.h"

#include <algorithm>

#include "datasets/limits.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& key,
                          const std::string& message) {
  throw DamagedInput({file.string(), 0, 0, key, message});
}

const NpyArray& member(const Arrays& arrays, const std::string& key, const std::filesystem::path& file) {
  const auto found = arrays.find(key);
  if (found == arrays.end())
    damaged(file, key, "is missing; a sparse matrix is data, indices, indptr and shape");
  return found->second;
}

void check(const SparseArrays& matrix, const std::string& prefix, const std::filesystem::path& file) {
  const auto entries = static_cast<std::int64_t>(matrix.indices.size());
  if (std::cmp_not_equal(matrix.indptr.size(), matrix.rows + 1))
    damaged(file, prefix + "indptr",
            "has " + std::to_string(matrix.indptr.size()) + " elements; " + std::to_string(matrix.rows) +
                " rows need one more than that");
  if (matrix.indptr.front() != 0 || matrix.indptr.back() != entries ||
      !std::is_sorted(matrix.indptr.begin(), matrix.indptr.end()))
    damaged(file, prefix + "indptr",
            "does not ascend from 0 to the " + std::to_string(entries) + " elements of indices");
  for (std::size_t i = 0; i < matrix.indices.size(); ++i)
    if (matrix.indices[i] < 0 || matrix.indices[i] >= matrix.cols)
      damaged(file, prefix + "indices",
              "element " + std::to_string(i) + " is " + std::to_string(matrix.indices[i]) +
                  "; columns are 0 to " + std::to_string(matrix.cols - 1));
  if (matrix.data.size() != matrix.indices.size())
    damaged(
        file, prefix + "data",
        "has " + std::to_string(matrix.data.size()) + " elements; indices has " + std::to_string(entries));
}

}  // namespace

void requireDenseFits(Index rows, Index cols, Index entries, const std::filesystem::path& file) {
  const double bytes = static_cast<double>(rows) * static_cast<double>(cols) * sizeof(Scalar);
  requireRoom(bytes, static_cast<double>(rows + entries) * sizeof(Index),
              "a dense matrix of " + std::to_string(rows) + " × " + std::to_string(cols),
              {file.string(), 0, 0, "", ""});
}

std::vector<Arc> SparseArrays::arcs() const {
  std::vector<Arc> result;
  result.reserve(indices.size());
  for (std::size_t row = 0; row + 1 < indptr.size(); ++row)
    for (std::int64_t e = indptr[row]; e < indptr[row + 1]; ++e)
      result.push_back({static_cast<Vertex>(row), static_cast<Vertex>(indices[static_cast<std::size_t>(e)])});
  return result;
}

Matrix SparseArrays::dense() const {
  Matrix result;
  result.setZero(rows, cols);
  for (std::size_t row = 0; row + 1 < indptr.size(); ++row)
    for (std::int64_t e = indptr[row]; e < indptr[row + 1]; ++e)
      result(static_cast<Index>(row), indices[static_cast<std::size_t>(e)]) +=
          static_cast<Scalar>(data[static_cast<std::size_t>(e)]);
  return result;
}

SparseArrays sparseArrays(const Arrays& arrays, const std::string& prefix,
                          const std::filesystem::path& file) {
  const auto name = [&](const std::string& key) { return file.string() + ": " + prefix + key; };
  SparseArrays matrix;
  const auto shape = member(arrays, prefix + "shape", file).integers(name("shape"));
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0)
    damaged(file, prefix + "shape", "is not the shape of a matrix; two numbers");
  matrix.rows = shape[0];
  matrix.cols = shape[1];
  requireVertexCount(matrix.rows, file, "rows of " + prefix + "shape");
  requireVertexCount(matrix.cols, file, "columns of " + prefix + "shape");
  matrix.indptr = member(arrays, prefix + "indptr", file).integers(name("indptr"));
  matrix.indices = member(arrays, prefix + "indices", file).integers(name("indices"));
  matrix.data = member(arrays, prefix + "data", file).reals(name("data"));
  check(matrix, prefix, file);
  return matrix;
}

}  // namespace halo
