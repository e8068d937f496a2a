#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/philox.h"
#include "simulator/graph/loop_tiling.h"

using namespace halo;
using namespace halo::sim;

namespace {

struct Case {
  Product product;
  ElementBytes bytes;
  TileRoom room;
};

Case randomCase(std::uint64_t seed, std::uint64_t most) {
  PhiloxStream random(seed, Purpose::shuffle, 29);
  const auto of = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(low + random.below(high - low));
  };
  Case one;
  one.product = {of(1, most), of(1, most), of(1, most), 0};
  one.product.nonzeros = of(0, static_cast<std::uint64_t>(one.product.rows * one.product.inner) + 1);
  one.bytes = {of(4, 13), of(0, 5), 4};
  one.room = {static_cast<double>(of(12, 400)), static_cast<double>(of(4, 300)),
              static_cast<double>(of(4, 300))};
  return one;
}

/// Every length of every tile, every order.
template <typename Use>
void everyTiling(const Product& product, const Use& use) {
  for (std::int64_t r = 1; r <= product.rows; ++r)
    for (std::int64_t k = 1; k <= product.inner; ++k)
      for (std::int64_t c = 1; c <= product.columns; ++c) {
        LoopTiling tiling{{Loop::rows, Loop::inner, Loop::columns}, {r, k, c}};
        do use(tiling);
        while (std::ranges::next_permutation(tiling.order).found);
      }
}

bool same(const ProductBytes& a, const ProductBytes& b) {
  return a.nonzeros == b.nonzeros && a.pointers == b.pointers && a.dense == b.dense &&
         a.sumsRead == b.sumsRead && a.sumsWritten == b.sumsWritten;
}

}  // namespace

TEST_CASE("the closed form moves what a walk through the loops moves", "[simulator]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Case one = randomCase(seed, 7);
    bool all = true;
    everyTiling(one.product, [&](const LoopTiling& tiling) {
      all = all &&
            same(trafficOf(one.product, tiling, one.bytes), trafficReference(one.product, tiling, one.bytes));
    });
    CAPTURE(seed);
    CHECK(all);
  }
}

TEST_CASE("an order of loops by hand", "[simulator]") {
  // 8 rows in 2 tiles, 6 inner in 3, 4 columns in 2; 10 nonzeros
  const Product product{8, 6, 4, 10};
  const ElementBytes bytes{8, 4, 4};
  const auto of = [&](std::array<Loop, 3> order) { return trafficOf(product, {order, {4, 2, 2}}, bytes); };
  // sums stay while `inner` turns; A is moved for both tiles of columns, H for both tiles of rows
  CHECK(same(of({Loop::rows, Loop::columns, Loop::inner}), {160, 96, 192, 0, 128}));
  // H stays while rows turn, sums come and go three times
  CHECK(same(of({Loop::columns, Loop::inner, Loop::rows}), {160, 96, 96, 256, 384}));
  // A stays while columns turn
  CHECK(same(of({Loop::rows, Loop::inner, Loop::columns}), {80, 48, 192, 256, 384}));
}

TEST_CASE("the search finds the fewest bytes of all tilings", "[simulator]") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case one = randomCase(seed, 10);
    CAPTURE(seed);
    std::int64_t least = -1;
    everyTiling(one.product, [&](const LoopTiling& tiling) {
      if (!fits(one.product, tiling, one.bytes, one.room)) return;
      const std::int64_t bytes = trafficOf(one.product, tiling, one.bytes).all();
      if (least < 0 || bytes < least) least = bytes;
    });
    const auto tiling = searchTiling(one.product, one.bytes, one.room);
    REQUIRE(tiling.has_value() == (least >= 0));
    if (!tiling) continue;
    ++found;
    CHECK(fits(one.product, *tiling, one.bytes, one.room));
    CHECK(trafficOf(one.product, *tiling, one.bytes).all() == least);
  }
  CHECK(found > 30);
}

TEST_CASE("a product that has room is moved once, and one without room for an element not at all",
          "[simulator]") {
  const Product product{100, 100, 16, 500};
  const auto tiling = searchTiling(product, {}, {1e6, 1e6, 1e6});
  REQUIRE(tiling.has_value());
  CHECK(trafficOf(product, *tiling, {}).all() == 500 * 8 + 100 * 4 + 2 * 100 * 16 * 4);
  CHECK(tiling->trips(product) == std::array<std::int64_t, 3>{1, 1, 1});
  CHECK_FALSE(searchTiling(product, {}, {1e6, 1e6, 3}).has_value());
  CHECK_FALSE(searchTiling(product, {}, {1e6, 3, 1e6}).has_value());
}

TEST_CASE("large products are searched in reasonable time", "[simulator]") {
  const Product papers{111'000'000, 111'000'000, 128, 1'620'000'000};
  const auto tiling = searchTiling(papers, {}, {16e6, 16e6, 16e6});
  REQUIRE(tiling.has_value());
  CHECK(fits(papers, *tiling, {}, {16e6, 16e6, 16e6}));
}
