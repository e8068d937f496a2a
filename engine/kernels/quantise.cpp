#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/quantise.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "engine/kernels/blocks.h"
#include "engine/kernels/caches.h"
#include "engine/kernels/philox_blocks-inl.h"
#include "engine/kernels/quantise.h"

#ifndef HALO_QUANTISE_GROUP
#define HALO_QUANTISE_GROUP
namespace halo {

constexpr Index kChunk = 512;                   // columns whose draws are made before they are used
constexpr Index kPair = 64, kHalf = kPair / 2;  // columns whose second half reads the first half's bits

constexpr Index kDraws = kChunk / 2 + 8 * kPhiloxSlack;

/// Up to four rows that share their bytes.
struct RowGroup {
  int rows = 0, bits = 8;
  Index cols = 0;
  const Scalar* x[4] = {};
  Scalar* y[4] = {};
  std::uint64_t id[4] = {};
  RowRange range[4];
};

/// How their elements become codes: draws of each row, one over its step, the largest code.
struct Rounding {
  const std::uint16_t (*draws)[kDraws];  // nullptr: to the nearest
  float inverse[4];
  float levels;
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
using Wide = hn::CappedTag<float, kHalf>;

// Floats whose mantissas count in ones, and in 2^-16: what is added to them is rounded to that, and stands in
// their low bits.
constexpr float kOnes = 0x1.8p23F, kParts = 128.0F;

// Row t's codes of columns [j, j + lanes), in the low byte of what is returned: (x − zero) / step + a draw,
// cut off. Never below 0, for zero is below every x. Of at most 4 bits the sum is one of whole numbers, in
// 2^-16; it cannot pass the last code, for the row's largest is less than 2^-17 above it.
template <bool kBytes, class D, class V16>
HWY_INLINE auto codesOf(D d, const RowGroup& group, const Rounding& rounding, int t, Index j, V16 bits) {
  const hn::RebindToSigned<D> d32;
  const auto drawn = hn::PromoteTo(d32, bits);
  const auto x = hn::Sub(hn::LoadU(d, group.x[t] + j), hn::Set(d, group.range[t].zero));
  const auto inverse = hn::Set(d, rounding.inverse[t]);
  if constexpr (kBytes) {
    const auto v = hn::MulAdd(hn::ConvertTo(d, drawn), hn::Set(d, 0x1p-16F), hn::Set(d, 0x1p-17F - 0.5F));
    const auto scaled = hn::Min(hn::MulAdd(x, inverse, v), hn::Set(d, rounding.levels));
    return hn::BitCast(d32, hn::Add(scaled, hn::Set(d, kOnes)));
  } else {
    const auto parts = hn::BitCast(d32, hn::MulAdd(x, inverse, hn::Set(d, kParts)));
    return hn::ShiftRight<16>(hn::Add(parts, drawn));
  }
}

// The low byte of each lane.
template <class D, class V32>
HWY_INLINE void storeBytes(D, V32 bytes, std::uint8_t* codes) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::uint8_t, D> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::And(bytes, hn::Set(d32, 0xFF))), d8, codes);
}

template <class V16>
HWY_INLINE V16 swapped(V16 bits) {
  return hn::Or(hn::ShiftLeft<8>(bits), hn::ShiftRight<8>(bits));
}

// Bytes [j, j + lanes). `word`: where their draws stand; no draws: to the nearest, as if half were drawn.
template <class D>
HWY_INLINE void encodeLanes(D d, const RowGroup& group, const Rounding& rounding, bool second, Index word,
                            Index j, std::uint8_t* codes) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::uint16_t, D> d16;
  auto bytes = hn::Zero(d32);
  for (int t = 0; t < group.rows; ++t) {
    auto bits = hn::Set(d16, 0x8000);
    if (rounding.draws != nullptr) {
      bits = hn::LoadU(d16, rounding.draws[t] + word);
      if (second) bits = swapped(bits);
    }
    if (group.bits == 8)
      bytes = codesOf<true>(d, group, rounding, t, j, bits);
    else
      bytes =
          hn::Or(bytes, hn::ShiftLeftSame(codesOf<false>(d, group, rounding, t, j, bits), t * group.bits));
  }
  storeBytes(d, bytes, codes + j);
}

// Columns [j, j + kPair) of a full group, the second half from the same draws as the first.
template <int kBits>
HWY_INLINE void encodePair(const RowGroup& group, const Rounding& rounding, Index word, Index j,
                           std::uint8_t* codes) {
  const Wide d;
  const hn::RebindToSigned<Wide> d32;
  const hn::Rebind<std::uint16_t, Wide> d16;
  const auto L = static_cast<Index>(hn::Lanes(d));
  for (Index q = 0; q < kHalf; q += L) {
    auto first = hn::Zero(d32), second = first;
    const auto add = [&](auto t) {
      const auto bits = hn::LoadU(d16, rounding.draws[t] + word + q);
      first =
          hn::Or(first, hn::ShiftLeft<t * kBits>(codesOf<kBits == 8>(d, group, rounding, t, j + q, bits)));
      second = hn::Or(second, hn::ShiftLeft<t * kBits>(
                                  codesOf<kBits == 8>(d, group, rounding, t, j + q + kHalf, swapped(bits))));
    };
    add(std::integral_constant<int, 0>());
    if constexpr (kBits <= 4) add(std::integral_constant<int, 1>());
    if constexpr (kBits == 2) {
      add(std::integral_constant<int, 2>());
      add(std::integral_constant<int, 3>());
    }
    storeBytes(d, first, codes + j + q);
    storeBytes(d, second, codes + j + q + kHalf);
  }
}

template <int kBits>
void encodePairs(const RowGroup& group, const Rounding& rounding, Index from, Index pairs,
                 std::uint8_t* codes) {
  for (Index p = 0; p < pairs; ++p) encodePair<kBits>(group, rounding, p * kHalf, from + p * kPair, codes);
}

template <bool kStream, class D>
HWY_INLINE void decodeLanes(D d, const RowGroup& group, const std::uint8_t* codes, Index j) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::uint8_t, D> d8;
  const auto bytes = hn::PromoteTo(d32, hn::LoadU(d8, codes + j));
  const auto mask = hn::Set(d32, (1 << group.bits) - 1);
  for (int t = 0; t < group.rows; ++t) {
    const auto code = hn::And(hn::ShiftRightSame(bytes, t * group.bits), mask);
    const auto value =
        hn::MulAdd(hn::ConvertTo(d, code), hn::Set(d, group.range[t].step), hn::Set(d, group.range[t].zero));
    if constexpr (kStream)
      hn::Stream(value, d, group.y[t] + j);
    else
      hn::StoreU(value, d, group.y[t] + j);
  }
}

// Bytes [begin, end) of one half of a pair, whose draws begin at `word`.
void encodeRun(const RowGroup& group, const Rounding& rounding, bool second, Index word, Index begin,
               Index end, std::uint8_t* codes) {
  const Wide d;
  const hn::CappedTag<float, 1> one;
  const auto L = static_cast<Index>(hn::Lanes(d));
  Index j = begin;
  for (; j + L <= end; j += L) encodeLanes(d, group, rounding, second, word + j - begin, j, codes);
  for (; j < end; ++j) encodeLanes(one, group, rounding, second, word + j - begin, j, codes);
}

// The draws of every row for `count` columns of each half of the pairs from column `from` on.
void drawRows(const RowGroup& group, const PhiloxKeys& keys, const Coding& coding, Index from, Index count,
              std::uint16_t (*draws)[kDraws]) {
  const auto words = [&](int t) { return reinterpret_cast<std::uint32_t*>(draws[t]); };
  const std::uint32_t first = coding.stream << 16 | static_cast<std::uint32_t>(from / 16);
  const Index blocks = (count + 7) / 8;
  int t = 0;
  for (; t + 1 < group.rows; t += 2)
    philoxRuns(keys, coding.epoch, blocks, {group.id[t], first, words(t)},
               {group.id[t + 1], first, words(t + 1)});
  if (t < group.rows) philoxBlocks(keys, group.id[t], coding.epoch, first, blocks, words(t));
}

void encodeGroup(const RowGroup& group, const PhiloxKeys& keys, const Coding& coding, std::uint8_t* codes) {
  alignas(64) std::uint16_t draws[4][kDraws];
  Rounding rounding{draws, {}, static_cast<float>((1 << group.bits) - 1)};
  for (int t = 0; t < group.rows; ++t)
    rounding.inverse[t] = group.range[t].step > 0 ? 1.0F / group.range[t].step : 0.0F;
  if (coding.nearest) {
    rounding.draws = nullptr;
    return encodeRun(group, rounding, false, 0, 0, group.cols, codes);
  }
  for (Index from = 0; from < group.cols; from += kChunk) {
    const Index to = std::min(group.cols, from + kChunk), pairs = (to - from) / kPair;
    const Index rest = from + pairs * kPair;
    drawRows(group, keys, coding, from, pairs * kHalf + std::min(to - rest, kHalf), draws);
    if (group.rows * group.bits < 8)  // the last group may be smaller
      for (Index p = 0; p < 2 * pairs; ++p)
        encodeRun(group, rounding, p % 2 == 1, p / 2 * kHalf, from + p * kHalf, from + (p + 1) * kHalf,
                  codes);
    else if (group.bits == 8)
      encodePairs<8>(group, rounding, from, pairs, codes);
    else if (group.bits == 4)
      encodePairs<4>(group, rounding, from, pairs, codes);
    else
      encodePairs<2>(group, rounding, from, pairs, codes);
    encodeRun(group, rounding, false, pairs * kHalf, rest, std::min(rest + kHalf, to), codes);
    encodeRun(group, rounding, true, pairs * kHalf, std::min(rest + kHalf, to), to, codes);
  }
}

template <bool kStream>
void decodeBytes(const RowGroup& group, const std::uint8_t* codes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto L = static_cast<Index>(hn::Lanes(d));
  Index j = 0;
  for (; j + L <= group.cols; j += L) decodeLanes<kStream>(d, group, codes, j);
  for (; j < group.cols; ++j) decodeLanes<false>(one, group, codes, j);
}

void decodeGroup(const RowGroup& group, bool stream, const std::uint8_t* codes) {
  if (stream)
    decodeBytes<true>(group, codes);
  else
    decodeBytes<false>(group, codes);
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

// Without branches: which way a number rounds is a toss-up, and mistaking it would cost more than the codes
// of a short row.
float down(double value, bool shortened) {
  const auto nearest = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const std::uint32_t above = static_cast<double>(nearest) > value ? 1 : 0;
  bits += above * (2 * (bits >> 31)) - above;  // what is negative has to go the other way
  if (!shortened) return std::bit_cast<float>(bits);
  const std::uint32_t cut = bits & 0xFFFF0000U;  // towards zero
  return std::bit_cast<float>(cut + 0x10000U * ((bits >> 31) & (cut != bits ? 1U : 0U)));
}
float up(double value, bool shortened) { return -down(-value, shortened); }

// The next group's rows come while this one's numbers are drawn.
void fetchRow(std::span<const Scalar> row) {
  constexpr std::size_t kLine = 64 / sizeof(Scalar);
  for (std::size_t j = 0; j < row.size(); j += kLine) hwy::Prefetch(row.data() + j);
}

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
  const PhiloxKeys keys(coding.seed, Purpose::quantise);
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
      for (Index i = (g + 1) * share; i < std::min(count, (g + 1 == end ? g + 1 : g + 2) * share); ++i)
        fetchRow(X.row(rows[static_cast<std::size_t>(i)]));
      HWY_DYNAMIC_DISPATCH(encodeGroup)(group, keys, coding, codes.data() + g * X.cols());
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
  // what does not fit the caches will not be read from there, and rows of whole lines can go around them
  const Index bytes = count * X.cols() * static_cast<Index>(sizeof(Scalar));
  const bool stream = bytes > caches().last && X.cols() * sizeof(Scalar) % 64 == 0;
  forBlocks((count + share - 1) / share, rowBlock(X.cols() * share), [&](Index begin, Index end) {
    for (Index g = begin; g < end; ++g) {
      RowGroup group{
          .rows = static_cast<int>(std::min(share, count - g * share)), .bits = bits, .cols = X.cols()};
      for (int t = 0; t < group.rows; ++t) {
        const auto i = static_cast<std::size_t>(g * share + t);
        group.y[t] = X.row(rows[i]).data();
        group.range[t] = ranges[i];
      }
      HWY_DYNAMIC_DISPATCH(decodeGroup)(group, stream, codes.data() + g * X.cols());
    }
    if (stream) hwy::FlushStream();
  });
#endif
}

}  // namespace halo
#endif
