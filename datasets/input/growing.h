#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/base/index.h"

namespace halo {

/// An array that grows at its end without a second copy of itself beside it. The system moves the pages of a
/// large array, and gives no memory to the room that nothing was written to. A std::vector holds old and new
/// copy.
template <class T>
class Growing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Growing() = default;
  explicit Growing(std::size_t size) { resize(size); }
  Growing(Growing&& other) noexcept { swap(other); }
  Growing& operator=(Growing&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Growing() { std::free(data_); }

  void push_back(T value) {
    if (size_ == room_) makeRoom(size_ < kFirst ? kFirst : 2 * size_);
    data_[size_++] = value;
  }
  /// New elements are undefined.
  void resize(std::size_t size) {
    if (size > room_) makeRoom(size);
    size_ = size;
  }
  void dropFirst(std::size_t count) {
    std::copy(begin() + count, end(), begin());
    size_ -= count;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& back() const { return data_[size_ - 1]; }

 private:
  static constexpr std::size_t kFirst = 16;

  void makeRoom(std::size_t count) {
    if (count > at(-1) / sizeof(T)) throw std::bad_alloc();
    void* moved = std::realloc(data_, count * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    room_ = count;
  }
  void swap(Growing& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

/// Good until the text changes.
inline std::string_view viewOf(const Growing<char>& text) { return {text.data(), text.size()}; }

}  // namespace halo
