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
  const auto draw = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(low + random.below(high - low));
  };
  Case testCase;
  testCase.product = {draw(1, most), draw(1, most), draw(1, most), 0};
  testCase.product.nonzeros =
      draw(0, static_cast<std::uint64_t>(testCase.product.rows * testCase.product.inner) + 1);
  testCase.bytes = {draw(4, 13), draw(0, 5), 4};
  testCase.room = {static_cast<double>(draw(12, 400)), static_cast<double>(draw(4, 300)),
                   static_cast<double>(draw(4, 300))};
  return testCase;
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
    const Case testCase = randomCase(seed, 7);
    bool all = true;
    everyTiling(testCase.product, [&](const LoopTiling& tiling) {
      all = all && same(trafficOf(testCase.product, tiling, testCase.bytes),
                        trafficReference(testCase.product, tiling, testCase.bytes));
    });
    CAPTURE(seed);
    CHECK(all);
  }
}

TEST_CASE("an order of loops by hand", "[simulator]") {
  // 8 rows in 2 tiles, 6 inner in 3, 4 columns in 2; 10 nonzeros
  const Product product{8, 6, 4, 10};
  const ElementBytes bytes{8, 4, 4};
  const auto traffic = [&](std::array<Loop, 3> order) {
    return trafficOf(product, {order, {4, 2, 2}}, bytes);
  };
  // sums stay while `inner` turns; A is moved for both tiles of columns, H for both tiles of rows
  CHECK(same(traffic({Loop::rows, Loop::columns, Loop::inner}), {160, 96, 192, 0, 128}));
  // H stays while rows turn, sums come and go three times
  CHECK(same(traffic({Loop::columns, Loop::inner, Loop::rows}), {160, 96, 96, 256, 384}));
  // A stays while columns turn
  CHECK(same(traffic({Loop::rows, Loop::inner, Loop::columns}), {80, 48, 192, 256, 384}));
}

TEST_CASE("the search finds the fewest bytes of all tilings", "[simulator]") {
  int tilings = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case testCase = randomCase(seed, 10);
    CAPTURE(seed);
    std::int64_t least = -1;
    everyTiling(testCase.product, [&](const LoopTiling& tiling) {
      if (!fits(testCase.product, tiling, testCase.bytes, testCase.room)) return;
      const std::int64_t bytes = trafficOf(testCase.product, tiling, testCase.bytes).all();
      if (least < 0 || bytes < least) least = bytes;
    });
    const auto tiling = searchTiling(testCase.product, testCase.bytes, testCase.room);
    REQUIRE(tiling.has_value() == (least >= 0));
    if (!tiling) continue;
    ++tilings;
    CHECK(fits(testCase.product, *tiling, testCase.bytes, testCase.room));
    CHECK(trafficOf(testCase.product, *tiling, testCase.bytes).all() == least);
  }
  CHECK(tilings > 30);
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
