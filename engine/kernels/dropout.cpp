#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/dropout.cpp"
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "engine/base/philox.h"
#include "engine/kernels/activation.h"
#include "engine/kernels/blocks.h"

#ifndef HALO_DROPOUT_ROW
#define HALO_DROPOUT_ROW
namespace halo {

/// One row, what all rows share, and where it goes.
struct DropoutRow {
  std::uint64_t vertex = 0;
  DropoutKey key;
  std::uint32_t lastDropped = 0;  // draws up to and including this one drop their feature
  Scalar scale = 1;
  Index firstColumn = 0, cols = 0;
  const Scalar* x = nullptr;
  Scalar* y = nullptr;
};

constexpr Index kDrawBlocks = 128;  // Philox blocks of four drawn before they are used: 2 KiB

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
void draw(const DropoutRow& row, Index block, Index count, std::uint32_t* words) {
  for (Index b = 0; b < count; ++b) {
    const auto four = philox(row.key.seed, Purpose::dropout, row.vertex, row.key.epoch,
                             row.key.layer << 16 | static_cast<std::uint32_t>(block + b));
    std::ranges::copy(four, words + 4 * b);
  }
}
#else
using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using V64 = hn::Vec<D64>;

HWY_INLINE V64 multiplyLow(V64 a, std::uint32_t b) {
  return hn::MulEven(hn::BitCast(D32(), a), hn::Set(D32(), b));
}

// The four words of Philox blocks [block, block + count), and up to a register more. One block a 64-bit lane:
// of each lane only the low half counts, which is all that a 32 × 32 bit multiplication reads. Source: Salmon
// 2011.
void draw(const DropoutRow& row, Index block, Index count, std::uint32_t* words) {
  const D64 d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const V64 low = hn::Set(d, 0xFFFFFFFFULL);
  for (Index b = 0; b < count; b += L) {
    V64 c0 = hn::Set(d, row.vertex & 0xFFFFFFFF), c1 = hn::Set(d, row.vertex >> 32),
        c2 = hn::Set(d, row.key.epoch);
    V64 c3 = hn::Or(hn::Set(d, std::uint64_t{row.key.layer} << 16),
                    hn::Iota(d, static_cast<std::uint64_t>(block + b)));
    auto key0 = static_cast<std::uint32_t>(row.key.seed);
    auto key1 = static_cast<std::uint32_t>(row.key.seed >> 32) ^
                static_cast<std::uint32_t>(Purpose::dropout) * std::uint32_t{0x9E3779B9};
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
    hn::StoreInterleaved2(first, second, d, reinterpret_cast<std::uint64_t*>(words) + 2 * b);
  }
}
#endif

// y = x · scale where the draw says so. x may be y.
HWY_INLINE void keep(const DropoutRow& row, const std::uint32_t* draws, const Scalar* x, Scalar* y,
                     Index count) {
  Index j = 0;
#ifndef HALO_DOUBLE  // as many draws as elements a register; the exactness build needs no speed
  const hn::ScalableTag<Scalar> d;
  const hn::RebindToUnsigned<decltype(d)> d32;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const auto scale = hn::Set(d, row.scale);
  const auto lastDropped = hn::Set(d32, row.lastDropped);
  for (; j + L <= count; j += L) {
    const auto mask = hn::RebindMask(d, hn::Gt(hn::LoadU(d32, draws + j), lastDropped));
    hn::StoreU(hn::IfThenElseZero(mask, hn::Mul(hn::LoadU(d, x + j), scale)), d, y + j);
  }
#endif
  for (; j < count; ++j) y[j] = draws[j] > row.lastDropped ? x[j] * row.scale : Scalar{0};
}

void dropRow(const DropoutRow& row) {
  // room for the register that may be drawn beyond the last block asked for (at most 2048 bits of lanes)
  alignas(64) std::uint32_t words[4 * (kDrawBlocks + 32)];
  for (Index done = 0; done < row.cols;) {
    const Index feature = row.firstColumn + done, skipped = feature % 4;
    const Index count = std::min<Index>(row.cols - done, 4 * kDrawBlocks - skipped);
    draw(row, feature / 4, (skipped + count + 3) / 4, words);
    keep(row, words + skipped, row.x + done, row.y + done, count);
    done += count;
  }
}

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {

HWY_EXPORT(dropRow);

void dropout(const Matrix& X, std::span<const Vertex> ids, DropoutKey key, double rate, Matrix& Y,
             Index firstColumn) {
  HALO_CHECK(static_cast<Index>(ids.size()) == X.rows() && rate >= 0 && rate < 1 && firstColumn >= 0);
  if (&X != &Y) Y.resize(X.rows(), X.cols());
  // a draw w is kept when w · 2⁻³² ≥ rate, so the first kept one is rate · 2³² rounded up
  const double firstKept = std::ceil(rate * 0x1p32);
  if (firstKept == 0) {
    if (&X != &Y) std::ranges::copy(X.values(), Y.data());
    return;
  }
  DropoutRow common;
  common.key = key;
  common.lastDropped = static_cast<std::uint32_t>(firstKept - 1);
  common.scale = static_cast<Scalar>(1.0 / (1.0 - rate));
  common.firstColumn = firstColumn;
  common.cols = X.cols();
  forBlocks(X.rows(), rowBlock(X.cols()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      DropoutRow row = common;
      row.vertex = static_cast<std::uint64_t>(ids[static_cast<std::size_t>(i)]);
      row.x = X.row(i).data();
      row.y = Y.row(i).data();
      HWY_DYNAMIC_DISPATCH(dropRow)(row);
    }
  });
}

}  // namespace halo
#endif
