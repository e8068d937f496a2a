// Many Philox blocks of one row at once, once per Highway target. To be included after hwy/highway.h.
#if defined(HALO_PHILOX_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_PHILOX_BLOCKS_INL_H
#undef HALO_PHILOX_BLOCKS_INL_H
#else
#define HALO_PHILOX_BLOCKS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "engine/base/matrix.h"
#include "engine/base/philox.h"

#ifndef HALO_PHILOX_SLACK
#define HALO_PHILOX_SLACK
namespace halo {

/// Blocks that may be drawn beyond the last one asked for: a register of at most 2048 bits.
constexpr Index kPhiloxSlack = 32;

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {

/// words[4 i …] = philox(seed, purpose, a, b, c + i) for i in [0, count); room for kPhiloxSlack more blocks.
#if HWY_TARGET == HWY_SCALAR
inline void philoxBlocks(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint32_t b,
                         std::uint32_t c, Index count, std::uint32_t* words) {
  for (Index i = 0; i < count; ++i)
    std::ranges::copy(philox(seed, purpose, a, b, c + static_cast<std::uint32_t>(i)), words + 4 * i);
}
#else
namespace philox_detail {
namespace hn = hwy::HWY_NAMESPACE;
using D64 = hn::ScalableTag<std::uint64_t>;
using V64 = hn::Vec<D64>;

HWY_INLINE V64 multiplyLow(V64 a, std::uint32_t b) {
  const hn::Repartition<std::uint32_t, D64> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::Set(d32, b));
}
}  // namespace philox_detail

// One block a 64-bit lane: of each lane only the low half counts, which is all that a 32 × 32 bit
// multiplication reads. Source: Salmon 2011.
HWY_INLINE void philoxBlocks(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint32_t b,
                             std::uint32_t c, Index count, std::uint32_t* words) {
  namespace hn = hwy::HWY_NAMESPACE;
  using philox_detail::multiplyLow;
  using philox_detail::V64;
  const philox_detail::D64 d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const V64 low = hn::Set(d, 0xFFFFFFFFULL);
  for (Index i = 0; i < count; i += L) {
    V64 c0 = hn::Set(d, a & 0xFFFFFFFF), c1 = hn::Set(d, a >> 32), c2 = hn::Set(d, std::uint64_t{b});
    V64 c3 = hn::Iota(d, std::uint64_t{c} + static_cast<std::uint64_t>(i));
    auto key0 = static_cast<std::uint32_t>(seed);
    auto key1 = static_cast<std::uint32_t>(seed >> 32) ^
                static_cast<std::uint32_t>(purpose) * std::uint32_t{0x9E3779B9};
    for (int round = 0; round < 10; ++round) {
      const V64 p0 = multiplyLow(c0, 0xD2511F53), p1 = multiplyLow(c2, 0xCD9E8D57);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(d, std::uint64_t{key0}));
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(d, std::uint64_t{key1}));
      c1 = p1;
      c3 = p0;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    const V64 first = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
    const V64 second = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
    hn::StoreInterleaved2(first, second, d, reinterpret_cast<std::uint64_t*>(words) + 2 * i);
  }
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
