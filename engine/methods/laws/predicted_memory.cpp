#include "engine/methods/laws/predicted_memory.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/quantise/quantise.h"
#include "engine/methods/contract/method_entry.h"

namespace halo {

std::int64_t heldRows(std::int64_t rows, std::int64_t width) {
  return rows * width * std::int64_t{sizeof(Scalar)};
}

std::int64_t widest(std::span<const std::int64_t> widths) {
  return widths.empty() ? 0 : *std::ranges::max_element(widths);
}

Memory haloMemory(const MemoryRequest& request) {
  const std::int64_t forwardWidth = widest(request.forward), backwardWidth = widest(request.backward);
  Memory memory{};
  bytesOf(memory, MemoryOf::exchange) = heldRows(request.received, forwardWidth) +
                                        heldRows(request.sent, std::max(forwardWidth, backwardWidth)) +
                                        heldRows(request.received, backwardWidth);
  return memory;
}

Memory predictedMemory(const MethodEntry& method, const MemoryRequest& request) {
  return method.memory != nullptr ? method.memory(request) : haloMemory(request);
}

std::int64_t heldCodes(std::int64_t rows, std::span<const std::int64_t> widths, double bits,
                       std::int64_t rangeBytes) {
  const double codes = static_cast<double>(rows * widest(widths)) * bits / 8;
  return std::llround(codes) + rows * (rangeBytes + std::int64_t{sizeof(RowRange)});
}

}  // namespace halo
