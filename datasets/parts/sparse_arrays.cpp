#include "datasets/parts/sparse_arrays.h"

#include <algorithm>

#include "datasets/input/limits.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& key,
                          const std::string& message) {
  throw DamagedInput({.file = file.string(), .key = key, .message = message});
}

const NpyArray& member(const Arrays& arrays, const std::string& key, const std::string& form,
                       const std::filesystem::path& file) {
  const auto array = arrays.find(key);
  if (array == arrays.end()) damaged(file, key, "is missing; a sparse matrix is " + form);
  return array->second;
}

/// Every element of `numbers` is one of `count` rows or columns.
void requireBelow(const std::vector<std::int64_t>& numbers, Index count, const char* unit,
                  const std::string& key, const std::filesystem::path& file) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] < 0 || numbers[i] >= count)
      damaged(file, key,
              "element " + std::to_string(i) + " is " + std::to_string(numbers[i]) + "; " + unit +
                  " are 0 to " + std::to_string(count - 1));
}

void checkBorders(const SparseArrays& matrix, const std::string& prefix, const std::filesystem::path& file) {
  const Index lines = matrix.byColumns ? matrix.cols : matrix.rows;
  const std::size_t entries = matrix.indices.size();
  if (std::cmp_not_equal(matrix.indptr.size(), lines + 1))
    damaged(file, prefix + "indptr",
            "has " + std::to_string(matrix.indptr.size()) + " elements; " + std::to_string(lines) +
                (matrix.byColumns ? " columns" : " rows") + " need one more than that");
  if (matrix.indptr.front() != 0 || std::cmp_not_equal(matrix.indptr.back(), entries) ||
      !std::is_sorted(matrix.indptr.begin(), matrix.indptr.end()))
    damaged(file, prefix + "indptr",
            "does not ascend from 0 to the " + std::to_string(entries) + " elements of indices");
}

void readShape(const NpyArray& array, const std::string& key, const std::filesystem::path& file,
               SparseArrays& matrix) {
  const auto shape = array.integers(file.string() + ": " + key);
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0)
    damaged(file, key, "is not the shape of a matrix; two numbers");
  matrix.rows = shape[0];
  matrix.cols = shape[1];
  requireVertexCount(matrix.rows, file, "rows of " + key);
  requireVertexCount(matrix.cols, file, "columns of " + key);
}

/// The form that is named, or that the arrays there are tell.
std::string formOf(const Arrays& arrays, const std::string& prefix, const std::filesystem::path& file) {
  if (const auto named = arrays.find(prefix + "format"); named != arrays.end()) {
    const std::string form = textOf(named->second);
    if (form != "csr" && form != "csc" && form != "coo")
      damaged(file, prefix + "format",
              "is '" + form +
                  "', a form of sparse matrices that is not read; csr, csc or coo, as scipy's tocsr makes");
    return form;
  }
  return arrays.contains(prefix + "row") && !arrays.contains(prefix + "indptr") ? "coo" : "csr";
}

}  // namespace

std::string textOf(const NpyArray& array) {
  std::string text;
  if (array.type[0] != 'S' && array.type[0] != 'U') return text;
  const std::size_t step = array.type[0] == 'U' ? 4 : 1;
  for (std::size_t i = 0; i < array.bytes.size() && array.bytes[i] != '\0'; i += step) text += array.bytes[i];
  return text;
}

template <class Use>
void SparseArrays::each(Use use) const {
  const auto entry = [&](std::int64_t major, std::size_t e) {
    const std::int64_t minor = indices[e];
    use(byColumns ? minor : major, byColumns ? major : minor, e);
  };
  for (std::size_t e = 0; e < majors.size(); ++e) entry(majors[e], e);
  for (std::size_t line = 0; line + 1 < indptr.size(); ++line)
    for (std::int64_t e = indptr[line]; e < indptr[line + 1]; ++e)
      entry(static_cast<std::int64_t>(line), at(e));
}

std::vector<Arc> SparseArrays::arcs() const {
  std::vector<Arc> result;
  result.reserve(indices.size());
  each([&](std::int64_t row, std::int64_t col, std::size_t) {
    result.push_back({static_cast<Vertex>(row), static_cast<Vertex>(col)});
  });
  return result;
}

Matrix SparseArrays::dense() const {
  Matrix result;
  result.setZero(rows, cols);
  each([&](std::int64_t row, std::int64_t col, std::size_t e) {
    result(row, col) += static_cast<Scalar>(data[e]);
  });
  return result;
}

void SparseArrays::remarkValues(std::vector<std::string>& remarks) const {
  if (std::any_of(data.begin(), data.end(), [](double value) { return value != 1; }))
    remarks.emplace_back("values of the matrix are not read");
  if (const auto zeros = std::count(data.begin(), data.end(), 0.0); zeros > 0)
    remarks.push_back(storedZeros(zeros));
}

std::string storedZeros(Index count) {
  return std::to_string(count) +
         (count == 1 ? " entry of the matrix is a zero" : " entries of the matrix are zeros") +
         " that the file stores; each is an arc as every other entry: take out those that are none";
}

SparseArrays sparseArrays(const Arrays& arrays, const std::string& prefix,
                          const std::filesystem::path& file) {
  const std::string form = formOf(arrays, prefix, file);
  const std::string parts = form == "coo" ? "data, row, col and shape" : "data, indices, indptr and shape";
  const auto part = [&](const char* key) -> const NpyArray& {
    return member(arrays, prefix + key, parts, file);
  };
  const auto name = [&](const char* key) { return file.string() + ": " + prefix + key; };
  SparseArrays matrix;
  readShape(part("shape"), prefix + "shape", file, matrix);
  if (form == "coo") {
    matrix.majors = part("row").integers(name("row"));
    matrix.indices = part("col").integers(name("col"));
    if (matrix.majors.size() != matrix.indices.size())
      damaged(file, prefix + "row",
              "has " + std::to_string(matrix.majors.size()) + " elements; col has " +
                  std::to_string(matrix.indices.size()));
    requireBelow(matrix.majors, matrix.rows, "rows", prefix + "row", file);
    requireBelow(matrix.indices, matrix.cols, "columns", prefix + "col", file);
  } else {
    matrix.byColumns = form == "csc";
    matrix.indptr = part("indptr").integers(name("indptr"));
    matrix.indices = part("indices").integers(name("indices"));
    checkBorders(matrix, prefix, file);
    requireBelow(matrix.indices, matrix.byColumns ? matrix.rows : matrix.cols,
                 matrix.byColumns ? "rows" : "columns", prefix + "indices", file);
  }
  matrix.data = part("data").reals(name("data"));
  if (matrix.data.size() != matrix.indices.size())
    damaged(file, prefix + "data",
            "has " + std::to_string(matrix.data.size()) + " elements; there are " +
                std::to_string(matrix.indices.size()) + " entries");
  part("data").requireBeside(static_cast<double>(matrix.indices.size() * sizeof(Arc)), "its entries",
                             {.file = name("data")});
  return matrix;
}

}  // namespace halo
