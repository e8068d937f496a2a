// Codes to groups of rows, once per Highway target. To be included after hwy/highway.h.
#if defined(HALO_DECODE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HALO_DECODE_ROWS_INL_H
#undef HALO_DECODE_ROWS_INL_H
#else
#define HALO_DECODE_ROWS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <span>

#include "engine/kernels/quantise/quantise.h"
#include "engine/kernels/quantise/row_groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !defined(HALO_DOUBLE) && HWY_TARGET != HWY_SCALAR
/// Row t of a group, `stream`: past the caches, in whole lines.
template <int kBits, int t>
HWY_INLINE void decodeRow(const std::uint8_t* codes, const RowRange& range, Index cols, bool stream,
                          Scalar* y) {
  const hn::CappedTag<Scalar, kLine> d;
  const hn::CappedTag<Scalar, 1> singleLane;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const auto values = [&](auto tag, Index j) {
    const hn::RebindToSigned<decltype(tag)> d32;
    const hn::Rebind<std::uint8_t, decltype(tag)> d8;
    const auto bytes = hn::PromoteTo(d32, hn::LoadU(d8, codes + j));
    const auto code = hn::And(hn::ShiftRight<t * kBits>(bytes), hn::Set(d32, (1 << kBits) - 1));
    return hn::MulAdd(hn::ConvertTo(tag, code), hn::Set(tag, range.step), hn::Set(tag, range.zero));
  };
  const auto store = [&](Index j, Index end) {
    for (; j + L <= end; j += L) hn::StoreU(values(d, j), d, y + j);
    for (; j < end; ++j) hn::StoreU(values(singleLane, j), singleLane, y + j);
  };
  if (!stream) return store(0, cols);
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(y) / sizeof(Scalar)) % kLine;
  const Index begin = std::min(cols, (kLine - past) % kLine), end = cols - (cols - begin) % kLine;
  store(0, begin);
  for (Index j = begin; j < end; j += L) hn::Stream(values(d, j), d, y + j);
  store(end, cols);
}

/// Has the lines brought in that rows [first, last) share with what lies beside them, for those are read
/// before they are written.
HWY_INLINE void fetchEnds(std::span<const Vertex> rows, std::size_t first, std::size_t last,
                          const Matrix& X) {
  for (std::size_t i = first; i < std::min(last, rows.size()); ++i) {
    const Scalar* row = X.row(rows[i]).data();
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + X.cols() - 1, 1);
  }
}

template <int kBits>
void decodeGroups(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges,
                  std::span<const Vertex> rows, bool stream, Matrix& X) {
  constexpr std::size_t kRows = 8 / kBits, kAhead = 2 * kRows;
  const bool ends = stream && X.cols() % kLine != 0;
  const std::uint8_t* from = codes.data();
  for (std::size_t first = 0; first < rows.size(); first += kRows, from += X.cols()) {
    if (ends) fetchEnds(rows, first + kAhead, first + kAhead + kRows, X);
    forRows<kBits>([&](auto t) {
      if (const std::size_t i = first + t; i < rows.size())
        decodeRow<kBits, t>(from, ranges[i], X.cols(), stream, X.row(rows[i]).data());
    });
  }
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
