#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/kernels/quantise/quantise.h"

namespace halo {
namespace {

/// Sixteen bits for one element: four Philox blocks for 64 columns, each word for four of them.
std::uint16_t drawOf(const Coding& coding, std::uint64_t id, Index column) {
  if (coding.nearest) return 0x8000;
  const Index q = column % 16, part = column % 64 / 16;
  const auto block = philox(coding.seed, Purpose::quantise, id, coding.epoch,
                            coding.stream << 16 | static_cast<std::uint32_t>(column / 64 * 4 + q % 8 / 2));
  // words 1 and 0 of each block, then 3 and 2 of each: the order in which Philox leaves them in a register
  const std::uint32_t word = block[at(q / 8 * 2 + 1 - q % 2)];
  const auto half = static_cast<std::uint16_t>(part % 2 == 0 ? word : word >> 16);
  return part < 2 ? half : std::rotl(half, 8);
}

/// `above`: the element less the row's zero. `inverse`: one over its step.
int codeOf(Scalar above, Scalar inverse, int bits, std::uint16_t draw) {
  const Scalar u = static_cast<Scalar>(draw) * Scalar{0x1p-16};
  if (bits < 8) {  // where a Scalar is a float, the sum rounds to 2^-16 first
    const Scalar levels = static_cast<Scalar>((1 << bits) - 1);
    return static_cast<int>(std::min(levels, std::fma(above, inverse, Scalar{128}) - Scalar{128} + u));
  }
  const Scalar v = u + Scalar{0x1p-17} - Scalar{0.5};
  return static_cast<int>(std::nearbyint(std::min(Scalar{255}, std::fma(above, inverse, v))));
}

}  // namespace

void encodeRowsReference(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                         const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
  const Index share = 8 / coding.bits;
  HALO_CHECK(static_cast<Index>(codes.size()) ==
             codeBytes(static_cast<Index>(rows.size()), X.cols(), coding.bits));
  std::ranges::fill(codes, std::uint8_t{0});
  if (X.cols() == 0) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = X.row(rows[i]);
    const auto [smallest, largest] = std::ranges::minmax(row);
    const RowRange range = ranges[i] =
        rangeOf(static_cast<double>(smallest), static_cast<double>(largest), coding.bits, coding.shortRange);
    const Scalar inverse = range.step > 0 ? Scalar{1} / static_cast<Scalar>(range.step) : Scalar{0};
    const Index group = static_cast<Index>(i) / share, place = static_cast<Index>(i) % share;
    for (Index j = 0; j < X.cols(); ++j) {
      const Scalar above = row[at(j)] - static_cast<Scalar>(range.zero);
      const int code = codeOf(above, inverse, coding.bits, drawOf(coding, ids[at(rows[i])], j));
      std::uint8_t& byte = codes[at(group * X.cols() + j)];
      byte = static_cast<std::uint8_t>(byte | code << (place * coding.bits));
    }
  }
}

void decodeRowsReference(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                         std::span<const Vertex> rows, Matrix& X) {
  const Index share = 8 / bits;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index group = static_cast<Index>(i) / share, place = static_cast<Index>(i) % share;
    for (Index j = 0; j < X.cols(); ++j) {
      const int byte = codes[at(group * X.cols() + j)];
      const int code = byte >> (place * bits) & ((1 << bits) - 1);
      X(rows[i], j) = std::fma(static_cast<Scalar>(code), static_cast<Scalar>(ranges[i].step),
                               static_cast<Scalar>(ranges[i].zero));
    }
  }
}

}  // namespace halo
