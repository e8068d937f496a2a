#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

struct Case {
  Csr matrix;
  Overrides figures;
  std::int64_t width = 1;
};

/// A tile, or a few, and a device whose limit is HBM, the adders, the banks or the decoder by turns.
Case randomCase(std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 11);
  const auto draw = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<Index>(low + random.below(high - low));
  };
  Case testCase;
  const Index vertices = draw(2000, 8000);
  testCase.matrix = randomDirected(vertices, draw(60'000, 160'000), seed);
  testCase.width = std::array<std::int64_t, 4>{1, 4, 8, 19}[random.below(4)];
  const double rows = static_cast<double>(vertices * testCase.width * 4) * 1e-6;
  testCase.figures = {{"node_buffer_mb", rows * (0.8 + random.uniform() * 2)},
                      {"output_buffer_mb", rows * (0.8 + random.uniform() * 2)},
                      {"mask_skips", std::string(seed % 3 == 0 ? "adds" : "none")},
                      {"buffering", std::string(seed % 5 == 0 ? "single" : "double")},
                      {"hbm_gbps", 32.0 * static_cast<double>(draw(1, 5))}};
  if (seed % 2 == 1) testCase.figures["pinned_mb"] = rows * 0.05 * static_cast<double>(1 + seed % 3);
  if (seed % 4 == 0) testCase.figures["tree_words_per_cycle"] = std::int64_t{draw(64, 400)};
  if (seed % 4 == 1) testCase.figures["adders"] = std::int64_t{draw(64, 300)};
  if (seed % 4 == 2) testCase.figures["node_buffer_bytes_per_cycle"] = std::int64_t{draw(100, 400)};
  if (seed % 4 == 3) testCase.figures["decoder_edges_per_cycle"] = std::int64_t{draw(2, 9)};
  return testCase;
}

DeviceResult run(const Case& testCase, Level level) {
  const Graph graph{testCase.matrix.rows(), testCase.matrix.nonzeros(), 1, &testCase.matrix};
  return find<AcceleratorEntry>("spu")->simulate({deviceFigures("spu", testCase.figures),
                                                  library(),
                                                  graph,
                                                  {{0, Pass::forward, testCase.width, true}},
                                                  level});
}

}  // namespace

TEST_CASE("tiles take what is counted cycle by cycle within a tenth", "[simulator]") {
  int byMemory = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Case testCase = randomCase(seed);
    const DeviceResult tile = run(testCase, Level::tile), cycle = run(testCase, Level::cycle);
    CAPTURE(seed, testCase.width, tile.cycles, cycle.cycles);
    CHECK(static_cast<double>(tile.cycles) / static_cast<double>(cycle.cycles) == Approx(1).margin(0.1));
    CHECK(tile.dramBytes() == cycle.dramBytes());
    CHECK(tile.operations == cycle.operations);
    CHECK(run(testCase, Level::analytic).cycles <= cycle.cycles);
    byMemory += cycle.components[0].busyCycles * 10 > cycle.cycles * 9 ? 1 : 0;
  }
  CHECK(byMemory > 3);  // both kinds are among them
  CHECK(byMemory < 17);
}

TEST_CASE("the shares of level tile say in how many blocks they were counted", "[simulator]") {
  const Case testCase = randomCase(1);
  const DeviceResult tile = run(testCase, Level::tile);
  const auto factor = std::ranges::find(
      tile.factors, "reduction_efficiency_width_" + std::to_string(testCase.width), &Factor::name);
  REQUIRE(factor != tile.factors.end());
  CHECK(factor->from.find("cycle model: ") == 0);
  CHECK(factor->value > 0.5);
  CHECK(factor->value <= 1);
  Case figures = testCase;
  figures.figures["efficiencies"] = std::string("figures");
  figures.figures["reduction_efficiency"] = 0.25;
  const DeviceResult slower = run(figures, Level::tile);
  const auto slowerFactor = std::ranges::find(slower.factors, factor->name, &Factor::name);
  REQUIRE(slowerFactor != slower.factors.end());
  CHECK(slowerFactor->value == 0.25);
  CHECK(slowerFactor->from == "assumed: figures of the device");
}

TEST_CASE("cycles are conserved at level cycle too, and nothing takes none", "[simulator]") {
  const auto pinned = GENERATE(0.0, 0.0001);
  for (const Dataset& set : halo::test::hardGraphs()) {
    CAPTURE(set.name);
    const Case testCase{
        set.arcs, {{"node_buffer_mb", 0.0007}, {"pinned_mb", pinned}, {"output_buffer_mb", 0.0009}}, 4};
    const DeviceResult result = run(testCase, Level::cycle);
    CHECK((result.cycles == 0) == (set.arcs.nonzeros() == 0));
    for (const Component& component : result.components)
      CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
  }
}

TEST_CASE("level cycle says what it cannot count", "[simulator]") {
  DeviceSettings settings = mixgcn("spu", "reddit");
  settings.level = "cycle";
  CHECK_THROWS_WITH(simulate(settings, library()),
                    "simulate.level: 'cycle' counts in a graph, and there are figures only; tiling "
                    "\"replica\", or a data set with tiling \"exact\"");
  settings.tiling = "replica";
  settings.replicaScale = 0.1;
  CHECK_THROWS_AS(simulate(settings, library()), InputError);
  Case lines = randomCase(1);
  lines.figures["line_bytes"] = std::int64_t{32};
  CHECK_THROWS_WITH(run(lines, Level::cycle),
                    "device.line_bytes: level 'cycle' moves bursts of 64 bytes; a line is one or several of "
                    "them");
}
