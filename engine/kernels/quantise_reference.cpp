#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/philox.h"
#include "engine/kernels/quantise.h"

namespace halo {
namespace {

/// In (−1/2, 1/2), the middle of one of 65,536 equal parts.
Scalar drawOf(const Coding& coding, std::uint64_t id, Index column) {
  const Index word = column / 64 * 32 + column % 32;
  const auto block = philox(coding.seed, Purpose::quantise, id, coding.epoch,
                            coding.stream << 16 | static_cast<std::uint32_t>(word / 8));
  const auto part =
      static_cast<std::uint16_t>(block[static_cast<std::size_t>(word % 8 / 2)] >> (16 * (word % 2)));
  const std::uint16_t bits = column % 64 < 32 ? part : std::rotl(part, 8);
  return (static_cast<Scalar>(bits) + Scalar{0.5}) * Scalar{0x1p-16} - Scalar{0.5};
}

}  // namespace

void encodeRowsReference(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                         const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
  const Index share = 8 / coding.bits;
  const auto levels = static_cast<Scalar>((1 << coding.bits) - 1);
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
      const Scalar v = coding.nearest ? Scalar{0} : drawOf(coding, ids[static_cast<std::size_t>(rows[i])], j);
      const Scalar scaled =
          std::fma(row[static_cast<std::size_t>(j)] - static_cast<Scalar>(range.zero), inverse, v);
      const auto code = static_cast<int>(std::nearbyint(std::min(scaled, levels)));
      std::uint8_t& byte = codes[static_cast<std::size_t>(group * X.cols() + j)];
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
      const int byte = codes[static_cast<std::size_t>(group * X.cols() + j)];
      const int code = byte >> (place * bits) & ((1 << bits) - 1);
      X(rows[i], j) = std::fma(static_cast<Scalar>(code), static_cast<Scalar>(ranges[i].step),
                               static_cast<Scalar>(ranges[i].zero));
    }
  }
}

}  // namespace halo
