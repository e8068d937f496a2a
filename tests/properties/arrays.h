#pragma once

#include <string>
#include <vector>

#include "datasets/graph/csr.h"
#include "tests/properties/random.h"

namespace halo::properties {

/// An array of numpy as a file has it.
struct Array {
  std::string name;  // of the member without ".npy"
  std::vector<Index> shape;
  std::vector<double> values;  // row by row
  std::string type = "f4";
  bool bigEndian = false, fortran = false;
  Index columns = -1;  // of values that are places: how many there are; −1: they are none
};

/// The bytes of numpy.save.
std::string npyBytes(const Array& array);
/// A zip archive of such files, stored or deflated.
std::string npzBytes(const std::vector<Array>& arrays, bool deflated);

Array matrixArray(std::string name, const Matrix& values, Random& random);
/// Whole numbers that are none of them negative, below 2^31.
Array integerArray(std::string name, const std::vector<Index>& values, Random& random);
/// data, indices, indptr and shape of a sparse matrix by rows, each behind `prefix`.
std::vector<Array> sparseArrays(const std::string& prefix, const Matrix& values, Random& random);
/// The same of a graph: entry (i, j) is the arc i → j, in the order of the rows, repeated arcs kept.
std::vector<Array> adjacencyArrays(const std::string& prefix, Index vertices, const std::vector<Arc>& arcs,
                                   Random& random);

/// An archive with these members, as libzip makes it.
std::string zipBytes(const std::vector<std::pair<std::string, std::string>>& members, bool deflated);

}  // namespace halo::properties
