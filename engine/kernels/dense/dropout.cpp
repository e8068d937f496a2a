#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/dense/dropout.cpp"
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/simd/philox_blocks-inl.h"
#include "engine/kernels/threads/blocks.h"

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
  alignas(64) std::uint32_t words[4 * (kDrawBlocks + kPhiloxSlack)];
  const PhiloxKeys keys(row.key.seed, Purpose::dropout);
  for (Index column = 0; column < row.cols;) {
    const Index feature = row.firstColumn + column, skipped = feature % 4;
    const Index count = std::min<Index>(row.cols - column, 4 * kDrawBlocks - skipped);
    const auto first = row.key.layer << 16 | static_cast<std::uint32_t>(feature / 4);
    philoxBlocks(keys, row.vertex, row.key.epoch, first, (skipped + count + 3) / 4, words);
    keep(row, words + skipped, row.x + column, row.y + column, count);
    column += count;
  }
}

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {

HWY_EXPORT(dropRow);

void dropout(const Matrix& X, std::span<const Vertex> ids, DropoutKey key, double rate, Matrix& Y,
             Index firstColumn) {
  dropout(X, {0, X.rows()}, ids, key, rate, Y, firstColumn);
}

void dropout(const Matrix& X, SomeRows rows, std::span<const Vertex> ids, DropoutKey key, double rate,
             Matrix& Y, Index firstColumn) {
  HALO_CHECK(static_cast<Index>(ids.size()) == X.rows() && rate >= 0 && rate < 1 && firstColumn >= 0);
  HALO_CHECK(rows.begin >= 0 && rows.begin + rows.count <= X.rows());
  if (&X != &Y) Y.resize(X.rows(), X.cols());
  // a draw w is kept when w · 2⁻³² ≥ rate, so the first kept one is rate · 2³² rounded up
  const double firstKept = std::ceil(rate * 0x1p32);
  if (firstKept == 0) {
    const auto from = X.values().subspan(at(rows.begin * X.cols()), at(rows.count * X.cols()));
    if (&X != &Y) std::ranges::copy(from, Y.data() + rows.begin * Y.cols());
    return;
  }
  DropoutRow common;
  common.key = key;
  common.lastDropped = static_cast<std::uint32_t>(firstKept - 1);
  common.scale = static_cast<Scalar>(1.0 / (1.0 - rate));
  common.firstColumn = firstColumn;
  common.cols = X.cols();
  forBlocks(rows.count, rowBlock(X.cols()), [&](Index begin, Index end) {
    for (Index i = rows.begin + begin; i < rows.begin + end; ++i) {
      DropoutRow row = common;
      row.vertex = static_cast<std::uint64_t>(ids[at(i)]);
      row.x = X.row(i).data();
      row.y = Y.row(i).data();
      HWY_DYNAMIC_DISPATCH(dropRow)(row);
    }
  });
}

}  // namespace halo
#endif
