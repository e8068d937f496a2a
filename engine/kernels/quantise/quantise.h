#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"
#include "engine/kernels/threads/caches.h"

namespace halo {

/// A row of a message is zero + step · code, code in [0, 2^bits).
struct RowRange {
  float zero = 0, step = 0;
};

/// How rows become codes. Stochastic draws of 16 bits are keyed by (seed, epoch, stream, id of the row,
/// column). They are the same on any rank and for any number of threads. Columns 64 g + q and 64 g + q + 32
/// share their bits: what is coarse in one is fine in the other. Each draw alone has 16 bits. Whether both go
/// up is independent but for less than 2^-7. Random numbers of the second half's own would remove that, and
/// cost time.
struct Coding {
  int bits = 8;            // 8, 4 or 2
  bool nearest = false;    // else stochastic: up with the probability of the fraction
  bool shortRange = true;  // zero and step as 16-bit brain floats
  std::uint64_t seed = 1;
  std::uint32_t epoch = 0, stream = 0;  // stream below 65,536
};

/// ⌈rows · bits / 8⌉ · cols, padded by whole rows: 8 / bits rows share their bytes, column by column.
Index codeBytes(Index rows, Index cols, int bits);

// Without branches: which way a number rounds is a toss-up, and mistaking it would cost more than the codes
// of a short row. Inline: for a call the upper halves of the registers would have to be given up, row by row.
inline float roundedDown(double value, bool shortened) {
  const auto nearest = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const std::uint32_t above = static_cast<double>(nearest) > value ? 1 : 0;
  bits += above * (2 * (bits >> 31)) - above;  // what is negative has to go the other way
  if (!shortened) return std::bit_cast<float>(bits);
  const std::uint32_t cut = bits & 0xFFFF0000U;  // towards zero
  return std::bit_cast<float>(cut + 0x10000U * ((bits >> 31) & (cut != bits ? 1U : 0U)));
}
inline float roundedUp(double value, bool shortened) { return -roundedDown(-value, shortened); }

/// Of rows whose elements differ. The encoders multiply by one over the step, which has to be finite.
constexpr float kLeastStep = std::numeric_limits<float>::min();

/// `zero`: the smallest value rounded down. `step`: (largest − zero) / (2^bits − 1) rounded up to what is
/// stored, so that the codes cover the row, and rounding loses no expectation. It is 0 or at least
/// kLeastStep.
inline RowRange rangeOf(double smallest, double largest, int bits, bool shortRange) {
  const int levels = (1 << bits) - 1;
  RowRange range;
  range.zero = roundedDown(smallest, shortRange);
  const float step = roundedUp((largest - static_cast<double>(range.zero)) / levels, shortRange);
  range.step = step > 0 ? std::max(step, kLeastStep) : step;
  return range;
}

/// Codes of X's rows `rows`, in this order (resources/design/methods.md, Codes). `ids`: of each row of X.
/// codes (codeBytes)   ranges (rows.size())   X (n × d), finite
/// |decoded − x| < step. Stochastic: E[decoded] = x to 2^-17 step, variance step² f (1 − f), f the fraction.
void encodeRows(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes);
/// X row rows[i] = what code row i says.
/// What does not fit `cacheBytes`, the last cache's, is stored past the caches.
void decodeRows(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                std::span<const Vertex> rows, Matrix& X, std::int64_t cacheBytes = caches().last);

// The definitions, an element at a time. The tests hold the kernels against them.
void encodeRowsReference(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                         const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes);
void decodeRowsReference(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                         std::span<const Vertex> rows, Matrix& X);

}  // namespace halo
