#pragma once

#include "engine/base/index.h"
#include "engine/methods/contract/predictions.h"

namespace halo {

/// Bytes of `rows` rows of `width` elements.
std::int64_t heldRows(std::int64_t rows, std::int64_t width);
std::int64_t widest(std::span<const std::int64_t> widths);

/// Buffers of a halo exchange, each as wide as the widest layer. They hold rows that come, rows packed to
/// leave, and gradients made for others' rows. Gradients that come back share the buffer of what is packed.
Memory haloMemory(const MemoryRequest& request);

/// Codes of `rows` rows as wide as the widest of `widths`, and ranges of rows, of `rangeBytes` as they
/// travel.
std::int64_t heldCodes(std::int64_t rows, std::span<const std::int64_t> widths, double bits,
                       std::int64_t rangeBytes);

/// Sets one category.
inline std::int64_t& bytesOf(Memory& memory, MemoryOf category) { return memory[at(category)]; }

}  // namespace halo
