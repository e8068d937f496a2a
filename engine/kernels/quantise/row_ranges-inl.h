// The ranges of a few rows at once, as rangeOf has them, once per Highway target. To be included after
// hwy/highway.h.
#if defined(HALO_ROW_RANGES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_ROW_RANGES_INL_H
#undef HALO_ROW_RANGES_INL_H
#else
#define HALO_ROW_RANGES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "engine/kernels/quantise/quantise.h"

#ifndef HALO_ROW_RANGES
#define HALO_ROW_RANGES
namespace halo {

constexpr std::size_t kRangesAtOnce = 8, kExtremeLanes = 16;

/// Of some rows: the extremes of their elements, what their codes stand for, and one over the step.
struct RowRanges {
  using Each = float[kRangesAtOnce];
  alignas(32) Each smallest = {}, largest = {};
  alignas(32) Each zero = {}, step = {}, inverse = {};  // inverse: 0 where the step is
};

}  // namespace halo
#endif

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !defined(HALO_DOUBLE) && HWY_TARGET != HWY_SCALAR
/// to[t]: which of a row's lanes, of row t, `better` prefers to all others.
template <class V, class Better>
HWY_INLINE void ofEach(V row0, V row1, V row2, V row3, const Better& better, Scalar* to) {
  const hn::DFromV<V> d;
  const hn::Full128<Scalar> block;
  const auto both = [&](V a, V b) {
    return better(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  alignas(64) Scalar lanes[kExtremeLanes];
  hn::Store(both(both(row0, row2), both(row1, row3)), d, lanes);
  auto best = hn::Load(block, lanes);
  for (std::size_t i = 4; i < hn::Lanes(d); i += 4) best = better(best, hn::Load(block, lanes + i));
  hn::StoreU(best, block, to);
}

/// Of four rows x[0 … 3].
HWY_INLINE void extremes(const Scalar* const* x, Index cols, Scalar* smallest, Scalar* largest) {
  const hn::CappedTag<Scalar, kExtremeLanes> d;
  if (cols >= static_cast<Index>(hn::Lanes(d))) {
    const Index L = static_cast<Index>(hn::Lanes(d)), rest = cols - L;
    auto low0 = hn::LoadU(d, x[0] + rest), low1 = hn::LoadU(d, x[1] + rest);
    auto low2 = hn::LoadU(d, x[2] + rest), low3 = hn::LoadU(d, x[3] + rest);
    auto high0 = low0, high1 = low1, high2 = low2, high3 = low3;
    const auto meet = [&](const Scalar* at, auto& low, auto& high) {
      const auto values = hn::LoadU(d, at);
      low = hn::Min(low, values);
      high = hn::Max(high, values);
    };
    for (Index j = 0; j < rest; j += L) {
      meet(x[0] + j, low0, high0);
      meet(x[1] + j, low1, high1);
      meet(x[2] + j, low2, high2);
      meet(x[3] + j, low3, high3);
    }
    ofEach(
        low0, low1, low2, low3, [](auto a, auto b) { return hn::Min(a, b); }, smallest);
    ofEach(
        high0, high1, high2, high3, [](auto a, auto b) { return hn::Max(a, b); }, largest);
    return;
  }
  for (int t = 0; t < 4; ++t) {
    const auto [low, high] = std::minmax_element(x[t], x[t] + cols);
    smallest[t] = *low;
    largest[t] = *high;
  }
}

/// zero, step and inverse of rows whose extremes are known: those of rangeOf to the bit.
HWY_INLINE void findRanges(int bits, bool shortRange, RowRanges& rows) {
  const hn::CappedTag<double, kRangesAtOnce> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const hn::RebindToUnsigned<decltype(d)> d32;
  const hn::RebindToSigned<decltype(d)> i32;
  const auto cut = hn::Set(d32, shortRange ? 0xFFFF0000U : 0xFFFFFFFFU);
  const auto below = hn::Not(cut);  // added before cutting: away from zero, where anything is cut
  for (std::size_t t = 0; t < kRangesAtOnce; t += hn::Lanes(wide)) {
    const auto smallest = hn::BitCast(i32, hn::Load(d, rows.smallest + t));
    const auto negative = hn::BitCast(d32, hn::BroadcastSignBit(smallest));
    const auto zeroBits = hn::Add(hn::BitCast(d32, smallest), hn::And(negative, below));
    const auto zero = hn::BitCast(d, hn::And(zeroBits, cut));
    const auto exact =
        hn::Div(hn::Sub(hn::PromoteTo(wide, hn::Load(d, rows.largest + t)), hn::PromoteTo(wide, zero)),
                hn::Set(wide, (1 << bits) - 1));
    const auto nearest = hn::DemoteTo(d, exact);
    const auto increment =
        hn::IfThenElseZero(hn::Lt(hn::PromoteTo(wide, nearest), exact), hn::Set(wide, 1.0));
    const auto stepBits = hn::Add(hn::BitCast(d32, nearest), hn::BitCast(d32, hn::DemoteTo(i32, increment)));
    const auto rounded = hn::BitCast(d, hn::And(hn::Add(stepBits, below), cut));
    const auto differ = hn::Gt(rounded, hn::Zero(d));
    const auto step = hn::IfThenElse(differ, hn::Max(rounded, hn::Set(d, kLeastStep)), rounded);
    hn::Store(zero, d, rows.zero + t);
    hn::Store(step, d, rows.step + t);
    hn::Store(hn::IfThenElseZero(differ, hn::Div(hn::Set(d, 1.0F), step)), d, rows.inverse + t);
  }
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
