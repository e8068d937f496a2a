#include "engine/kernels/sparse/attention_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/sparse/attention_rows.cpp"
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

#include "engine/kernels/simd/part_register-inl.h"
#include "engine/kernels/sparse/attention.h"

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<Scalar>;
using V = hn::Vec<D>;

// Scores of the edges that are worked on together: they and the rows they need stay in the first caches.
constexpr Index kTileScores = 2048, kTileEdges = 32;

HWY_INLINE Index tileEdges(Index heads) { return std::clamp(kTileScores / heads, Index{1}, kTileEdges); }

HWY_INLINE V exponential(V x) {
  const D d;
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));  // a NaN stays a NaN
}

HWY_INLINE void exponentials(Scalar* p, Index count) {
  const D d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + L <= count; i += L) hn::StoreU(exponential(hn::LoadU(d, p + i)), d, p + i);
  if (i == count) return;
  const auto rest = static_cast<std::size_t>(count - i);
  storeFirst(exponential(loadFirst(d, rest, p + i)), d, rest, p + i);
}

HWY_INLINE Scalar dot(const Scalar* a, const Scalar* b, Index width) {
  const D d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  V sum = hn::Zero(d);
  Index j = 0;
  for (; j + L <= width; j += L) sum = hn::MulAdd(hn::LoadU(d, a + j), hn::LoadU(d, b + j), sum);
  if (j < width) {
    const auto rest = static_cast<std::size_t>(width - j);
    sum = hn::MulAdd(loadFirst(d, rest, a + j), loadFirst(d, rest, b + j), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// One head of one row: out = scale · out + Σ_e weights[e · heads] · rows(columns[e]). Two sums in turn, for
// one chain of additions would wait for itself.
HWY_INLINE void addHead(const Vertex* columns, Index edges, const Scalar* weights, Index heads,
                        const Scalar* rows, Index stride, Index width, Scalar scale, Scalar* out) {
  const D d;
  const auto L = static_cast<Index>(hn::Lanes(d));
  const auto sum = [&](const auto& load, V a) {
    V b = hn::Zero(d);
    Index e = 0;
    for (; e + 2 <= edges; e += 2) {
      a = hn::MulAdd(hn::Set(d, weights[e * heads]), load(rows + columns[e] * stride), a);
      b = hn::MulAdd(hn::Set(d, weights[(e + 1) * heads]), load(rows + columns[e + 1] * stride), b);
    }
    if (e < edges) a = hn::MulAdd(hn::Set(d, weights[e * heads]), load(rows + columns[e] * stride), a);
    return hn::Add(a, b);
  };
  const V factor = hn::Set(d, scale);
  Index j = 0;
  for (; j + L <= width; j += L) {
    const auto load = [&](const Scalar* row) HWY_ATTR { return hn::LoadU(d, row + j); };
    hn::StoreU(sum(load, hn::Mul(factor, hn::LoadU(d, out + j))), d, out + j);
  }
  if (j == width) return;
  const auto rest = static_cast<std::size_t>(width - j);
  const auto load = [&](const Scalar* row) HWY_ATTR { return loadFirst(d, rest, row + j); };
  storeFirst(sum(load, hn::Mul(factor, loadFirst(d, rest, out + j))), d, rest, out + j);
}

HWY_INLINE Scalar leaky(Scalar x, Scalar slope) { return x > 0 ? x : slope * x; }

// One tile of edges into one row: the softmax so far is brought to the new largest score first.
HWY_INLINE void attendTile(const AttendTask& t, Index row, const Vertex* columns, Index edges, Scalar* p,
                           Scalar* scale) {
  const Index heads = t.heads;
  const Scalar* target = t.target + row * heads;
  Scalar* largest = t.largest + row * heads;
  Scalar* sum = t.sum + row * heads;
  for (Index h = 0; h < heads; ++h) scale[h] = largest[h];
  for (Index e = 0; e < edges; ++e) {
    const Scalar* source = t.source + columns[e] * heads;
    for (Index h = 0; h < heads; ++h) {
      const Scalar s = leaky(source[h] + target[h], t.slope);
      p[e * heads + h] = s;
      largest[h] = s > largest[h] ? s : largest[h];
    }
  }
  for (Index h = 0; h < heads; ++h) scale[h] -= largest[h];
  for (Index e = 0; e < edges; ++e)
    for (Index h = 0; h < heads; ++h) p[e * heads + h] -= largest[h];
  exponentials(scale, heads);
  exponentials(p, edges * heads);
  for (Index h = 0; h < heads; ++h) sum[h] *= scale[h];
  for (Index e = 0; e < edges; ++e)
    for (Index h = 0; h < heads; ++h) sum[h] += p[e * heads + h];
  const Index stride = heads * t.width;
  for (Index h = 0; h < heads; ++h)
    addHead(columns, edges, p + h, heads, t.Y + h * t.width, stride, t.width, scale[h],
            t.Z + row * stride + h * t.width);
}

void attendRows(const AttendTask& task, Index begin, Index end) {
  const AttendTask t = task;  // a copy nobody else can see: its fields need not be read after every store
  Scalar p[kTileScores], scale[kMostHeads];
  const Index tile = tileEdges(t.heads);
  for (Index row = begin; row < end; ++row)
    for (Index k = t.offsets[row]; k < t.offsets[row + 1]; k += tile)
      attendTile(t, row, t.columns + k, std::min(tile, t.offsets[row + 1] - k), p, scale);
}

// Of one tile: p holds the coefficients, gradient the slopes.
HWY_INLINE void scoreGradients(const AttendBackwardTask& t, Index row, Index k, Index edges, const Scalar* p,
                               const Scalar* gradient) {
  const Index heads = t.heads, stride = heads * t.width;
  const Scalar* y = t.Y + row * stride;
  Scalar* dSource = t.dSource + row * heads;
  for (Index e = 0; e < edges; ++e) {
    const Index v = t.columns[k + e];
    Scalar* dEdge = t.dEdges + (t.places == nullptr ? k + e : t.places[k + e]) * heads;
    for (Index h = 0; h < heads; ++h) {
      const Scalar product = dot(t.dZ + v * stride + h * t.width, y + h * t.width, t.width);
      const Index at = e * heads + h;
      dEdge[h] = p[at] * (product - t.products[v * heads + h]) * gradient[at];
      dSource[h] += dEdge[h];
    }
  }
}

// One tile of the edges out of one source row.
HWY_INLINE void attendBackwardTile(const AttendBackwardTask& t, Index row, Index k, Index edges, Scalar* p,
                                   Scalar* gradient) {
  const Index heads = t.heads, stride = heads * t.width;
  const Vertex* columns = t.columns + k;
  const Scalar* source = t.source + row * heads;
  for (Index e = 0; e < edges; ++e) {
    const Index v = columns[e];
    for (Index h = 0; h < heads; ++h) {
      const Scalar x = source[h] + t.target[v * heads + h];
      p[e * heads + h] = leaky(x, t.slope) - t.logSum[v * heads + h];
      gradient[e * heads + h] = x > 0 ? Scalar{1} : t.slope;
    }
  }
  exponentials(p, edges * heads);
  if (t.dSource != nullptr) scoreGradients(t, row, k, edges, p, gradient);
  if (t.dY == nullptr) return;
  for (Index h = 0; h < heads; ++h)
    addHead(columns, edges, p + h, heads, t.dZ + h * t.width, stride, t.width, Scalar{1},
            t.dY + row * stride + h * t.width);
}

void attendBackwardRows(const AttendBackwardTask& task, Index begin, Index end) {
  const AttendBackwardTask t = task;
  Scalar p[kTileScores], gradient[kTileScores];
  const Index tile = tileEdges(t.heads);
  for (Index row = begin; row < end; ++row) {
    if (t.dY != nullptr) std::fill_n(t.dY + row * t.heads * t.width, t.heads * t.width, Scalar{0});
    if (t.dSource != nullptr) std::fill_n(t.dSource + row * t.heads, t.heads, Scalar{0});
    for (Index k = t.offsets[row]; k < t.offsets[row + 1]; k += tile)
      attendBackwardTile(t, row, k, std::min(tile, t.offsets[row + 1] - k), p, gradient);
  }
}

void headDotRows(const Scalar* A, const Scalar* B, Index strideB, Index heads, Index width, Scalar* S,
                 Index begin, Index end) {
  for (Index row = begin; row < end; ++row)
    for (Index h = 0; h < heads; ++h)
      S[row * heads + h] = dot(A + (row * heads + h) * width, B + row * strideB + h * width, width);
}

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {

HWY_EXPORT(attendRows);
HWY_EXPORT(attendBackwardRows);
HWY_EXPORT(headDotRows);

void attendRows(const AttendTask& task, Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(attendRows)(task, begin, end);
}

void attendBackwardRows(const AttendBackwardTask& task, Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(attendBackwardRows)(task, begin, end);
}

void headDotRows(const Scalar* A, const Scalar* B, Index strideB, Index heads, Index width, Scalar* S,
                 Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(headDotRows)(A, B, strideB, heads, width, S, begin, end);
}

}  // namespace halo
#endif
