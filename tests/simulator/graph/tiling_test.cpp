#include "simulator/graph/tiling.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;

namespace {

std::vector<std::vector<Block>> tilesOf(const Graph& graph, const TileShape& shape) {
  std::vector<std::vector<Block>> all;
  forEachTile(graph, shape,
              [&](const Tile& tile) { all.emplace_back(tile.blocks.begin(), tile.blocks.end()); });
  return all;
}

bool same(const Block& a, const Block& b) {
  return a.sources == b.sources && a.nonzeros == b.nonzeros && a.lines == b.lines &&
         a.windowLines == b.windowLines;
}

std::int64_t sumOf(const std::vector<std::vector<Block>>& tiles, std::int64_t Block::*figure) {
  std::int64_t sum = 0;
  for (const auto& blocks : tiles)
    for (const Block& block : blocks) sum += block.*figure;
  return sum;
}

}  // namespace

TEST_CASE("counted blocks agree with their definition", "[simulator]") {
  const auto rowBytes = GENERATE(4, 16, 40, 64, 76, 200);
  const auto tileRows = GENERATE(1, 7, 1000);
  const auto windowRows = GENERATE(3, 16, 1000);
  for (const Dataset& set : test::hardGraphs()) {
    CAPTURE(set.name, rowBytes, tileRows, windowRows);
    const TileShape shape{tileRows, windowRows, rowBytes, 64};
    const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, &set.arcs};
    const auto fast = tilesOf(graph, shape), slow = tilesReference(set.arcs, shape);
    REQUIRE(fast.size() == slow.size());
    for (std::size_t t = 0; t < fast.size(); ++t) {
      REQUIRE(fast[t].size() == slow[t].size());
      for (std::size_t w = 0; w < fast[t].size(); ++w) CHECK(same(fast[t][w], slow[t][w]));
    }
    CHECK(sumOf(fast, &Block::nonzeros) == set.arcs.nonzeros());
  }
}

TEST_CASE("expected blocks lose no nonzero and fetch no line twice", "[simulator]") {
  const auto nonzeros = GENERATE(as<std::int64_t>{}, 0, 1, 999, 123'457);
  const auto band = GENERATE(1.0, 0.3, 0.0);
  const Graph graph{1000, nonzeros, band, nullptr};
  const auto tiles = tilesOf(graph, {130, 70, 16, 64});
  CAPTURE(nonzeros, band);
  REQUIRE(tiles.size() == 8);
  CHECK(sumOf(tiles, &Block::nonzeros) == nonzeros);
  for (const auto& blocks : tiles)
    for (const Block& block : blocks) {
      CHECK(block.nonzeros >= 0);
      CHECK(block.lines <= block.windowLines);
      CHECK((block.lines > 0) == (block.nonzeros > 0));
    }
}

TEST_CASE("a band leaves blocks outside of it empty", "[simulator]") {
  const auto tiles = tilesOf({1000, 100'000, 0.25, nullptr}, {100, 100, 16, 64});
  CHECK(tiles[0][4].nonzeros == 0);
  CHECK(tiles[9][0].nonzeros == 0);
  CHECK(tiles[0][2].nonzeros > 0);
  CHECK(tiles[5][5].nonzeros > tiles[5][7].nonzeros);
}

TEST_CASE("expected lines are what random graphs have", "[simulator]") {
  const auto rowBytes = GENERATE(4, 16, 40, 76);
  constexpr Index kVertices = 4000;
  const auto arcs = test::randomArcs(kVertices, 30'000, 5);
  const Csr matrix = buildCsr(kVertices, arcs, true);
  const TileShape shape{1000, 1300, rowBytes, 64};
  const auto counted = tilesOf({kVertices, matrix.nonzeros(), 1, &matrix}, shape);
  const auto expected = tilesOf({kVertices, matrix.nonzeros(), 1, nullptr}, shape);
  CAPTURE(rowBytes);
  // some 2,000 draws a block: lines scatter by about their square root, 3 %, the sum by 1 %
  CHECK(static_cast<double>(sumOf(expected, &Block::lines)) ==
        Approx(static_cast<double>(sumOf(counted, &Block::lines))).epsilon(0.02));
}
