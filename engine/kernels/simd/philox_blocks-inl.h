// Many Philox blocks of one row at once, once per Highway target. To be included after hwy/highway.h.
#if defined(HALO_PHILOX_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_PHILOX_BLOCKS_INL_H
#undef HALO_PHILOX_BLOCKS_INL_H
#else
#define HALO_PHILOX_BLOCKS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "engine/base/matrix.h"
#include "engine/base/philox.h"

#ifndef HALO_PHILOX_ROW
#define HALO_PHILOX_ROW
namespace halo {

/// Blocks that may be drawn beyond the last one asked for: a register of at most 2048 bits, and one.
constexpr Index kPhiloxSlack = 33;

constexpr std::uint32_t kPhiloxTimes0 = 0xD2511F53, kPhiloxTimes1 = 0xCD9E8D57;

/// The keys of the ten rounds, to be made once for many blocks.
struct PhiloxKeys {
  PhiloxKeys(std::uint64_t seed, Purpose purpose) {
    auto low = static_cast<std::uint32_t>(seed);
    auto high = static_cast<std::uint32_t>(seed >> 32) ^
                static_cast<std::uint32_t>(purpose) * std::uint32_t{0x9E3779B9};
    for (auto& round : rounds) {
      round = {low, high};
      low += 0x9E3779B9;
      high += 0xBB67AE85;
    }
  }
  std::array<std::array<std::uint64_t, 2>, 10> rounds;
};

/// Blocks (a, b, c) of one a and b. They differ in the last word of the counter only. Two thirds of the first
/// three rounds are therefore the same for all of them. These are made here: word 1 after the first round,
/// word 0 after the second, words 0, 1 and 2 after the third. Only their low halves count.
struct PhiloxRow {
  PhiloxRow(const PhiloxKeys& keys, std::uint64_t a, std::uint32_t b) {
    const auto times = [](std::uint64_t x, std::uint32_t factor) { return (x & 0xFFFFFFFF) * factor; };
    const auto& key = keys.rounds;
    const std::uint64_t p = times(a, kPhiloxTimes0), q = times(b, kPhiloxTimes1);
    const std::uint64_t r = times((q >> 32) ^ (a >> 32) ^ key[0][0], kPhiloxTimes0);
    const std::uint64_t s = times((r >> 32) ^ p ^ key[1][1], kPhiloxTimes1);
    after = {(p >> 32) ^ key[0][1], q ^ key[1][0], (s >> 32) ^ key[2][0], s, r ^ key[2][1]};
  }
  std::array<std::uint64_t, 5> after{};
};

constexpr std::size_t kPhiloxRows = 8;

/// The same of some rows, those of each word side by side.
struct PhiloxRows {
  alignas(64) std::array<std::array<std::uint64_t, kPhiloxRows>, 5> after{};
};

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
/// words[4 i …] = philox(seed, purpose, a, b, c + i) for i in [0, count); room for kPhiloxSlack more.
inline void philoxBlocks(const PhiloxKeys& keys, std::uint64_t a, std::uint32_t b, std::uint32_t c,
                         Index count, std::uint32_t* words) {
  const auto& key = keys.rounds[0];
  for (Index i = 0; i < count; ++i) {
    r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32),
                                           b, c + static_cast<std::uint32_t>(i)}};
    counter = r123::Philox4x32()(counter,
                                 {{static_cast<std::uint32_t>(key[0]), static_cast<std::uint32_t>(key[1])}});
    std::copy_n(counter.v, 4, words + 4 * i);
  }
}
#else
// One block a 64-bit lane: of each lane only the low half counts, which is all that a 32 × 32 bit
// multiplication reads. Source: Salmon 2011.
template <class V>
HWY_INLINE V philoxTimes(V c, std::uint32_t factor) {
  const hn::Repartition<std::uint32_t, hn::DFromV<V> > d32;
  return hn::MulEven(hn::BitCast(d32, c), hn::Set(d32, factor));
}

/// rows.after[i][t] is what PhiloxRow(keys, a[t], b).after[i] is, in the low half.
HWY_INLINE void philoxRows(const PhiloxKeys& keys, const std::uint64_t* a, std::uint32_t b,
                           PhiloxRows& rows) {
  const hn::CappedTag<std::uint64_t, kPhiloxRows> d;
  const auto& key = keys.rounds;
  const std::uint64_t q = std::uint64_t{b} * kPhiloxTimes1;
  for (std::size_t t = 0; t < kPhiloxRows; t += hn::Lanes(d)) {
    const auto at = hn::LoadU(d, a + t);
    const auto p = philoxTimes(at, kPhiloxTimes0);
    const auto r =
        philoxTimes(hn::Xor(hn::ShiftRight<32>(at), hn::Set(d, (q >> 32) ^ key[0][0])), kPhiloxTimes0);
    const auto s = philoxTimes(hn::Xor3(hn::ShiftRight<32>(r), p, hn::Set(d, key[1][1])), kPhiloxTimes1);
    const auto put = [&](std::size_t i, auto words) { hn::StoreU(words, d, rows.after[i].data() + t); };
    put(0, hn::Xor(hn::ShiftRight<32>(p), hn::Set(d, key[0][1])));
    put(1, hn::Set(d, q ^ key[1][0]));
    put(2, hn::Xor(hn::ShiftRight<32>(s), hn::Set(d, key[2][0])));
    put(3, s);
    put(4, hn::Xor(r, hn::Set(d, key[2][1])));
  }
}

// Three rounds of blocks c3; after(i): word i of what their rows have in common.
template <class V, class After>
HWY_INLINE void philoxBegin(const After& after, V& c0, V& c1, V& c2, V& c3) {
  const V p = philoxTimes(hn::Xor(c3, after(0)), kPhiloxTimes1);
  const V q = philoxTimes(hn::Xor(hn::ShiftRight<32>(p), after(1)), kPhiloxTimes0);
  c0 = hn::Xor(p, after(2));
  c1 = after(3);
  c2 = hn::Xor(hn::ShiftRight<32>(q), after(4));
  c3 = q;
}

template <class V>
HWY_INLINE void philoxRound(V& c0, V& c1, V& c2, V& c3, V key0, V key1) {
  const V p = philoxTimes(c0, kPhiloxTimes0), q = philoxTimes(c2, kPhiloxTimes1);
  c0 = hn::Xor3(hn::ShiftRight<32>(q), c1, key0);
  c2 = hn::Xor3(hn::ShiftRight<32>(p), c3, key1);
  c1 = q;
  c3 = p;
}

// The last round, which leaves two words in each lane, for a product's halves are two words already.
template <class V>
HWY_INLINE void philoxEnd(V c0, V c1, V c2, V c3, V key0, V key1, V& words10, V& words32) {
  words10 = hn::Xor(philoxTimes(c2, kPhiloxTimes1), hn::ShiftLeft<32>(hn::Xor(c1, key0)));
  words32 = hn::Xor(philoxTimes(c0, kPhiloxTimes0), hn::ShiftLeft<32>(hn::Xor(c3, key1)));
}

/// first, first + 1, …; Iota of a variable goes through memory.
template <class D>
HWY_INLINE hn::Vec<D> blocksFrom(D d, std::uint64_t first) {
  return hn::Add(hn::Set(d, first), hn::Iota(d, 0));
}

/// Blocks c of some rows and e of others. Of each block word 1 (low half) and word 0 in c10 or e10, word 3
/// and word 2 in c32 or e32. Two at a time, because a round waits for its multiplications.
template <class V, class After, class Other>
HWY_INLINE void philoxTwo(const PhiloxKeys& keys, const After& after, V c, const Other& other, V e, V& c10,
                          V& c32, V& e10, V& e32) {
  const hn::DFromV<V> d;
  V c0, c1, c2, e0, e1, e2;
  philoxBegin(after, c0, c1, c2, c);
  philoxBegin(other, e0, e1, e2, e);
  for (std::size_t r = 3; r < 9; ++r) {
    const V key0 = hn::Set(d, keys.rounds[r][0]), key1 = hn::Set(d, keys.rounds[r][1]);
    philoxRound(c0, c1, c2, c, key0, key1);
    philoxRound(e0, e1, e2, e, key0, key1);
  }
  const V key0 = hn::Set(d, keys.rounds[9][0]), key1 = hn::Set(d, keys.rounds[9][1]);
  philoxEnd(c0, c1, c2, c, key0, key1, c10, c32);
  philoxEnd(e0, e1, e2, e, key0, key1, e10, e32);
}

/// words[4 i …] = philox(seed, purpose, a, b, c + i) for i in [0, count); room for kPhiloxSlack more.
HWY_INLINE void philoxBlocks(const PhiloxKeys& keys, std::uint64_t a, std::uint32_t b, std::uint32_t c,
                             Index count, std::uint32_t* words) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const PhiloxRow row(keys, a, b);
  const auto after = [&](std::size_t i) { return hn::Set(d, row.after[i]); };
  const Index half = (count + 1) / 2;
  for (Index i = 0; i < half; i += L) {
    const auto at = blocksFrom(d, c + static_cast<std::uint64_t>(i));
    auto c10 = at, c32 = at, e10 = at, e32 = at;
    philoxTwo(keys, after, at, after, hn::Add(at, hn::Set(d, static_cast<std::uint64_t>(half))), c10, c32,
              e10, e32);
    // what the first half draws too many are the second half's blocks, so writing them twice does no harm
    auto* to = reinterpret_cast<std::uint64_t*>(words);
    hn::StoreInterleaved2(hn::RotateRight<32>(c10), hn::RotateRight<32>(c32), d, to + 2 * i);
    hn::StoreInterleaved2(hn::RotateRight<32>(e10), hn::RotateRight<32>(e32), d, to + 2 * (half + i));
  }
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
