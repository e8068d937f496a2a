#include "engine/kernels/sparse/spmm_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/sparse/spmm_rows.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "engine/kernels/simd/part_register-inl.h"

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<Scalar>;
using V = hn::Vec<D>;

constexpr Index kLine = 64 / sizeof(Scalar);  // elements of a cache line

// The accumulators are eight named variables, not an array: scalable vectors (SVE) cannot stand in one. Each
// of the first N gets a_v += w · x's v-th register. The last register starts at `last`, so that it ends with
// the strip.
template <int N>
HWY_INLINE void addRow(V w, const Scalar* HWY_RESTRICT x, Index last, V& a0, V& a1, V& a2, V& a3, V& a4,
                       V& a5, V& a6, V& a7) {
  const D d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  if constexpr (N >= 1) a0 = hn::MulAdd(w, hn::LoadU(d, x + (N == 1 ? last : 0)), a0);
  if constexpr (N >= 2) a1 = hn::MulAdd(w, hn::LoadU(d, x + (N == 2 ? last : L)), a1);
  if constexpr (N >= 3) a2 = hn::MulAdd(w, hn::LoadU(d, x + (N == 3 ? last : 2 * L)), a2);
  if constexpr (N >= 4) a3 = hn::MulAdd(w, hn::LoadU(d, x + (N == 4 ? last : 3 * L)), a3);
  if constexpr (N >= 5) a4 = hn::MulAdd(w, hn::LoadU(d, x + (N == 5 ? last : 4 * L)), a4);
  if constexpr (N >= 6) a5 = hn::MulAdd(w, hn::LoadU(d, x + (N == 6 ? last : 5 * L)), a5);
  if constexpr (N >= 7) a6 = hn::MulAdd(w, hn::LoadU(d, x + (N == 7 ? last : 6 * L)), a6);
  if constexpr (N >= 8) a7 = hn::MulAdd(w, hn::LoadU(d, x + last), a7);
}

template <bool kStream>
HWY_INLINE void store(V a, Scalar* y) {
  const D d;
  if constexpr (kStream)
    hn::Stream(a, d, y);
  else
    hn::StoreU(a, d, y);
}

// What one row of one strip needs.
struct Strip {
  const Scalar* X;
  Scalar* y;
  Index last;  // where the last register starts: it ends with the strip and may overlap the one before
};

// How a row of X, `prefetch` nonzeros later, is fetched: not at all, as N registers of whole cache lines, or
// by its width.
enum class Fetch { none, lines, whole };

HWY_INLINE void fetchRow(const Scalar* x, Index width) {
  const char* p = reinterpret_cast<const char*>(x);
  const char* end = reinterpret_cast<const char*>(x + width);
  for (; p < end; p += 64) hwy::Prefetch(p);
  hwy::Prefetch(end - 1);
}

// In a banded matrix the only row of X that is not in a cache yet is the furthest one.
HWY_INLINE void fetchFrontier(const RowsTask& t, Index row, Index& furthest) {
  const Index k = t.offsets[row + 1] - 1;
  if (k < t.offsets[row] || t.columns[k] <= furthest) return;
  furthest = t.columns[k];
  fetchRow(t.X + furthest * t.strideX, t.width);
}

// One row of a strip of N registers. Narrow strips keep several nonzeros in flight (U sets of accumulators),
// for one chain of additions a register would wait for itself.
template <int N, bool kStream, Fetch kFetch, bool kWeighted>
HWY_INLINE void sumRow(const RowsTask& t, Index row, const Strip& s) {
  constexpr int U = N == 1 ? 8 : N <= 4 ? 2 : 1;
  const D d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const Index last = s.last;
  Scalar* y = s.y;
  V a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  if (t.add) {
    if constexpr (N >= 1) a0 = hn::LoadU(d, y + (N == 1 ? last : 0));
    if constexpr (N >= 2) a1 = hn::LoadU(d, y + (N == 2 ? last : L));
    if constexpr (N >= 3) a2 = hn::LoadU(d, y + (N == 3 ? last : 2 * L));
    if constexpr (N >= 4) a3 = hn::LoadU(d, y + (N == 4 ? last : 3 * L));
    if constexpr (N >= 5) a4 = hn::LoadU(d, y + (N == 5 ? last : 4 * L));
    if constexpr (N >= 6) a5 = hn::LoadU(d, y + (N == 6 ? last : 5 * L));
    if constexpr (N >= 7) a6 = hn::LoadU(d, y + (N == 7 ? last : 6 * L));
    if constexpr (N >= 8) a7 = hn::LoadU(d, y + last);
  }
  const auto weight = [&](Index k) {
    if constexpr (kWeighted) return hn::Set(d, t.values[k]);
    return hn::Set(d, Scalar{1});
  };
  const auto from = [&](Index k) {
    if constexpr (kFetch != Fetch::none) {
      const Scalar* ahead = s.X + static_cast<Index>(t.columns[k + t.prefetch]) * t.strideX;
      if constexpr (kFetch == Fetch::lines)
        for (Index j = 0; j < N * L; j += kLine) hwy::Prefetch(ahead + j);
      else
        fetchRow(ahead, t.width);
    }
    return s.X + static_cast<Index>(t.columns[k]) * t.strideX;
  };
  Index k = t.offsets[row];
  const Index end = t.offsets[row + 1];
  if constexpr (U == 8) {
    for (; k + 8 <= end; k += 8) {
      addRow<N>(weight(k), from(k), last, a0, a1, a2, a3, a4, a5, a6, a7);
      addRow<N>(weight(k + 1), from(k + 1), last, a1, a2, a3, a4, a5, a6, a7, a0);
      addRow<N>(weight(k + 2), from(k + 2), last, a2, a3, a4, a5, a6, a7, a0, a1);
      addRow<N>(weight(k + 3), from(k + 3), last, a3, a4, a5, a6, a7, a0, a1, a2);
      addRow<N>(weight(k + 4), from(k + 4), last, a4, a5, a6, a7, a0, a1, a2, a3);
      addRow<N>(weight(k + 5), from(k + 5), last, a5, a6, a7, a0, a1, a2, a3, a4);
      addRow<N>(weight(k + 6), from(k + 6), last, a6, a7, a0, a1, a2, a3, a4, a5);
      addRow<N>(weight(k + 7), from(k + 7), last, a7, a0, a1, a2, a3, a4, a5, a6);
    }
    a0 = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
  } else if constexpr (N == 2) {
    for (; k + 2 <= end; k += 2) {
      addRow<N>(weight(k), from(k), last, a0, a1, a2, a3, a4, a5, a6, a7);
      addRow<N>(weight(k + 1), from(k + 1), last, a2, a3, a4, a5, a6, a7, a0, a1);
    }
    a0 = hn::Add(a0, a2);
    a1 = hn::Add(a1, a3);
  } else if constexpr (U == 2) {
    for (; k + 2 <= end; k += 2) {
      addRow<N>(weight(k), from(k), last, a0, a1, a2, a3, a4, a5, a6, a7);
      addRow<N>(weight(k + 1), from(k + 1), last, a4, a5, a6, a7, a0, a1, a2, a3);
    }
    a0 = hn::Add(a0, a4);
    a1 = hn::Add(a1, a5);
    a2 = hn::Add(a2, a6);
    if constexpr (N >= 4) a3 = hn::Add(a3, a7);
  }
  for (; k < end; ++k) addRow<N>(weight(k), from(k), last, a0, a1, a2, a3, a4, a5, a6, a7);
  if constexpr (N >= 2) store<kStream>(a0, y);
  if constexpr (N >= 3) store<kStream>(a1, y + L);
  if constexpr (N >= 4) store<kStream>(a2, y + 2 * L);
  if constexpr (N >= 5) store<kStream>(a3, y + 3 * L);
  if constexpr (N >= 6) store<kStream>(a4, y + 4 * L);
  if constexpr (N >= 7) store<kStream>(a5, y + 5 * L);
  if constexpr (N >= 8) store<kStream>(a6, y + 6 * L);
  store<kStream>(N == 1   ? a0
                 : N == 2 ? a1
                 : N == 3 ? a2
                 : N == 4 ? a3
                 : N == 5 ? a4
                 : N == 6 ? a5
                 : N == 7 ? a6
                          : a7,
                 y + last);
}

// A strip narrower than a register.
HWY_INLINE void sumNarrowRow(const RowsTask& t, Index row) {
  const D d;
  const auto width = static_cast<std::size_t>(t.width);
  Scalar* y = t.Y + row * t.strideY;
  V a = t.add ? loadFirst(d, width, y) : hn::Zero(d), b = hn::Zero(d);
  Index k = t.offsets[row];
  const Index end = t.offsets[row + 1];
  const auto term = [&](Index at, V sum) {
    const V x = loadFirst(d, width, t.X + static_cast<Index>(t.columns[at]) * t.strideX);
    return t.values ? hn::MulAdd(hn::Set(d, t.values[at]), x, sum) : hn::Add(x, sum);
  };
  for (; k + 2 <= end; k += 2) {
    a = term(k, a);
    b = term(k + 1, b);
  }
  if (k < end) a = term(k, a);
  storeFirst(hn::Add(a, b), d, width, y);
}

// Rows of one strip of N whole registers: no instruction too many, for at narrow widths they cost the time.
template <int N, bool kStream, bool kFetch, bool kWeighted>
void sumWhole(const RowsTask& task, Index begin, Index end) {
  const RowsTask t = task;  // a copy nobody else can see: its fields need not be read again after every store
  const auto L = static_cast<Index>(hn::Lanes(D()));
  Index furthest = -1;
  for (Index row = begin; row < end; ++row) {
    if (t.frontier > 0 && row + t.frontier < end) fetchFrontier(t, row + t.frontier, furthest);
    sumRow<N, kStream, kFetch ? Fetch::lines : Fetch::none, kWeighted>(
        t, row, {t.X, t.Y + row * t.strideY, (N - 1) * L});
  }
}

// Rows of `wide` strips of N registers followed by `narrow` strips of N − 1: any width with strips of nearly
// one size. The first strip fetches for all.
template <int N, bool kStream, bool kFetch, bool kWeighted>
void sumStrips(const RowsTask& task, Index wide, Index narrow, Index begin, Index end) {
  const auto L = static_cast<Index>(hn::Lanes(D()));
  const Index strips = wide + narrow;
  const RowsTask t = task;
  Index furthest = -1;
  for (Index row = begin; row < end; ++row) {
    if (t.frontier > 0 && row + t.frontier < end) fetchFrontier(t, row + t.frontier, furthest);
    Strip s{t.X, t.Y + row * t.strideY, strips == 1 ? t.width - L : (N - 1) * L};
    sumRow<N, kStream, kFetch ? Fetch::whole : Fetch::none, kWeighted>(t, row, s);
    for (Index i = 1; i < wide; ++i) {
      s = {s.X + N * L, s.y + N * L, s.last};
      if (i + 1 == strips) s.last = t.width - (s.X - t.X) - L;
      sumRow<N, kStream, Fetch::none, kWeighted>(t, row, s);
    }
    if constexpr (N > 1) {
      s = {s.X + N * L, s.y + N * L, (N - 2) * L};
      for (Index i = 0; i < narrow; ++i) {
        if (i + 1 == narrow) s.last = t.width - (s.X - t.X) - L;
        sumRow<N - 1, kStream, Fetch::none, kWeighted>(t, row, s);
        s = {s.X + (N - 1) * L, s.y + (N - 1) * L, s.last};
      }
    }
  }
}

template <int N, bool kStream, bool kFetch, bool kWeighted>
void sumRange(const RowsTask& t, Index wide, Index narrow, Index begin, Index end) {
  const bool lines = t.width % kLine == 0 && t.strideX % kLine == 0 &&
                     reinterpret_cast<std::uintptr_t>(t.X) % (kLine * sizeof(Scalar)) == 0;
  if (t.width == N * static_cast<Index>(hn::Lanes(D())) && (lines || !kFetch))
    sumWhole<N, kStream, kFetch, kWeighted>(t, begin, end);
  else
    sumStrips<N, kStream, kFetch, kWeighted>(t, wide, narrow, begin, end);
}

// The rows whose nonzeros have one `prefetch` later fetch it without asking; the few last ones fetch nothing.
template <int N, bool kStream>
void sumRows(const RowsTask& t, Index wide, Index narrow, Index begin, Index end) {
  Index fetching = t.prefetch > 0 ? end : begin;
  while (fetching > begin && t.offsets[fetching] + t.prefetch > t.nonzeros) --fetching;
  if (t.values != nullptr) {
    sumRange<N, kStream, true, true>(t, wide, narrow, begin, fetching);
    sumRange<N, kStream, false, true>(t, wide, narrow, fetching, end);
  } else {
    sumRange<N, kStream, true, false>(t, wide, narrow, begin, fetching);
    sumRange<N, kStream, false, false>(t, wide, narrow, fetching, end);
  }
}

template <bool kStream>
void sumAll(const RowsTask& t, Index begin, Index end) {
  const auto L = static_cast<Index>(hn::Lanes(D()));
  const Index registers = (t.width + L - 1) / L, strips = (registers + 7) / 8;
  const Index wide = registers % strips == 0 ? strips : registers % strips, narrow = strips - wide;
  switch ((registers + strips - 1) / strips) {
    case 1:
      return sumRows<1, kStream>(t, wide, narrow, begin, end);
    case 2:
      return sumRows<2, kStream>(t, wide, narrow, begin, end);
    case 3:
      return sumRows<3, kStream>(t, wide, narrow, begin, end);
    case 4:
      return sumRows<4, kStream>(t, wide, narrow, begin, end);
    case 5:
      return sumRows<5, kStream>(t, wide, narrow, begin, end);
    case 6:
      return sumRows<6, kStream>(t, wide, narrow, begin, end);
    case 7:
      return sumRows<7, kStream>(t, wide, narrow, begin, end);
    default:
      return sumRows<8, kStream>(t, wide, narrow, begin, end);
  }
}

void spmmRows(const RowsTask& t, Index begin, Index end) {
  if (t.width < static_cast<Index>(hn::Lanes(D()))) {
    for (Index row = begin; row < end; ++row) sumNarrowRow(t, row);
  } else if (t.stream) {
    sumAll<true>(t, begin, end);
    hwy::FlushStream();
  } else {
    sumAll<false>(t, begin, end);
  }
}

void maskRows(const std::uint8_t* mask, Index maskStride, Index width, Scalar* Y, Index strideY, Index begin,
              Index end) {
  for (Index row = begin; row < end; ++row) {
    const std::uint8_t* bits = mask + row * maskStride;
    Scalar* y = Y + row * strideY;
    Index j = 0;
    // eight at a time without branches: the compiler makes vectors of it for each target
    for (; j + 8 <= width; j += 8)
      for (int b = 0; b < 8; ++b) y[j + b] = (bits[j / 8] & (1 << b)) != 0 ? y[j + b] : Scalar{0};
    for (; j < width; ++j) y[j] = (bits[j / 8] & (1 << (j % 8))) != 0 ? y[j] : Scalar{0};
  }
}

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {

HWY_EXPORT(spmmRows);
HWY_EXPORT(maskRows);

void spmmRows(const RowsTask& task, Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(spmmRows)(task, begin, end);
}

void maskRows(const std::uint8_t* mask, Index maskStride, Index width, Scalar* Y, Index strideY, Index begin,
              Index end) {
  HWY_DYNAMIC_DISPATCH(maskRows)(mask, maskStride, width, Y, strideY, begin, end);
}

}  // namespace halo
#endif
