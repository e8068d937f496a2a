// Groups of rows to codes, once per Highway target. To be included after hwy/highway.h.
#if defined(HALO_ENCODE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_ENCODE_ROWS_INL_H
#undef HALO_ENCODE_ROWS_INL_H
#else
#define HALO_ENCODE_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "engine/kernels/quantise/quantise.h"
#include "engine/kernels/quantise/row_groups-inl.h"
#include "engine/kernels/quantise/row_ranges-inl.h"
#include "engine/kernels/simd/philox_blocks-inl.h"

#ifndef HALO_QUANTISE_GROUP
#define HALO_QUANTISE_GROUP
namespace halo {

constexpr Index kSpan = 64;          // columns that four Philox blocks serve
constexpr Index kWords = kSpan / 4;  // in word q the low half draws for columns q and q + 32, the high one
                                     // for q + 16 and q + 48, the later of both with its bytes swapped

/// Rows whose ranges and first rounds are found together, for that takes as long for one.
struct RowBatch {
  const Scalar* x[kRangesAtOnce] = {};
  const Scalar* next[kRangesAtOnce] = {};  // rows to be fetched meanwhile
  alignas(64) std::uint64_t ids[kRangesAtOnce] = {};
  RowRanges ranges;
  PhiloxRows draws;
};
static_assert(kRangesAtOnce == kPhiloxRows);

/// The rows that share their bytes: those of a batch from row `first` on. Where one of them is missing, one
/// of its neighbours is coded as zeros.
struct RowGroup {
  const RowBatch& batch;
  std::size_t first = 0;
  Index cols = 0;
  std::uint32_t firstBlock = 0;

  const Scalar* x(int t) const { return batch.x[first + static_cast<std::size_t>(t)]; }
  const Scalar* next(int t) const { return batch.next[first + static_cast<std::size_t>(t)]; }
  float zero(int t) const { return batch.ranges.zero[first + static_cast<std::size_t>(t)]; }
  float inverse(int t) const { return batch.ranges.inverse[first + static_cast<std::size_t>(t)]; }
  /// Word k of what the blocks of row t have in common, that of row t + 1 after it.
  const std::uint64_t* draws(std::size_t k, int t) const {
    return batch.draws.after[k].data() + first + static_cast<std::size_t>(t);
  }
};

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !defined(HALO_DOUBLE) && HWY_TARGET != HWY_SCALAR

// Spans that are drawn before they are used, and the words of every row for them.
template <int kBits>
constexpr int kSpans = kBits == 8 ? 4 : 2;
template <int kBits>
using Words = std::uint32_t[8 / kBits][kSpans<kBits> * kWords];

// Floats whose mantissas count in ones, and in 2^-16: what is added to them is rounded to that, and stands in
// their low bits.
constexpr float kOnes = 0x1.8p23F, kParts = 128.0F;

/// Has columns [from, to) of a group's next rows brought to the second cache. The first would not do: a core
/// can have only few lines at once on their way to it.
template <int kBits>
HWY_INLINE void fetchNext(const RowGroup& group, Index from, Index to) {
  for (int t = 0; t < 8 / kBits; ++t)
    for (Index j = from; j < to; j += kLine) __builtin_prefetch(group.next(t) + j, 0, 2);
}

/// Words 1 and 0 of each of a span's four blocks, then words 3 and 2 of each, as they leave the last round.
/// Every other lane is a block of the span.
template <class V>
HWY_INLINE void storeWords(V words10, V words32, Index block, std::uint32_t* even, std::uint32_t* odd) {
  const hn::DFromV<V> d;
  const hn::Half<decltype(d)> half;
  const hn::Repartition<std::uint32_t, decltype(half)> d32;
  const auto put = [&](V both, std::uint32_t* words) {
    const hn::Repartition<std::uint32_t, decltype(d)> fullRegister;
    if constexpr (hn::MaxLanes(d) == 8)
      // the halves are neighbours, and what is read as one must be stored as one to be had at once
      if (hn::Lanes(d) == 8) return hn::StoreU(hn::BitCast(fullRegister, both), fullRegister, words);
    hn::StoreU(hn::BitCast(d32, hn::LowerHalf(half, both)), d32, words + 2 * block);
    hn::StoreU(hn::BitCast(d32, hn::UpperHalf(half, both)), d32, words + 2 * block + kWords / 2);
  };
  put(hn::ConcatEven(d, words32, words10), even);
  put(hn::ConcatOdd(d, words32, words10), odd);
}

// The words of every row for `spans` spans from column `from` on, two rows (of one row two spans) side by
// side in a register.
template <int kBits>
HWY_INLINE void drawRows(const RowGroup& group, const PhiloxKeys& keys, Index from, int spans,
                         Words<kBits>& words) {
  constexpr int kRows = 8 / kBits;
  const hn::CappedTag<std::uint64_t, 8> d;
  const auto L = static_cast<int>(hn::Lanes(d));
  const int registers = (kRows * spans + 1) / 2 * (8 / L);
  const auto lane = hn::Iota(d, 0);
  auto blocks = hn::ShiftRight<1>(lane);
  if constexpr (kRows == 1) blocks = hn::Add(blocks, hn::ShiftLeft<2>(hn::And(lane, hn::Set(d, 1))));
  const auto first = group.firstBlock + static_cast<std::uint64_t>(from / 16);
  for (int i = 0; i < registers; i += 2) {
    const int current = i, other = std::min(i + 1, registers - 1);
    const auto row = [&](int number) { return 2 * (number * L / 8) % kRows; };
    const auto span = [&](int number) { return 2 * (number * L / 8) / kRows; };
    const auto block = [&](int number) { return number * L / 2 % 4; };
    const auto after = [&](int number) {
      return [&, t = row(number)](std::size_t k) {
        if constexpr (kRows == 1) return hn::Set(d, *group.draws(k, t));
        return hn::LoadDup128(d, group.draws(k, t));
      };
    };
    const auto at = [&](int number) {
      return hn::Add(blocks,
                     hn::Set(d, first + static_cast<std::uint64_t>(4 * span(number) + block(number))));
    };
    const auto put = [&](int number, auto words10, auto words32) {
      auto* even = words[row(number)] + kWords * span(number);
      storeWords(words10, words32, block(number), even,
                 kRows == 1 ? even + kWords : words[(row(number) + 1) % kRows] + kWords * span(number));
    };
    auto c10 = blocks, c32 = blocks, e10 = blocks, e32 = blocks;
    philoxTwo(keys, after(current), at(current), after(other), at(other), c10, c32, e10, e32);
    put(current, c10, c32);
    put(other, e10, e32);
  }
}

// Codes of as many columns from x on, each with its draw: (x − zero) / step + the draw, cut off. Of 8 bits
// they are in byte 0, of fewer in byte 2. Never below 0, for zero is below every x. Of at most 4 bits the sum
// is one of whole numbers, in 2^-16. That sum cannot pass the last code, for the row's largest is less than
// 2^-17 above it.
template <int kBits, class D, class V32>
HWY_INLINE V32 codesOf(D d, const RowGroup& group, int t, Index j, V32 draws) {
  const hn::RebindToUnsigned<D> d32;
  const hn::RebindToSigned<D> i32;
  const auto x = hn::Sub(hn::LoadU(d, group.x(t) + j), hn::Set(d, group.zero(t)));
  const auto inverse = hn::Set(d, group.inverse(t));
  if constexpr (kBits == 8) {
    const auto v = hn::MulAdd(hn::ConvertTo(d, hn::BitCast(i32, draws)), hn::Set(d, 0x1p-16F),
                              hn::Set(d, 0x1p-17F - 0.5F));
    const auto scaled = hn::Min(hn::MulAdd(x, inverse, v), hn::Set(d, 255.0F));
    return hn::BitCast(d32, hn::Add(scaled, hn::Set(d, kOnes)));
  } else {
    return hn::Add(hn::BitCast(d32, hn::MulAdd(x, inverse, hn::Set(d, kParts))), draws);
  }
}

/// Lanes of `words`, which rounding to the nearest has none of.
template <bool kNearest, class D32>
HWY_INLINE auto wordsAt(D32 d32, const std::uint32_t* words) {
  if constexpr (kNearest)
    return hn::Zero(d32);
  else
    return hn::LoadU(d32, words);
}

// The draws in the low or in the high half of words.
template <bool kNearest, bool kHigh, class D32, class V32>
HWY_INLINE V32 halves(D32 d32, V32 words) {
  if constexpr (kNearest) return hn::Set(d32, 0x8000);
  if constexpr (kHigh) return hn::ShiftRight<16>(words);
  return hn::And(words, hn::Set(d32, 0xFFFF));
}

template <class D32, class V32>
HWY_INLINE V32 swapped(D32 d32, V32 words) {
  const hn::Repartition<std::uint8_t, D32> d8;
  alignas(16) static constexpr std::uint8_t kOrder[16] = {1, 0, 3,  2,  5,  4,  7,  6,
                                                          9, 8, 11, 10, 13, 12, 15, 14};
  return hn::BitCast(d32, hn::TableLookupBytes(hn::BitCast(d8, words), hn::LoadDup128(d8, kOrder)));
}

// Codes of columns j (low byte of each 32-bit lane) and j + 16 (byte 2).
template <int kBits, bool kNearest, class D, class V32>
HWY_INLINE auto codePairs(D d, const RowGroup& group, int t, Index j, V32 words) {
  const hn::RebindToUnsigned<D> d32;
  const hn::Repartition<std::uint16_t, D> d16;
  const auto low = codesOf<kBits>(d, group, t, j, halves<kNearest, false>(d32, words));
  const auto high = codesOf<kBits>(d, group, t, j + 16, halves<kNearest, true>(d32, words));
  if constexpr (kBits == 8)
    return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(high)), hn::BitCast(d16, low));
  else
    return hn::OddEven(hn::BitCast(d16, high), hn::BitCast(d16, hn::ShiftRight<16>(low)));
}

// The bytes of a group with those bits added that belong to row t, and no others. A row whose elements are no
// numbers must not touch the rows that share its bytes.
template <int kBits, int t, class D, class V>
HWY_INLINE V withRow(D d, V bytes, V codes) {
  constexpr auto kMask = static_cast<hn::TFromD<D>>(((1 << kBits) - 1) << (t * kBits));
  return hn::OrAnd(bytes, hn::ShiftLeft<t * kBits>(codes), hn::Set(d, kMask));
}

// The bytes of a span of columns from j on.
template <int kBits, bool kNearest>
HWY_INLINE void encodeSpan(const RowGroup& group, const Words<kBits>& words, Index word, Index j,
                           std::uint8_t* codes) {
  const hn::CappedTag<float, kWords> d;
  const hn::RebindToUnsigned<decltype(d)> d32;
  const hn::Repartition<std::uint16_t, decltype(d)> d16;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
  const auto L = static_cast<Index>(hn::Lanes(d));
  alignas(16) static constexpr std::uint8_t kOrder[16] = {0, 4, 8, 12, 2, 6, 10, 14,
                                                          1, 5, 9, 13, 3, 7, 11, 15};
  const auto order = hn::LoadDup128(d8, kOrder);
  alignas(64) std::uint32_t bytes[kWords];
  for (Index q = 0; q < kWords; q += L) {
    auto first = hn::Zero(d16), second = first;
    forRows<kBits>([&](auto t) {
      const auto drawn = wordsAt<kNearest>(d32, words[t] + word + q);
      const auto ofFirst = codePairs<kBits, kNearest>(d, group, t, j + q, drawn);
      const auto ofSecond = codePairs<kBits, kNearest>(d, group, t, j + q + 32, swapped(d32, drawn));
      first = withRow<kBits, t>(d16, first, ofFirst);
      second = withRow<kBits, t>(d16, second, ofSecond);
    });
    // of a lane: columns q, q + 32, q + 16, q + 48; of four lanes: four of each
    const auto four = hn::Or(first, hn::ShiftLeft<8>(second));
    hn::Store(hn::BitCast(d32, hn::TableLookupBytes(hn::BitCast(d8, four), order)), d32, bytes + q);
  }
  const hn::Full128<std::uint32_t> block;
  hn::StoreInterleaved4(hn::Load(block, bytes), hn::Load(block, bytes + 4), hn::Load(block, bytes + 8),
                        hn::Load(block, bytes + 12), block, reinterpret_cast<std::uint32_t*>(codes + j));
}

// Bytes [j, j + lanes) of columns that all have their draws in the same halves of the words from `word` on.
template <int kBits, bool kNearest, class D>
HWY_INLINE void encodeLanes(D d, const RowGroup& group, const Words<kBits>& words, int part, Index word,
                            Index j, std::uint8_t* codes) {
  const hn::RebindToUnsigned<D> d32;
  const hn::RebindToSigned<D> i32;
  const hn::Rebind<std::uint8_t, D> d8;
  auto bytes = hn::Zero(d32);
  forRows<kBits>([&](auto t) {
    auto drawn = wordsAt<kNearest>(d32, words[t] + word);
    if (part >= 2) drawn = swapped(d32, drawn);
    const auto draws =
        part % 2 == 0 ? halves<kNearest, false>(d32, drawn) : halves<kNearest, true>(d32, drawn);
    auto codesOfRow = codesOf<kBits>(d, group, t, j, draws);
    if constexpr (kBits < 8) codesOfRow = hn::ShiftRight<16>(codesOfRow);
    bytes = withRow<kBits, t>(d32, bytes, codesOfRow);
  });
  hn::StoreU(hn::DemoteTo(d8, hn::BitCast(i32, bytes)), d8, codes + j);
}

// The last columns, fewer than a span.
template <int kBits, bool kNearest>
HWY_INLINE void encodeRest(const RowGroup& group, const Words<kBits>& words, Index from,
                           std::uint8_t* codes) {
  const hn::CappedTag<float, kWords> d;
  const hn::CappedTag<float, 1> singleLane;
  const auto L = static_cast<Index>(hn::Lanes(d));
  for (int part = 0; from < group.cols; ++part, from += kWords) {
    const Index count = std::min(group.cols - from, kWords);
    Index q = 0;
    for (; q + L <= count; q += L) encodeLanes<kBits, kNearest>(d, group, words, part, q, from + q, codes);
    for (; q < count; ++q) encodeLanes<kBits, kNearest>(singleLane, group, words, part, q, from + q, codes);
  }
}

template <int kBits, bool kNearest>
void encodeGroup(const RowGroup& group, const PhiloxKeys& keys, std::uint8_t* codes) {
  alignas(64) Words<kBits> words;
  Index from = 0;
  while (from + kSpan <= group.cols) {
    const int spans = static_cast<int>(std::min<Index>(kSpans<kBits>, (group.cols - from) / kSpan));
    if constexpr (!kNearest) drawRows<kBits>(group, keys, from, spans, words);
    for (int s = 0; s < spans; ++s, from += kSpan) {
      fetchNext<kBits>(group, from, from + kSpan);
      encodeSpan<kBits, kNearest>(group, words, s * kWords, from, codes);
    }
  }
  if (from == group.cols) return;
  fetchNext<kBits>(group, from, group.cols);
  if constexpr (!kNearest) drawRows<kBits>(group, keys, from, 1, words);
  encodeRest<kBits, kNearest>(group, words, from, codes);
}

/// The rows of `rows` from `first` on that make a batch, and their extremes. Where the rows end, the last one
/// stands again. `ahead`: how many rows later those to be fetched are.
HWY_INLINE void readBatch(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                          std::size_t first, std::size_t ahead, RowBatch& batch) {
  const std::size_t last = rows.size() - 1;
  for (std::size_t t = 0; t < kRangesAtOnce; ++t) {
    const Vertex row = rows[std::min(first + t, last)];
    batch.x[t] = X.row(row).data();
    batch.next[t] = X.row(rows[std::min(first + t + ahead, last)]).data();
    batch.ids[t] = ids[static_cast<std::size_t>(row)];
  }
  for (std::size_t t = 0; t < kRangesAtOnce; t += 4)
    extremes(batch.x + t, X.cols(), batch.ranges.smallest + t, batch.ranges.largest + t);
}

/// What a batch that was read is coded with; its ranges to `ranges`, as many as there are rows.
HWY_INLINE void findBatch(const Coding& coding, const PhiloxKeys& keys, std::span<RowRange> ranges,
                          RowBatch& batch) {
  findRanges(coding.bits, coding.shortRange, batch.ranges);
  const std::size_t count = std::min(ranges.size(), kRangesAtOnce);
  for (std::size_t t = 0; t < count; ++t) ranges[t] = {batch.ranges.zero[t], batch.ranges.step[t]};
  // where there is no such row: zeros, which this makes of any other
  for (std::size_t t = count; t < kRangesAtOnce; ++t) batch.ranges.inverse[t] = 0;
  if (!coding.nearest) philoxRows(keys, batch.ids, coding.epoch, batch.draws);
}

template <int kBits, bool kNearest>
void encodeGroups(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                  const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
  constexpr std::size_t kRows = 8 / kBits, count = kRangesAtOnce;
  const PhiloxKeys keys(coding.seed, Purpose::quantise);
  const std::size_t cols = static_cast<std::size_t>(X.cols());
  const std::size_t ahead = count * (2 + 2048 / (count * cols));
  RowBatch batches[2];
  const auto read = [&](std::size_t first) {
    if (first < rows.size()) readBatch(X, rows, ids, first, ahead, batches[first / count % 2]);
  };
  const auto find = [&](std::size_t first) {
    if (first < rows.size())
      findBatch(coding, keys, ranges.subspan(first, std::min(count, ranges.size() - first)),
                batches[first / count % 2]);
  };
  read(0);
  find(0);
  std::uint8_t* to = codes.data();
  for (std::size_t first = 0; first < rows.size(); first += count) {
    // between what is written and what reads it in wider pieces a core wants something else to do
    read(first + count);
    for (std::size_t t = 0; t < count && first + t < rows.size(); t += kRows, to += cols)
      encodeGroup<kBits, kNearest>({batches[first / count % 2], t, X.cols(), coding.stream << 16}, keys, to);
    find(first + count);
  }
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
