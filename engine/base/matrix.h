#pragma once

#include <span>

#include "engine/base/buffer.h"
#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

#ifdef HALO_DOUBLE
using Scalar = double;  // the exactness build
#else
using Scalar = float;
#endif

/// Dense row-major matrix of Scalar. Holds storage only: large, aligned, on huge pages; algebra on it stands
/// in engine/kernels (through SIMD). `resize` leaves the elements undefined, and keeps the storage when it
/// shrinks. So a matrix that several layers use allocates once, for the widest.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols) { resize(rows, cols); }

  void resize(Index rows, Index cols) {
    HALO_CHECK(rows >= 0 && cols >= 0);
    resizeUndefined(data_, at(rows * cols));
    rows_ = rows;
    cols_ = cols;
  }
  void fill(Scalar value) { data_.assign(data_.size(), value); }
  void setZero(Index rows, Index cols) {
    resize(rows, cols);
    fill(0);
  }
  /// Rows of zeros after those that are there, up to `rows` in all.
  void extend(Index rows) {
    HALO_CHECK(rows >= rows_);
    data_.reserve(at(rows * cols_));
    data_.resize(at(rows * cols_), Scalar{0});
    rows_ = rows;
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  /// Of the elements.
  std::size_t bytes() const { return data_.size() * sizeof(Scalar); }
  /// Of the largest that it ever was: what it takes of the machine's memory.
  std::size_t heldBytes() const { return halo::heldBytes(data_); }
  bool empty() const { return data_.empty(); }
  Scalar* data() { return data_.data(); }
  const Scalar* data() const { return data_.data(); }
  std::span<Scalar> values() { return data_; }
  std::span<const Scalar> values() const { return data_; }
  std::span<Scalar> row(Index r) { return {data_.data() + r * cols_, at(cols_)}; }
  std::span<const Scalar> row(Index r) const { return {data_.data() + r * cols_, at(cols_)}; }
  Scalar& operator()(Index r, Index c) { return data_[at(r * cols_ + c)]; }
  Scalar operator()(Index r, Index c) const { return data_[at(r * cols_ + c)]; }

 private:
  Index rows_ = 0, cols_ = 0;
  Buffer<Scalar> data_;
};

/// The first rows of a matrix, or all of them, read only; the matrix, or whoever has its elements, outlives
/// this.
class FirstRows {
 public:
  FirstRows(const Scalar* data, Index rows, Index cols) : data_(data), rows_(rows), cols_(cols) {}
  FirstRows(const Matrix& matrix) : FirstRows(matrix, matrix.rows()) {}
  FirstRows(const Matrix& matrix, Index rows) : data_(matrix.data()), rows_(rows), cols_(matrix.cols()) {
    HALO_CHECK(rows >= 0 && rows <= matrix.rows());
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const Scalar* data() const { return data_; }

 private:
  const Scalar* data_;
  Index rows_, cols_;
};

}  // namespace halo
