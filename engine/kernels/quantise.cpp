#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/quantise.cpp"
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/kernels/blocks.h"
#include "engine/kernels/philox_blocks-inl.h"
#include "engine/kernels/quantise.h"

#ifndef HALO_QUANTISE_GROUP
#define HALO_QUANTISE_GROUP
namespace halo {

constexpr Index kChunk = 512;  // columns whose draws are made before they are used: 1 KiB a row

/// Up to four rows that share their bytes.
struct RowGroup {
  int rows = 0, bits = 8;
  Index cols = 0;
  const Scalar* x[4] = {};
  Scalar* y[4] = {};
  std::uint64_t id[4] = {};
  RowRange range[4];
};

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void extremes(const Scalar* x, Index cols, Scalar* smallest, Scalar* largest) {
  const hn::ScalableTag<Scalar> d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  Scalar low = x[0], high = x[0];
  Index j = 0;
  if (cols >= L) {
    auto lows = hn::LoadU(d, x), highs = lows;
    for (j = L; j + L <= cols; j += L) {
      const auto values = hn::LoadU(d, x + j);
      lows = hn::Min(lows, values);
      highs = hn::Max(highs, values);
    }
    low = hn::GetLane(hn::MinOfLanes(d, lows));
    high = hn::GetLane(hn::MaxOfLanes(d, highs));
  }
  for (; j < cols; ++j) {
    low = std::min(low, x[j]);
    high = std::max(high, x[j]);
  }
  *smallest = low;
  *largest = high;
}

#ifndef HALO_DOUBLE
// Bytes [j, j + lanes) of a group: (x − zero) / step + a draw in (0, 1), cut off.
template <class D>
HWY_INLINE void encodeLanes(D d, const RowGroup& group, const float* inverse, float levels,
                            const std::uint16_t (*draws)[kChunk + 8 * kPhiloxSlack], Index from, Index j,
                            std::uint8_t* codes) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::Rebind<std::uint8_t, D> d8;
  auto bytes = hn::Zero(d32);
  for (int t = 0; t < group.rows; ++t) {
    auto u = hn::Set(d, 0.5F);
    if (draws != nullptr)
      u = hn::MulAdd(hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d16, draws[t] + (j - from)))),
                     hn::Set(d, 0x1p-16F), hn::Set(d, 0x1p-17F));
    const auto x = hn::Sub(hn::LoadU(d, group.x[t] + j), hn::Set(d, group.range[t].zero));
    const auto scaled = hn::MulAdd(x, hn::Set(d, inverse[t]), u);
    const auto code = hn::ConvertTo(d32, hn::Max(hn::Zero(d), hn::Min(scaled, hn::Set(d, levels))));
    bytes = hn::Or(bytes, hn::ShiftLeftSame(code, t * group.bits));
  }
  hn::StoreU(hn::DemoteTo(d8, bytes), d8, codes + j);
}

template <class D>
HWY_INLINE void decodeLanes(D d, const RowGroup& group, const std::uint8_t* codes, Index j) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::uint8_t, D> d8;
  const auto bytes = hn::PromoteTo(d32, hn::LoadU(d8, codes + j));
  const auto mask = hn::Set(d32, (1 << group.bits) - 1);
  for (int t = 0; t < group.rows; ++t) {
    const auto code = hn::And(hn::ShiftRightSame(bytes, t * group.bits), mask);
    hn::StoreU(
        hn::MulAdd(hn::ConvertTo(d, code), hn::Set(d, group.range[t].step), hn::Set(d, group.range[t].zero)),
        d, group.y[t] + j);
  }
}

void encodeGroup(const RowGroup& group, const Coding& coding, std::uint8_t* codes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto L = static_cast<Index>(hn::Lanes(d));
  alignas(64) std::uint16_t draws[4][kChunk + 8 * kPhiloxSlack];
  float inverse[4] = {};
  for (int t = 0; t < group.rows; ++t)
    inverse[t] = group.range[t].step > 0 ? 1.0F / group.range[t].step : 0.0F;
  const auto levels = static_cast<float>((1 << group.bits) - 1);
  for (Index from = 0; from < group.cols; from += kChunk) {
    const Index to = std::min(group.cols, from + kChunk);
    for (int t = 0; t < group.rows && !coding.nearest; ++t)
      philoxBlocks(coding.seed, Purpose::quantise, group.id[t], coding.epoch,
                   coding.stream << 16 | static_cast<std::uint32_t>(from / 8), (to - from + 7) / 8,
                   reinterpret_cast<std::uint32_t*>(draws[t]));
    const auto* drawn = coding.nearest ? nullptr : draws;
    Index j = from;
    for (; j + L <= to; j += L) encodeLanes(d, group, inverse, levels, drawn, from, j, codes);
    for (; j < to; ++j) encodeLanes(one, group, inverse, levels, drawn, from, j, codes);
  }
}

void decodeGroup(const RowGroup& group, const std::uint8_t* codes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto L = static_cast<Index>(hn::Lanes(d));
  Index j = 0;
  for (; j + L <= group.cols; j += L) decodeLanes(d, group, codes, j);
  for (; j < group.cols; ++j) decodeLanes(one, group, codes, j);
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {
namespace {

HWY_EXPORT(extremes);
#ifndef HALO_DOUBLE
HWY_EXPORT(encodeGroup);
HWY_EXPORT(decodeGroup);
#endif

float down(double value, bool shortened) {
  auto stored = static_cast<float>(value);
  if (static_cast<double>(stored) > value)
    stored = std::nextafter(stored, -std::numeric_limits<float>::infinity());
  if (!shortened) return stored;
  const auto bits = std::bit_cast<std::uint32_t>(stored);
  const std::uint32_t cut = bits & 0xFFFF0000U;  // towards zero; what is negative has to go the other way
  return std::bit_cast<float>(stored < 0 && cut != bits ? cut + 0x10000U : cut);
}
float up(double value, bool shortened) { return -down(-value, shortened); }

void checkShapes(std::size_t rows, std::size_t ranges, std::size_t codes, Index cols, int bits) {
  HALO_CHECK((bits == 8 || bits == 4 || bits == 2) && ranges == rows);
  HALO_CHECK(static_cast<Index>(codes) == codeBytes(static_cast<Index>(rows), cols, bits));
}

}  // namespace

Index codeBytes(Index rows, Index cols, int bits) { return (rows + 8 / bits - 1) / (8 / bits) * cols; }

RowRange rangeOf(double smallest, double largest, int bits, bool shortRange) {
  const int levels = (1 << bits) - 1;
  RowRange range;
  range.zero = down(smallest, shortRange);
  range.step = up((largest - static_cast<double>(range.zero)) / levels, shortRange);
  return range;
}

void encodeRows(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
#ifdef HALO_DOUBLE
  encodeRowsReference(X, rows, ids, coding, ranges, codes);  // the exactness build needs no speed
#else
  checkShapes(rows.size(), ranges.size(), codes.size(), X.cols(), coding.bits);
  HALO_CHECK(static_cast<Index>(ids.size()) == X.rows() && coding.stream < 1U << 16);
  const Index share = 8 / coding.bits, count = static_cast<Index>(rows.size());
  if (X.cols() == 0) return;
  forBlocks((count + share - 1) / share, rowBlock(X.cols() * share), [&](Index begin, Index end) {
    for (Index g = begin; g < end; ++g) {
      RowGroup group{.rows = static_cast<int>(std::min(share, count - g * share)),
                     .bits = coding.bits,
                     .cols = X.cols()};
      for (int t = 0; t < group.rows; ++t) {
        const auto i = static_cast<std::size_t>(g * share + t);
        group.x[t] = X.row(rows[i]).data();
        group.id[t] = ids[static_cast<std::size_t>(rows[i])];
        float smallest = 0, largest = 0;
        HWY_DYNAMIC_DISPATCH(extremes)(group.x[t], X.cols(), &smallest, &largest);
        group.range[t] = ranges[i] =
            rangeOf(double{smallest}, double{largest}, coding.bits, coding.shortRange);
      }
      HWY_DYNAMIC_DISPATCH(encodeGroup)(group, coding, codes.data() + g * X.cols());
    }
  });
#endif
}

void decodeRows(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                std::span<const Vertex> rows, Matrix& X) {
#ifdef HALO_DOUBLE
  decodeRowsReference(codes, ranges, bits, rows, X);
#else
  checkShapes(rows.size(), ranges.size(), codes.size(), X.cols(), bits);
  const Index share = 8 / bits, count = static_cast<Index>(rows.size());
  forBlocks((count + share - 1) / share, rowBlock(X.cols() * share), [&](Index begin, Index end) {
    for (Index g = begin; g < end; ++g) {
      RowGroup group{
          .rows = static_cast<int>(std::min(share, count - g * share)), .bits = bits, .cols = X.cols()};
      for (int t = 0; t < group.rows; ++t) {
        const auto i = static_cast<std::size_t>(g * share + t);
        group.y[t] = X.row(rows[i]).data();
        group.range[t] = ranges[i];
      }
      HWY_DYNAMIC_DISPATCH(decodeGroup)(group, codes.data() + g * X.cols());
    }
  });
#endif
}

}  // namespace halo
#endif
