#include "simulator/graph/column_stretches.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/index.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kAskedEvery = 1 << 21;  // nonzeros
constexpr int kBucketBits = 16;                // of a column's number: so counts stay in the cache

/// Rows of the matrix, and its columns in buckets of neighbours.
struct Range {
  Range(const CsrRows& rowsOf, std::int64_t from, std::int64_t to)
      : matrix(rowsOf),
        first(from),
        last(to),
        shift(std::max(0, static_cast<int>(std::bit_width(at(rowsOf.cols))) - kBucketBits)) {}

  std::int64_t nonzeros() const { return matrix.offsets[at(last)] - matrix.offsets[at(first)]; }
  std::int64_t buckets() const { return (matrix.cols >> shift) + 1; }
  std::size_t bucketOf(std::int64_t column) const { return at(column) >> shift; }

  const CsrRows& matrix;
  std::int64_t first, last;
  int shift;
};

/// Of the nonzeros by column: how many come before each bucket, and all.
std::vector<std::int64_t> beginsOf(const Range& range, StopAsks& asks) {
  std::vector<std::int64_t> begins(at(range.buckets()) + 1, 0);
  for (std::int64_t r = range.first; r < range.last; ++r) {
    for (const Vertex column : range.matrix.row(r)) ++begins[range.bucketOf(column) + 1];
    asks.step(range.matrix.degree(r));
  }
  for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  return begins;
}

/// Nonzeros of the buckets that are wanted, in order.
template <typename Wanted>
std::vector<Nonzero> ofBuckets(const Range& range, const Wanted& wanted, StopAsks& asks) {
  std::vector<Nonzero> nonzeros;
  for (std::int64_t r = range.first; r < range.last; ++r) {
    std::int64_t index = 0;
    for (const Vertex column : range.matrix.row(r)) {
      if (wanted(range.bucketOf(column))) nonzeros.push_back({column, r - range.first, index});
      ++index;
    }
    asks.step(index);
  }
  std::ranges::sort(nonzeros, {},
                    [](const Nonzero& nonzero) { return std::pair(nonzero.column, nonzero.row); });
  return nonzeros;
}

}  // namespace

std::vector<Nonzero> stretchesByColumn(const CsrRows& matrix, std::int64_t first, std::int64_t last,
                                       std::int64_t mostNonzeros, std::int64_t length,
                                       const AskStop& askStop) {
  const Range range(matrix, first, last);
  StopAsks asks(askStop, kAskedEvery);
  if (range.nonzeros() <= std::max(mostNonzeros, length))
    return ofBuckets(
        range, [](std::size_t) { return true; }, asks);
  const std::vector<std::int64_t> begins = beginsOf(range, asks);
  const std::int64_t all = range.nonzeros() / length,
                     count = std::max<std::int64_t>(1, mostNonzeros / length);
  const auto beginOf = [&](std::int64_t stretch) { return (2 * stretch + 1) * all / (2 * count) * length; };
  std::vector<std::uint8_t> taken(at(range.buckets()), 0);
  for (std::int64_t s = 0; s < count; ++s)
    for (auto b = at(std::ranges::upper_bound(begins, beginOf(s)) - begins.begin() - 1);
         begins[b] < beginOf(s) + length; ++b)
      taken[b] = 1;
  const std::vector<Nonzero> nonzeros = ofBuckets(
      range, [&](std::size_t b) { return taken[b] != 0; }, asks);
  std::vector<Nonzero> stretches;
  std::int64_t s = 0, position = 0;
  auto bucket = taken.size();
  for (const Nonzero& nonzero : nonzeros) {
    if (range.bucketOf(nonzero.column) != bucket) {
      bucket = range.bucketOf(nonzero.column);
      position = begins[bucket];
    }
    if (position >= beginOf(s) + length && ++s == count) break;
    if (position >= beginOf(s)) stretches.push_back(nonzero);
    ++position;
  }
  return stretches;
}

}  // namespace halo::sim
