#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/quantise/quantise.cpp"
#include <hwy/foreach_target.h>  // must come first: includes this file once per target
#include <hwy/highway.h>

#include <algorithm>

#include "engine/base/index.h"
#include "engine/kernels/quantise/decode_rows-inl.h"
#include "engine/kernels/quantise/encode_rows-inl.h"
#include "engine/kernels/quantise/quantise.h"
#include "engine/kernels/threads/blocks.h"

HWY_BEFORE_NAMESPACE();
namespace halo::HWY_NAMESPACE {

#if defined(HALO_DOUBLE) || HWY_TARGET == HWY_SCALAR
// the exactness build needs no speed, and without vectors there is none
void encodeBlock(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                 const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
  encodeRowsReference(X, rows, ids, coding, ranges, codes);
}
void decodeBlock(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                 std::span<const Vertex> rows, bool, Matrix& X) {
  decodeRowsReference(codes, ranges, bits, rows, X);
}
#else
void encodeBlock(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                 const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
  const auto encode = [&](auto nearest) {
    if (coding.bits == 8)
      encodeGroups<8, nearest>(X, rows, ids, coding, ranges, codes);
    else if (coding.bits == 4)
      encodeGroups<4, nearest>(X, rows, ids, coding, ranges, codes);
    else
      encodeGroups<2, nearest>(X, rows, ids, coding, ranges, codes);
  };
  if (coding.nearest)
    encode(std::true_type());
  else
    encode(std::false_type());
}

void decodeBlock(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                 std::span<const Vertex> rows, bool stream, Matrix& X) {
  if (bits == 8)
    decodeGroups<8>(codes, ranges, rows, stream, X);
  else if (bits == 4)
    decodeGroups<4>(codes, ranges, rows, stream, X);
  else
    decodeGroups<2>(codes, ranges, rows, stream, X);
  if (stream) hwy::FlushStream();
}
#endif

}  // namespace halo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halo {
namespace {

HWY_EXPORT(encodeBlock);
HWY_EXPORT(decodeBlock);

void checkShapes(std::size_t rows, std::size_t ranges, std::size_t codes, Index cols, int bits) {
  HALO_CHECK((bits == 8 || bits == 4 || bits == 2) && ranges == rows);
  HALO_CHECK(static_cast<Index>(codes) == codeBytes(static_cast<Index>(rows), cols, bits));
}

/// Groups of `cols` bytes that a thread takes at once. They are more where there are many, for the first rows
/// of each block are not fetched before they are needed.
Index groupBlock(Index groups, Index cols, Index share) {
  const Index least = rowBlock(cols * share);
  return std::clamp(groups / (16 * kernelThreads()), least, 8 * least);
}

/// Groups [begin, end) of `share` rows each, the last of them perhaps of fewer.
template <class T>
std::span<T> partOf(std::span<T> rows, Index share, Index begin, Index end) {
  const auto first = at(begin * share), last = at(end * share);
  return rows.subspan(first, std::min(last, rows.size()) - first);
}

}  // namespace

Index codeBytes(Index rows, Index cols, int bits) { return (rows + 8 / bits - 1) / (8 / bits) * cols; }

void encodeRows(const Matrix& X, std::span<const Vertex> rows, std::span<const std::uint64_t> ids,
                const Coding& coding, std::span<RowRange> ranges, std::span<std::uint8_t> codes) {
  checkShapes(rows.size(), ranges.size(), codes.size(), X.cols(), coding.bits);
  HALO_CHECK(static_cast<Index>(ids.size()) == X.rows() && coding.stream < 1U << 16);
  if (codes.empty()) return;
  const Index share = 8 / coding.bits, cols = X.cols();
  const Index groups = static_cast<Index>(codes.size()) / cols;
  forBlocks(groups, groupBlock(groups, cols, share), [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(encodeBlock)
    (X, partOf(rows, share, begin, end), ids, coding, partOf(ranges, share, begin, end),
     partOf(codes, cols, begin, end));
  });
}

void decodeRows(std::span<const std::uint8_t> codes, std::span<const RowRange> ranges, int bits,
                std::span<const Vertex> rows, Matrix& X, std::int64_t cacheBytes) {
  checkShapes(rows.size(), ranges.size(), codes.size(), X.cols(), bits);
  if (codes.empty()) return;
  const Index share = 8 / bits, cols = X.cols();
  // what does not fit the caches will not be read from there
  const Index bytes = static_cast<Index>(rows.size()) * cols * static_cast<Index>(sizeof(Scalar));
  const bool stream = bytes > cacheBytes;
  const Index groups = static_cast<Index>(codes.size()) / cols;
  forBlocks(groups, groupBlock(groups, cols, share), [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(decodeBlock)
    (partOf(codes, cols, begin, end), partOf(ranges, share, begin, end), bits,
     partOf(rows, share, begin, end), stream, X);
  });
}

}  // namespace halo
#endif
