#pragma once

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <string_view>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"
#include "engine/kernels/opencl/card_memory.h"
#include "engine/kernels/opencl/opencl_kernels.h"
#include "engine/kernels/opencl/opencl_library.h"

namespace halo {

/// A device of OpenCL with its kernels: one context, one queue in which everything happens in the order of
/// the calls. Calls of kernels return at once, copies when they are over. One thread at a time uses it.
class OpenClDevice {
 public:
  /// Throws EnvironmentError where the device cannot serve, or its compiler does not build the source: with
  /// the device, and the first lines of the compiler.
  OpenClDevice(const OpenClLibrary& library, const OpenClDeviceInfo& info,
               std::string_view source = kCardKernelSource);

  const OpenClDeviceInfo& info() const { return info_; }

  // Copies. `up` makes the shape of what it fills.

  void up(FirstRows X, CardMatrix& Y);
  void up(const Csr& A, CardCsr& B);
  void up(std::span<const Vertex> vertices, CardBuffer& Y);
  void down(const CardMatrix& X, Matrix& Y);

  /// Room for so many elements; what they are is undefined.
  void resize(CardMatrix& X, Index rows, Index cols);
  /// The same of any size in bytes, at least one.
  void reserve(CardBuffer& buffer, std::size_t bytes);

  /// Scratch memory of kernels that reduce: what a kernel leaves there the next one in the queue may read.
  CardBuffer& scratch() { return scratch_; }

  /// Groups, or items of a group, by dimension.
  struct Extent {
    std::size_t x = 1, y = 1;
  };
  /// Starts a kernel; arguments in its order: numbers, buffers, or nullptr for a buffer that is not there.
  /// Nothing is started where there is no group.
  template <class... Arguments>
  void launch(CardKernel kernel, Extent groups, Extent items, const Arguments&... arguments) {
    opencl::UInt place = 0;
    (set(kernel, place++, arguments), ...);
    start(kernel, groups, items);
  }

  /// Waits until everything that was called for is done.
  void finish();

  const CardTraffic& traffic() const { return traffic_; }
  /// Buffers made since the beginning: no more of them once the largest batch has passed.
  std::int64_t allocations() const { return allocations_.load(); }
  /// Bytes of its buffers. They all live as long as it does.
  std::int64_t heldBytes() const { return heldBytes_.load(); }

 private:
  friend class CardLink;
  void checkInfo() const;
  void build(std::string_view source);
  opencl::Owned makeQueue() const;
  void writeTo(CardBuffer& buffer, const void* from, std::size_t bytes) {
    write(queue_, traffic_, buffer, from, bytes);
  }
  void write(const opencl::Owned& queue, CardTraffic& traffic, CardBuffer& buffer, const void* from,
             std::size_t bytes);

  void set(CardKernel kernel, opencl::UInt place, const CardBuffer& buffer);
  void set(CardKernel kernel, opencl::UInt place, const CardBuffer* buffer);
  void set(CardKernel kernel, opencl::UInt place, std::nullptr_t) {
    set(kernel, place, static_cast<const CardBuffer*>(nullptr));
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void set(CardKernel kernel, opencl::UInt place, const Number& number) {
    setBytes(kernel, place, sizeof number, &number);
  }
  void setBytes(CardKernel kernel, opencl::UInt place, std::size_t size, const void* value);
  void start(CardKernel kernel, Extent groups, Extent items);
  void require(opencl::Status status, const std::string& action) const;

  OpenClDeviceInfo info_;
  opencl::Api api_;
  opencl::Owned context_, queue_, program_;
  std::array<opencl::Owned, kCardKernelNames.size()> kernels_;
  CardBuffer scratch_;
  CardTraffic traffic_;
  std::atomic<std::int64_t> allocations_ = 0, heldBytes_ = 0;  // links allocate too
};

/// A way to a card beside its kernels, with a queue of its own. With it a thread copies for the next batch
/// while another thread computes on this one. One thread at a time uses it. What it fills is read by kernels
/// that are called after `up` has returned, and filled again after the last of them is over.
class CardLink {
 public:
  /// The device outlives this.
  explicit CardLink(OpenClDevice& device) : device_(device), queue_(device.makeQueue()) {}

  /// Over when it returns.
  void up(FirstRows X, CardMatrix& Y);
  const CardTraffic& traffic() const { return traffic_; }

 private:
  OpenClDevice& device_;
  opencl::Owned queue_;
  CardTraffic traffic_;
};

}  // namespace halo
