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

#ifndef HALO_PHILOX_SLACK
#define HALO_PHILOX_SLACK
namespace halo {

/// Blocks that may be drawn beyond the last one asked for: a register of at most 2048 bits, and one.
constexpr Index kPhiloxSlack = 33;

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

/// Blocks (a, b, c), (a, b, c + 1), … and where their words go.
struct PhiloxRun {
  std::uint64_t a;
  std::uint32_t c;
  std::uint32_t* words;
};

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
/// `count` blocks of both runs; each has room for kPhiloxSlack more.
inline void philoxRuns(const PhiloxKeys& keys, std::uint32_t b, Index count, PhiloxRun first,
                       PhiloxRun second) {
  for (const PhiloxRun& run : {first, second})
    for (Index i = 0; i < count; ++i) {
      r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(run.a),
                                             static_cast<std::uint32_t>(run.a >> 32), b,
                                             run.c + static_cast<std::uint32_t>(i)}};
      const auto& key = keys.rounds[0];
      counter = r123::Philox4x32()(
          counter, {{static_cast<std::uint32_t>(key[0]), static_cast<std::uint32_t>(key[1])}});
      std::copy_n(counter.v, 4, run.words + 4 * i);
    }
}
#else
// One block a 64-bit lane: of each lane only the low half counts, which is all that a 32 × 32 bit
// multiplication reads. Source: Salmon 2011.
template <class V>
HWY_INLINE void philoxRound(V& c0, V& c1, V& c2, V& c3, V key0, V key1) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Repartition<std::uint32_t, hn::DFromV<V> > d32;
  const V p0 = hn::MulEven(hn::BitCast(d32, c0), hn::Set(d32, 0xD2511F53));
  const V p1 = hn::MulEven(hn::BitCast(d32, c2), hn::Set(d32, 0xCD9E8D57));
  c0 = hn::Xor(hn::ShiftRight<32>(p1), hn::Xor(c1, key0));
  c2 = hn::Xor(hn::ShiftRight<32>(p0), hn::Xor(c3, key1));
  c1 = p1;
  c3 = p0;
}

template <class V>
HWY_INLINE void storePhilox(V c0, V c1, V c2, V c3, std::uint32_t* words) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<V> d;
  const V low = hn::Set(d, 0xFFFFFFFFULL);
  const V first = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
  const V second = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
  hn::StoreInterleaved2(first, second, d, reinterpret_cast<std::uint64_t*>(words));
}

/// `count` blocks of both runs; each has room for kPhiloxSlack more. Two at a time, because a round waits for
/// its multiplications.
HWY_INLINE void philoxRuns(const PhiloxKeys& keys, std::uint32_t b, Index count, PhiloxRun first,
                           PhiloxRun second) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::uint64_t> d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const auto a0 = hn::Set(d, first.a & 0xFFFFFFFF), a1 = hn::Set(d, first.a >> 32);
  const auto f0 = hn::Set(d, second.a & 0xFFFFFFFF), f1 = hn::Set(d, second.a >> 32);
  const auto b0 = hn::Set(d, std::uint64_t{b});
  for (Index i = 0; i < count; i += L) {
    const auto at = static_cast<std::uint64_t>(i);
    auto c0 = a0, c1 = a1, c2 = b0, c3 = hn::Iota(d, first.c + at);
    auto e0 = f0, e1 = f1, e2 = b0, e3 = hn::Iota(d, second.c + at);
    for (const auto& round : keys.rounds) {
      const auto key0 = hn::Set(d, round[0]), key1 = hn::Set(d, round[1]);
      philoxRound(c0, c1, c2, c3, key0, key1);
      philoxRound(e0, e1, e2, e3, key0, key1);
    }
    storePhilox(c0, c1, c2, c3, first.words + 4 * i);
    storePhilox(e0, e1, e2, e3, second.words + 4 * i);
  }
}
#endif

/// words[4 i …] = philox(seed, purpose, a, b, c + i) for i in [0, count); room for kPhiloxSlack more.
HWY_INLINE void philoxBlocks(const PhiloxKeys& keys, std::uint64_t a, std::uint32_t b, std::uint32_t c,
                             Index count, std::uint32_t* words) {
  const Index half = (count + 1) / 2;
  // what the first half draws too many are the second half's blocks, so writing them twice does no harm
  philoxRuns(keys, b, half, {a, c, words}, {a, c + static_cast<std::uint32_t>(half), words + 4 * half});
}

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
