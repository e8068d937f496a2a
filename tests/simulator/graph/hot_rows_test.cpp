#include "simulator/graph/hot_rows.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "datasets/graph/power_law.h"
#include "simulator/graph/tiling.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

std::vector<Block> allBlocks(const Graph& graph, const TileShape& shape) {
  std::vector<Block> all;
  forEachTile(graph, shape,
              [&](const Tile& tile) { all.insert(all.end(), tile.blocks.begin(), tile.blocks.end()); });
  return all;
}

/// Rows of 16 columns, each a line of DRAM; a node buffer of so many of them beside the pinned ones.
DeviceResult run(const Graph& graph, std::int64_t windowRows, std::int64_t pinned, Level level = Level::tile,
                 std::int64_t tileRows = 1'000'000) {
  const auto megabytes = [](std::int64_t rows) { return static_cast<double>(rows * 64) * 1e-6; };
  const Values figures = deviceFigures("spu", {{"node_buffer_mb", megabytes(windowRows + pinned)},
                                               {"pinned_mb", megabytes(pinned)},
                                               {"output_buffer_mb", megabytes(tileRows)},
                                               {"buffering", std::string("single")}});
  return find<AcceleratorEntry>("spu")->simulate(
      {figures, library(), graph, {{0, Pass::forward, 16, false}}, level});
}

std::int64_t streamOf(const DeviceResult& result, const std::string& name) {
  const auto stream = std::ranges::find(result.streams, name, &Count::name);
  REQUIRE(stream != result.streams.end());
  return stream->value;
}

}  // namespace

TEST_CASE("the hottest rows are those with the most nonzeros", "[simulator]") {
  // columns: 3 three times, 1 twice, 0 and 4 once, 2 never
  const Csr matrix =
      buildCsr(5, std::vector<Arc>{{3, 0}, {3, 1}, {3, 2}, {1, 0}, {1, 4}, {0, 3}, {4, 3}}, true);
  const Graph graph{5, 7, 1, &matrix};
  const auto hot = [&](std::int64_t most) { return hotRows(graph, most); };
  CHECK(hot(0).rows == 0);
  CHECK(hot(2).isHot == std::vector<bool>{false, true, false, true, false});
  CHECK(hot(2).nonzeroShare == Approx(5.0 / 7));
  CHECK(hot(3).isHot[0]);  // of equals the lower number
  CHECK(hot(99).rows == 4);
  CHECK_FALSE(hot(99).isHot[2]);
  CHECK(hotRows({0, 0, 1, nullptr}, 3).rows == 0);
}

TEST_CASE("degrees of a power law say what its hottest rows have", "[simulator]") {
  const auto exponent = GENERATE(1.6, 2.0, 2.3, 3.5);
  constexpr std::int64_t kVertices = 200'000, kRows = 2000;
  const Graph graph{kVertices, 20 * kVertices, 1, nullptr, exponent, 5000};
  const PowerLaw law(20, 5000, exponent);
  double hottest = 0, all = 0;  // vertex by vertex
  for (std::int64_t i = 0; i < kVertices; ++i) {
    const double degree = law.quantile(1 - (static_cast<double>(i) + 0.5) / kVertices);
    all += degree;
    if (i < kRows) hottest += degree;
  }
  CAPTURE(exponent);
  CHECK(hotRows(graph, kRows).nonzeroShare == Approx(hottest / all).epsilon(0.01));
  CHECK(hotRows(graph, kVertices).nonzeroShare == Approx(1));
  CHECK(hotRows({kVertices, 20 * kVertices, 1, nullptr}, kRows).nonzeroShare == Approx(0.01));
}

TEST_CASE("counted blocks spare the lines of pinned rows as their definition does", "[simulator]") {
  const auto rowBytes = GENERATE(4, 16, 40, 64, 200);
  const auto pinned = GENERATE(1, 5, 1000);
  for (const Dataset& set : test::hardGraphs()) {
    CAPTURE(set.name, rowBytes, pinned);
    const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, &set.arcs};
    const HotRows hot = hotRows(graph, pinned);
    const TileShape shape{7, 16, rowBytes, 64, &hot};
    const auto fast = allBlocks(graph, shape);
    std::size_t at = 0;
    for (const auto& tile : tilesReference(set.arcs, shape))
      for (const Block& block : tile) {
        CHECK(fast.at(at).nonzeros == block.nonzeros);
        CHECK(fast.at(at++).lines == block.lines);
      }
    if (pinned == 1000)
      for (const Block& block : fast) CHECK(block.lines == 0);
  }
}

TEST_CASE("rows expected beside pinned ones follow the closed form", "[simulator]") {
  // one tile, one window: n_l (1 − (p + (1 − p) e^−λ)^m), m rows a line
  constexpr std::int64_t kVertices = 100'000, kArcs = 150'000, kPinned = 30'000;
  const Graph graph{kVertices, kArcs, 1, nullptr};
  const HotRows hot = hotRows(graph, kPinned);
  for (const std::int64_t rowBytes : {64, 16, 256}) {
    const TileShape shape{kVertices, kVertices, rowBytes, 64, &hot};
    const double p = 0.3, lambda = 1.5;
    const double rows = std::max(1.0, 64.0 / static_cast<double>(rowBytes)),
                 lines = static_cast<double>(kVertices * rowBytes) / 64;
    CAPTURE(rowBytes);
    CHECK(static_cast<double>(allBlocks(graph, shape).at(0).lines) ==
          Approx(lines * (1 - std::pow(p + (1 - p) * std::exp(-lambda), rows))).margin(1));
    CHECK(static_cast<double>(pinnedLines(graph, shape).lines) ==
          Approx(lines * (1 - std::pow(1 - p, rows))).margin(1));
  }
}

TEST_CASE("the closed form is what random graphs have", "[simulator]") {
  const auto rowBytes = GENERATE(4, 16, 40, 64, 200);
  constexpr Index kVertices = 4000;
  const Csr matrix = buildCsr(kVertices, test::randomArcs(kVertices, 30'000, 5), true);
  const Graph graph{kVertices, matrix.nonzeros(), 1, &matrix};
  HotRows hot{0, 0, std::vector<bool>(kVertices)};  // every fifth, whatever it has: random arcs have no hubs
  std::int64_t nonzeros = 0;
  for (Index r = 0; r < matrix.rows(); ++r)
    for (const Vertex v : matrix.row(r)) nonzeros += (v * 7) % 5 == 0 ? 1 : 0;
  for (std::size_t v = 0; v < hot.isHot.size(); ++v) {
    hot.isHot[v] = (v * 7) % 5 == 0;
    hot.rows += hot.isHot[v] ? 1 : 0;
  }
  hot.nonzeroShare = static_cast<double>(nonzeros) / static_cast<double>(matrix.nonzeros());
  const TileShape shape{1000, 1300, rowBytes, 64, &hot};
  const auto linesOf = [&](const Graph& inputGraph) {
    double sum = 0;
    for (const Block& block : allBlocks(inputGraph, shape)) sum += static_cast<double>(block.lines);
    return sum;
  };
  CAPTURE(rowBytes);
  CHECK(linesOf({kVertices, matrix.nonzeros(), 1, nullptr}) == Approx(linesOf(graph)).epsilon(0.03));
}

TEST_CASE("a pinned row comes once a pass, others once a block", "[simulator]") {
  // 64 destinations in 4 tiles, 64 sources in 4 windows; every destination has the hub 5 and one other
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 64; ++v) {
    arcs.push_back({5, v});
    arcs.push_back({static_cast<Vertex>(16 + v / 16 * 3 + v % 3), v});
  }
  const Csr matrix = buildCsr(64, arcs, true);
  const Graph graph{64, matrix.nonzeros(), 1, &matrix};
  const DeviceResult none = run(graph, 16, 0, Level::tile, 16), hub = run(graph, 16, 1, Level::tile, 16);
  CHECK(streamOf(none, "rows of sources") == 64 * (4 * 1 + 4 * 3));
  CHECK(streamOf(none, "pinned rows") == 0);
  CHECK(streamOf(hub, "rows of sources") == 64 * (4 * 3));
  CHECK(streamOf(hub, "pinned rows") == 64);
  for (const char* stream : {"column numbers", "sums"})
    CHECK(streamOf(none, stream) == streamOf(hub, stream));
  CHECK(none.operations == hub.operations);
}

TEST_CASE("hubs that stay spare bytes, and random rows none to speak of", "[simulator]") {
  // a buffer of a tenth of the rows, a half of it pinned: windows are half as large
  constexpr std::int64_t kVertices = 100'000, kHeld = 10'000;
  const auto rowsMoved = [&](double exponent, std::int64_t pinned) {
    const Graph graph{kVertices, 30 * kVertices, 1, nullptr, exponent, 20'000};
    const DeviceResult result = run(graph, kHeld - pinned, pinned, Level::tile, 1000);
    return streamOf(result, "rows of sources") + streamOf(result, "pinned rows");
  };
  CHECK(static_cast<double>(rowsMoved(2.0, kHeld / 2)) < 0.75 * static_cast<double>(rowsMoved(2.0, 0)));
  CHECK(static_cast<double>(rowsMoved(0, kHeld / 2)) > 0.95 * static_cast<double>(rowsMoved(0, 0)));
}

TEST_CASE("with pinned rows too the bound is below the tiles, and cycles and bytes are conserved",
          "[simulator]") {
  const auto exponent = GENERATE(0.0, 2.0);
  for (const Dataset& set : test::hardGraphs())
    for (const bool counted : {true, false})
      for (const std::int64_t pinned : {1, 9, 500}) {
        CAPTURE(set.name, counted, pinned, exponent);
        Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr, exponent, 50};
        const DeviceResult bound = run(graph, 20, pinned, Level::analytic, 20),
                           tiles = run(graph, 20, pinned, Level::tile, 20);
        CHECK(bound.cycles <= tiles.cycles);
        CHECK(bound.dramBytes() <= tiles.dramBytes());
        CHECK(tiles.components.at(0).bytes == tiles.dramBytes());
        for (const Component& component : tiles.components)
          CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == tiles.cycles);
      }
}

TEST_CASE("pinned rows that leave no room are refused by their name", "[simulator]") {
  const Values figures = deviceFigures("spu", {{"pinned_mb", 32.0}});
  const SlicePass pass{0, Pass::forward, 128, true};
  const auto problems = find<AcceleratorEntry>("spu")->refuse(figures, library(), {&pass, 1});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "pinned_mb");
  CHECK(
      problems[0].message ==
      "leaves of node_buffer_mb less than one row of 128 columns in each half; fewer bytes, or more slices");
}
