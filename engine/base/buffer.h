#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace halo {

/// Allocator for large numeric arrays. They are cache-line aligned, and resize leaves their elements
/// uninitialised. From 4 MiB on it asks for huge pages, because row gathers over a large table are bound by
/// the TLB.
template <class T>
struct NumericAllocator {
  using value_type = T;
  static constexpr std::size_t kHugeFrom = std::size_t{4} << 20, kHugePage = std::size_t{2} << 20;

  NumericAllocator() = default;
  template <class U>
  NumericAllocator(const NumericAllocator<U>&) {}

  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t(bytes >= kHugeFrom ? kHugePage : std::size_t{64});
  }
  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= kHugeFrom)
      (void)::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: failure only costs speed
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
  bool operator==(const NumericAllocator&) const { return true; }
};

/// std::vector for numbers; `resize` does not initialise.
template <class T>
using Buffer = std::vector<T, NumericAllocator<T>>;

/// As many elements, all of them undefined; what it holds stays when it shrinks. A vector that grows by
/// itself keeps room for up to twice what it has, and both while it copies.
template <class T>
void resizeUndefined(Buffer<T>& values, std::size_t size) {
  if (size > values.capacity()) {
    values = Buffer<T>();
    values.reserve(size);
  }
  values.resize(size);
}

/// Bytes that a vector holds: room for the most elements it had so far, not only for those it has now.
template <class Vector>
std::size_t heldBytes(const Vector& values) {
  return values.capacity() * sizeof(typename Vector::value_type);
}

}  // namespace halo
