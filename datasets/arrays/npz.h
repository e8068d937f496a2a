#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "datasets/input/limits.h"
#include "engine/base/matrix.h"

namespace halo {

/// Elements of an array of this shape; nothing: more than can be counted.
std::optional<Index> elementCount(const std::vector<Index>& shape);

/// One array of an .npz: type, shape, and the bytes in C order. The type is numpy's code with the byte order
/// stripped: "f4", "f8", "i4", "i8", "i1", "u1", "b1", "U12", …
struct NpyArray {
  std::string type;
  std::vector<Index> shape;
  std::string bytes;
  double packedBytes = 0;  // of its file
  MemoryGrowth reading;    // since its file was begun
  Index count() const;
  /// To be asked before `more` bytes are held beside what was read: throws DamagedInput at `place` if the
  /// file does not justify all of it.
  void requireBeside(double more, const std::string& subject, Problem place) const;
  /// Elements converted; throws DamagedInput (with `name`) for a type that is not a number.
  std::vector<std::int64_t> integers(const std::string& name) const;
  std::vector<double> reals(const std::string& name) const;
  /// Rows and columns (1 for a vector); throws DamagedInput (with `name`) for other shapes.
  std::pair<Index, Index> extent(const std::string& name) const;
  /// As a dense matrix (n, or n × m). Throws DamagedInput (with `name`) for other shapes and types, and for
  /// numbers beyond the range of a Scalar.
  Matrix matrix(const std::string& name) const;
};

/// Asked for the shape that a header declares, before the elements are read: throws if it is of no use.
using ShapeCheck = std::function<void(const std::vector<Index>& shape)>;

/// A .npy file, packed or not. Throws DamagedInput naming it.
NpyArray readNpy(const std::filesystem::path& file, const ShapeCheck& fits = {});

/// Every array of the archive (stored or deflated), by its name without ".npy". Arrays of Python objects come
/// as type "O" without bytes. Throws DamagedInput naming file and member, also for an archive that
/// contradicts itself (archive.h) or whose arrays have no room (limits.h).
std::map<std::string, NpyArray> readNpz(const std::filesystem::path& file, const ShapeCheck& fits = {});
/// One of them. Throws DamagedInput if it is not there.
NpyArray readNpzArray(const std::filesystem::path& file, const std::string& name);
std::map<std::string, NpyArray> readNpzBytes(const std::string& bytes, const std::string& name);
/// A stored (not compressed) archive of float32 matrices, row-major; a 1 × n matrix of `vectors` is written
/// 1-dimensional.
std::string writeNpz(const std::vector<std::pair<std::string, const Matrix*>>& arrays,
                     const std::vector<std::string>& vectors);

}  // namespace halo
