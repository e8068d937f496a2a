#include "engine/kernels/dense/product_tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/dense/product_tiles.cpp"
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "engine/base/index.h"
#include "engine/kernels/simd/part_register-inl.h"

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<Scalar>;
using V = hn::Vec<D>;

// A tile of sums is so many rows of A by a panel of two registers. With a row of the panel and a number of A
// it takes 31 of 32 registers, or 15 of 16.
constexpr int kRows =
    (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3) || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR ? 6 : 14;
// Rows that are this many bytes apart, or a multiple, meet in so few sets of the first cache that they push
// each other out.
constexpr Index kAlias = 2048;

Index lanes() { return static_cast<Index>(hn::Lanes(D())); }
Index panelOf(Index columns) { return columns <= lanes() ? lanes() : 2 * lanes(); }  // a last one may be half
Index padded(Index columns) { return (columns + lanes() - 1) / lanes() * lanes(); }

HWY_INLINE void fetch(const Scalar* line) { __builtin_prefetch(line, 0, 2); }  // the first cache is full

struct Tile {
  Index depth;
  Operand a;
  const Scalar* b;
  Index rowB;
  Scalar* c;
  Index rowC, columns;  // that C has here: full registers, or fewer
  bool add;
  const Scalar* next;  // where the next tile of C begins
};

// Sums are passed on by reference, not as an array: scalable vectors (SVE) cannot stand in one.
template <int kRegisters, class... Rest>
HWY_INLINE void addRows(const Scalar* a, Index row, V b0, V b1, V& c0, V& c1, Rest&... rest) {
  const V w = hn::Set(D(), *a);
  c0 = hn::MulAdd(w, b0, c0);
  if constexpr (kRegisters == 2) c1 = hn::MulAdd(w, b1, c1);
  if constexpr (sizeof...(rest) > 0) addRows<kRegisters>(a + row, row, b0, b1, rest...);
}

template <int kRegisters, class... Rest>
HWY_INLINE void storeRows(Scalar* c, Index row, bool add, V c0, V c1, Rest... rest) {
  const D d;
  if (add) {
    c0 = hn::Add(c0, hn::LoadU(d, c));
    if constexpr (kRegisters == 2) c1 = hn::Add(c1, hn::LoadU(d, c + lanes()));
  }
  hn::StoreU(c0, d, c);
  if constexpr (kRegisters == 2) hn::StoreU(c1, d, c + lanes());
  if constexpr (sizeof...(rest) > 0) storeRows<kRegisters>(c + row, row, add, rest...);
}

// A last panel's rows end before its registers do.
template <int kRegisters, class... Rest>
HWY_INLINE void storeParts(Scalar* c, Index row, std::size_t columns, bool add, V c0, V c1, Rest... rest) {
  const D d;
  if constexpr (kRegisters == 2) {
    if (add) c0 = hn::Add(c0, hn::LoadU(d, c));
    hn::StoreU(c0, d, c);
  }
  Scalar* const last = c + (kRegisters - 1) * lanes();
  V part = kRegisters == 2 ? c1 : c0;
  if (add) part = hn::Add(part, loadFirst(d, columns, last));
  storeFirst(part, d, columns, last);
  if constexpr (sizeof...(rest) > 0) storeParts<kRegisters>(c + row, row, columns, add, rest...);
}

// Of R rows of A and a panel; the sums are made one row at a time, until there are R.
template <int R, int kRegisters, bool kTransposed, class... Sums>
HWY_INLINE void sumTile(const Tile& t, Sums&... sums) {
  const D d;
  if constexpr (sizeof...(sums) < 2 * R) {
    V c0 = hn::Zero(d), c1 = hn::Zero(d);
    sumTile<R, kRegisters, kTransposed>(t, sums..., c0, c1);
  } else {
    const Index row = kTransposed ? 1 : t.a.row, column = kTransposed ? t.a.column : 1, rowB = t.rowB;
    for (int i = 0; i < R; ++i) {
      fetch(t.next + i * t.rowC);
      if (kRegisters == 2) fetch(t.next + i * t.rowC + t.columns - 1);
    }
    const Scalar* HWY_RESTRICT a = t.a.data;
    const Scalar* HWY_RESTRICT b = t.b;
    for (Index p = 0; p < t.depth; ++p, a += column, b += rowB)
      addRows<kRegisters>(a, row, hn::LoadU(d, b), hn::LoadU(d, b + (kRegisters == 2 ? lanes() : 0)),
                          sums...);
    if (t.columns == kRegisters * lanes())
      storeRows<kRegisters>(t.c, t.rowC, t.add, sums...);
    else
      storeParts<kRegisters>(t.c, t.rowC, at(t.columns - (kRegisters - 1) * lanes()), t.add, sums...);
  }
}

using Run = void (*)(const Tile&);

template <bool kTransposed, int kRegisters, int... rows>
Run runOf(Index height, std::integer_sequence<int, rows...>) {
  constexpr std::array<Run, sizeof...(rows)> runs{
      [](const Tile& t) { sumTile<rows + 1, kRegisters, kTransposed>(t); }...};
  return runs[at(height - 1)];
}

// Of a strip of so many rows, for panels of one register and of two.
struct Runs {
  Run narrow, wide;
};
template <bool kTransposed>
Runs runsOf(Index height) {
  constexpr auto heights = std::make_integer_sequence<int, kRows>();
  return {runOf<kTransposed, 1>(height, heights), runOf<kTransposed, 2>(height, heights)};
}

// Whole registers are written, with zeros behind.
HWY_INLINE void copyRow(const Scalar* from, Index count, Scalar* to) {
  const D d;
  Index j = 0;
  for (; j + lanes() <= count; j += lanes()) hn::StoreU(hn::LoadU(d, from + j), d, to + j);
  if (j < count) hn::StoreU(loadFirst(d, at(count - j), from + j), d, to + j);
}

void packRight(const Operand& B, Index k, Index n, Scalar* packed) {
  for (Index j0 = 0; j0 < n; j0 += 2 * lanes()) {
    const Index columns = std::min(2 * lanes(), n - j0), width = panelOf(columns);
    for (Index p = 0; p < k; ++p, packed += width) {
      const Scalar* from = B.data + p * B.row + j0 * B.column;
      if (B.column == 1) {
        copyRow(from, columns, packed);
      } else {
        for (Index j = 0; j < columns; ++j) packed[j] = from[j * B.column];
        std::fill(packed + columns, packed + width, Scalar{0});
      }
    }
  }
}

Index packedSize(Index k, Index n) { return k * padded(n); }

bool isPanel(Index columns) { return columns == lanes() || columns == 2 * lanes(); }

// What is fetched while a strip is multiplied: `rows` rows of whole lines.
struct Ahead {
  const Scalar* from = nullptr;
  Index stride = 0, perRow = 1, rows = 0;
  Index lines() const { return perRow * rows; }
};

HWY_INLINE void fetchLines(const Ahead& a, Index begin, Index end) {
  for (Index row = begin / a.perRow, line = begin % a.perRow; begin < end; ++row, line = 0) {
    const Index count = std::min(end - begin, a.perRow - line);
    const Scalar* x = a.from + row * a.stride + line * kLine;
    for (Index l = 0; l < count; ++l) fetch(x + l * kLine);
    begin += count;
  }
}

// The share of [from, from + size) that strip [i, i + height) fetches.
Ahead shareOf(std::span<const Scalar> next, Index i, Index height, Index m) {
  const auto lines = static_cast<Index>((next.size() + kLine - 1) / kLine);
  const Index first = lines * i / m, last = lines * (i + height) / m;
  return {next.data() + first * kLine, 0, std::max<Index>(last - first, 1), last > first ? 1 : 0};
}

// A strip's rows where they do not push each other out of the first cache.
Operand apart(const Operand& a, Index height, Index depth, Scalar* room) {
  const Index stride = (depth + kLine - 1) / kLine * kLine + kLine;
  for (Index i = 0; i < height; ++i) copyRow(a.data + i * a.row, depth, room + i * stride);
  return {room, stride, 1};
}

void multiplyStrip(const Product& t, Index i, Index height) {
  const bool transposed = t.A.column != 1;
  const Index panels = (t.n + 2 * lanes() - 1) / (2 * lanes());
  Operand a{t.A.data + i * t.A.row, t.A.row, t.A.column};
  if (panels > 1 && !transposed && a.row * static_cast<Index>(sizeof(Scalar)) % kAlias == 0)
    a = apart(a, height, t.k, t.room);
  const Runs runs = transposed ? runsOf<true>(height) : runsOf<false>(height);
  std::array<Ahead, 3> ahead;
  if (panels > 1) {  // else it takes longer than it saves
    const Index rows = transposed ? 0 : std::min(height, t.m - i - height);
    ahead = {Ahead{t.A.data + (i + height) * t.A.row, t.A.row, (t.k + kLine - 1) / kLine, rows},
             shareOf(t.next[0], i, height, t.m), shareOf(t.next[1], i, height, t.m)};
  }
  const Scalar* b = t.B;
  for (Index panel = 0; panel < panels; ++panel) {
    for (const Ahead& each : ahead)
      fetchLines(each, each.lines() * panel / panels, each.lines() * (panel + 1) / panels);
    const Index j = panel * 2 * lanes(), columns = std::min(2 * lanes(), t.n - j), width = panelOf(columns);
    Scalar* const c = t.C + i * t.strideC;
    (width == lanes() ? runs.narrow
                      : runs.wide)({t.k, a, b, width, c + j, t.strideC, columns, t.add,
                                    panel + 1 < panels ? c + j + width : c + height * t.strideC});
    b += t.k * width;
  }
}

// Strips of rows of nearly one height.
void multiplyTiles(const Product& t) {
  const Index strips = (t.m + kRows - 1) / kRows;
  for (Index s = 0; s < strips; ++s) {
    const Index first = t.m * s / strips;
    multiplyStrip(t, first, t.m * (s + 1) / strips - first);
  }
}

Index leftRoom() { return kRows * (kDepth + kLine) + static_cast<Index>(hn::MaxLanes(D())); }

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {

HWY_EXPORT(packRight);
HWY_EXPORT(packedSize);
HWY_EXPORT(isPanel);
HWY_EXPORT(multiplyTiles);
HWY_EXPORT(leftRoom);

void packRight(Operand B, Index k, Index n, Scalar* packed) {
  HWY_DYNAMIC_DISPATCH(packRight)(B, k, n, packed);
}

Index packedSize(Index k, Index n) { return HWY_DYNAMIC_DISPATCH(packedSize)(k, n); }

bool isPanel(Index columns) { return HWY_DYNAMIC_DISPATCH(isPanel)(columns); }

void multiplyTiles(const Product& product) { HWY_DYNAMIC_DISPATCH(multiplyTiles)(product); }

Index leftRoom() { return HWY_DYNAMIC_DISPATCH(leftRoom)(); }

}  // namespace halo
#endif
