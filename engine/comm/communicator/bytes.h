#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/matrix.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// Plain values and arrays of them, one after the other, for ranks of one build talking to each other.
class ByteWriter {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  template <class Vector>
  void array(const Vector& v) {
    using T = std::remove_cvref_t<decltype(*v.data())>;
    static_assert(std::is_trivially_copyable_v<T>);
    value(static_cast<std::int64_t>(v.size()));
    bytes_.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
  }
  void matrix(const Matrix& m) {
    value(m.rows());
    value(m.cols());
    array(m.values());
  }
  void csr(const Csr& A) {
    value(A.cols);
    array(A.offsets);
    array(A.columns);
    array(A.values);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote, in the same order. Throws std::runtime_error where the bytes end early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T value() {
    T v;
    std::memcpy(&v, take(sizeof v), sizeof v);
    return v;
  }
  template <class Vector>
  void array(Vector& v) {
    using T = typename Vector::value_type;
    const auto count = at(value<std::int64_t>());
    if (count > bytes_.size() / sizeof(T)) throw std::runtime_error("a message between ranks ends early");
    v.resize(count);
    if (count > 0) std::memcpy(static_cast<void*>(v.data()), take(count * sizeof(T)), count * sizeof(T));
  }
  void matrix(Matrix& m) {
    const auto rows = value<Index>(), cols = value<Index>();
    m.resize(rows, cols);
    const auto count = at(value<std::int64_t>());
    if (count != m.values().size()) throw std::runtime_error("a matrix between ranks has the wrong size");
    if (count > 0) std::memcpy(m.data(), take(count * sizeof(Scalar)), count * sizeof(Scalar));
  }
  void csr(Csr& A) {
    A.cols = value<Index>();
    array(A.offsets);
    array(A.columns);
    array(A.values);
  }

 private:
  const char* take(std::size_t size) {
    if (size > bytes_.size() - at_) throw std::runtime_error("a message between ranks ends early");
    const char* begin = bytes_.data() + at_;
    at_ += size;
    return begin;
  }
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace halo
