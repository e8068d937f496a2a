#include "simulator/graph/loop_tiling.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/graph/tiling.h"

namespace halo::sim {
namespace {

using Sizes = std::array<std::int64_t, kLoops>;

/// Turns of the loops in which an operand's tile is moved.
std::int64_t moves(const LoopTiling& tiling, const Sizes& trips, std::array<Loop, 2> own) {
  std::int64_t turns = 1, moved = 1;
  for (const Loop loop : tiling.order) {
    turns *= trips[at(loop)];
    if ((loop == own[0] || loop == own[1]) && trips[at(loop)] > 1) moved = turns;
  }
  return moved;
}

/// Whether tiles and bytes of any order can be counted in whole numbers.
bool countable(const Product& product, const Sizes& trips, const ElementBytes& bytes) {
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  const double rows = real(product.rows), inner = real(product.inner), columns = real(product.columns);
  const double most = rows * columns * real(trips[1]) * 2 + inner * columns * real(trips[0]) +
                      (real(product.nonzeros) + inner * real(trips[0])) * real(trips[2]) +
                      real(trips[0]) * real(trips[1]) * real(trips[2]);
  return most * real(std::max({bytes.nonzero, bytes.pointer, bytes.feature})) < 4e18;
}

/// Lengths of tiles that give different numbers of tiles, longest first.
std::vector<std::int64_t> lengthsOf(std::int64_t count, double most) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t tiles = 1; tiles <= count;) {
    const std::int64_t length = (count + tiles - 1) / tiles;
    if (static_cast<double>(length) <= most) lengths.push_back(length);
    if (length == 1) break;
    tiles = (count + length - 2) / (length - 1);  // the fewest for which tiles are shorter
  }
  return lengths;
}

/// The longest tile along `inner` that has room beside the others, or 0.
std::int64_t longestInner(const Product& product, LoopTiling tiling, const ElementBytes& bytes,
                          const TileRoom& room) {
  std::int64_t low = 0, high = product.inner;
  while (low < high) {
    tiling.tile[at(Loop::inner)] = low + (high - low + 1) / 2;
    if (fits(product, tiling, bytes, room))
      low = tiling.tile[at(Loop::inner)];
    else
      high = tiling.tile[at(Loop::inner)] - 1;
  }
  return low;
}

}  // namespace

Sizes LoopTiling::trips(const Product& product) const {
  return {partsOf(product.rows, tile[0]), partsOf(product.inner, tile[1]), partsOf(product.columns, tile[2])};
}

std::string text(const std::array<Loop, kLoops>& order) {
  constexpr const char* kNames[] = {"rows", "inner", "columns"};
  std::string all;
  for (const Loop loop : order) all += (all.empty() ? "" : ", ") + std::string(kNames[at(loop)]);
  return all;
}

ProductBytes trafficOf(const Product& product, const LoopTiling& tiling, const ElementBytes& bytes) {
  const Sizes trips = tiling.trips(product);
  if (trips[0] == 0 || trips[1] == 0 || trips[2] == 0) return {};
  const std::int64_t sparse = moves(tiling, trips, {Loop::rows, Loop::inner}) / (trips[0] * trips[1]);
  const std::int64_t dense = moves(tiling, trips, {Loop::inner, Loop::columns}) / (trips[1] * trips[2]);
  const std::int64_t sums = moves(tiling, trips, {Loop::rows, Loop::columns}) / (trips[0] * trips[2]);
  const std::int64_t written = bytes.feature * product.rows * product.columns;
  return {sparse * bytes.nonzero * product.nonzeros, sparse * bytes.pointer * product.inner * trips[0],
          dense * bytes.feature * product.inner * product.columns, (sums - 1) * written, sums * written};
}

ProductBytes trafficReference(const Product& product, const LoopTiling& tiling, const ElementBytes& bytes) {
  const Sizes trips = tiling.trips(product), counts{product.rows, product.inner, product.columns};
  ProductBytes moved;
  Sizes now{}, sparse{-1, -1, -1}, dense{-1, -1, -1}, sums{-1, -1, -1};
  std::vector<bool> begun(at(trips[0] * trips[2]), false);
  const auto length = [&](Loop loop) {
    const std::int64_t count = counts[at(loop)], i = now[at(loop)];
    return partBegin(count, trips[at(loop)], i + 1) - partBegin(count, trips[at(loop)], i);
  };
  const auto comesTo = [&](Sizes& position, Loop a, Loop b) {
    if (position[at(a)] == now[at(a)] && position[at(b)] == now[at(b)]) return false;
    position = now;
    return true;
  };
  const auto visit = [&] {
    if (comesTo(sparse, Loop::rows, Loop::inner)) {
      const std::int64_t tile = now[0] * trips[1] + now[1], tiles = trips[0] * trips[1];
      moved.nonzeros += bytes.nonzero * (partBegin(product.nonzeros, tiles, tile + 1) -
                                         partBegin(product.nonzeros, tiles, tile));
      moved.pointers += bytes.pointer * length(Loop::inner);
    }
    if (comesTo(dense, Loop::inner, Loop::columns))
      moved.dense += bytes.feature * length(Loop::inner) * length(Loop::columns);
    if (!comesTo(sums, Loop::rows, Loop::columns)) return;
    const std::int64_t size = bytes.feature * length(Loop::rows) * length(Loop::columns);
    const auto tile = at(now[0] * trips[2] + now[2]);
    if (begun[tile]) moved.sumsRead += size;
    begun[tile] = true;
    moved.sumsWritten += size;  // when it leaves
  };
  const std::size_t a = at(tiling.order[0]), b = at(tiling.order[1]), c = at(tiling.order[2]);
  for (now[a] = 0; now[a] < trips[a]; ++now[a])
    for (now[b] = 0; now[b] < trips[b]; ++now[b])
      for (now[c] = 0; now[c] < trips[c]; ++now[c]) visit();
  return moved;
}

bool fits(const Product& product, const LoopTiling& tiling, const ElementBytes& bytes, const TileRoom& room) {
  const Sizes trips = tiling.trips(product);
  const double tiles = static_cast<double>(trips[0]) * static_cast<double>(trips[1]);
  const double mean = static_cast<double>(product.nonzeros) / std::max(1.0, tiles);
  const auto rows = static_cast<double>(tiling.tile[0]), inner = static_cast<double>(tiling.tile[1]);
  const auto columns = static_cast<double>(tiling.tile[2]), feature = static_cast<double>(bytes.feature);
  return mean * static_cast<double>(bytes.nonzero) + inner * static_cast<double>(bytes.pointer) <=
             room.sparse &&
         inner * columns * feature <= room.dense && rows * columns * feature <= room.sums;
}

std::optional<LoopTiling> searchTiling(const Product& product, const ElementBytes& bytes,
                                       const TileRoom& room) {
  HALO_CHECK(product.rows >= 1 && product.inner >= 1 && product.columns >= 1);
  std::optional<LoopTiling> best;
  std::tuple<std::int64_t, std::int64_t> least;
  const auto feature = static_cast<double>(bytes.feature);
  for (const std::int64_t columns : lengthsOf(product.columns, room.sums / feature))
    for (const std::int64_t rows :
         lengthsOf(product.rows, room.sums / feature / static_cast<double>(columns))) {
      LoopTiling tiling{{}, {rows, 1, columns}};
      tiling.tile[1] = longestInner(product, tiling, bytes, room);
      if (tiling.tile[1] == 0) continue;
      const Sizes trips = tiling.trips(product);
      if (!countable(product, trips, bytes)) continue;
      tiling.order = {Loop::rows, Loop::inner, Loop::columns};
      do {
        const std::tuple cost{trafficOf(product, tiling, bytes).all(), trips[0] * trips[1] * trips[2]};
        if (best && cost >= least) continue;
        least = cost;
        best = tiling;
      } while (std::ranges::next_permutation(tiling.order).found);
    }
  return best;
}

}  // namespace halo::sim
