#include "simulator/accelerators/hygcn/hygcn_cycles.h"

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

/// A few shards, and a device whose limit is HBM, the cores or the banks by turns.
Case randomCase(std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 12);
  const auto draw = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<Index>(low + random.below(high - low));
  };
  Case testCase;
  const Index vertices = draw(2000, 8000);
  testCase.matrix = randomDirected(vertices, draw(60'000, 160'000), seed);
  testCase.width = std::array<std::int64_t, 4>{1, 4, 8, 19}[random.below(4)];
  const double rows = static_cast<double>(vertices * testCase.width * 4) * 1e-6;
  testCase.figures = {{"input_buffer_mb", rows * (0.5 + random.uniform() * 2)},
                      {"aggregation_buffer_mb", rows * (0.8 + random.uniform() * 2)},
                      {"window", std::string(std::array{"shrink", "gather", "fit"}[seed % 3])},
                      {"buffering", std::string(seed % 5 == 0 ? "single" : "double")},
                      {"mask", std::string(seed % 7 == 0 ? "separate" : "fused")},
                      {"hbm_gbps", 32.0 * static_cast<double>(draw(2, 9))},
                      {"simd_cores", std::int64_t{64}},
                      {"input_buffer_bytes_per_cycle", std::int64_t{4096}}};
  if (seed % 4 == 1) testCase.figures["simd_cores"] = std::int64_t{draw(4, 9)};
  if (seed % 4 == 2) testCase.figures["input_buffer_bytes_per_cycle"] = std::int64_t{draw(100, 400)};
  return testCase;
}

DeviceResult run(const Case& testCase, Level level) {
  const Graph graph{testCase.matrix.rows(), testCase.matrix.nonzeros(), 1, &testCase.matrix};
  return find<AcceleratorEntry>("hygcn")->simulate({deviceFigures("hygcn", testCase.figures),
                                                    library(),
                                                    graph,
                                                    {{0, Pass::forward, testCase.width, true}},
                                                    level});
}

}  // namespace

TEST_CASE("shards take what is counted cycle by cycle within a tenth", "[simulator][hygcn]") {
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

TEST_CASE("without coordination, too, shards take what is counted cycle by cycle", "[simulator][hygcn]") {
  // With the map that ships. Where streams can find each other's rows of DRAM open, one share for a whole
  // pass is wrong for shards in which fewer streams meet (resources/manual/limits/simulating.md).
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Case testCase = randomCase(seed);
    testCase.figures["coordination"] = std::string("off");
    const DeviceResult tile = run(testCase, Level::tile), cycle = run(testCase, Level::cycle);
    CAPTURE(seed, testCase.width, tile.cycles, cycle.cycles);
    CHECK(static_cast<double>(tile.cycles) / static_cast<double>(cycle.cycles) == Approx(1).margin(0.1));
  }
}

TEST_CASE("an edge takes whole cores, cycle by cycle", "[simulator][hygcn]") {
  const Library& all = library();
  for (const std::int64_t cores : {1, 3, 32})
    for (const std::int64_t width : {1, 16, 17, 100})
      for (const std::int64_t edges : {0, 1, 7, 1000}) {
        CAPTURE(cores, width, edges);
        const hygcn::HyGcn device(deviceFigures("hygcn", {{"simd_cores", cores}}), all);
        // the definition: each cycle has so many cores; parts of an edge take the next ones that are free
        std::int64_t cycles = 0, free = 0;
        for (std::int64_t e = 0; e < edges; ++e)
          for (std::int64_t column = 0; column < width; column += 16) {
            if (free == 0) {
              ++cycles;
              free = cores;
            }
            --free;
          }
        CHECK(hygcn::coreCycles(device, width, edges) == cycles);
        // each edge's features spread on all lanes: edges · width ÷ lanes where cores are full
        if (width % 16 == 0) CHECK(cycles == (edges * width + cores * 16 - 1) / (cores * 16));
      }
}

TEST_CASE("the factors of level tile say where they were counted", "[simulator][hygcn]") {
  Case testCase = randomCase(1);
  testCase.figures["coordination"] = std::string("off");
  const auto factorOf = [](const DeviceResult& result, const std::string& name) {
    const auto factor = std::ranges::find(result.factors, name, &Factor::name);
    REQUIRE(factor != result.factors.end());
    return *factor;
  };
  const std::string suffix = "_width_" + std::to_string(testCase.width);
  const DeviceResult counted = run(testCase, Level::tile);
  CHECK(factorOf(counted, "bank_efficiency" + suffix).from.find("cycle model: ") == 0);
  CHECK(factorOf(counted, "uncoordinated_share" + suffix).from ==
        "cycle model: streams side by side, addresses crbgh");
  testCase.figures["efficiencies"] = std::string("figures");
  testCase.figures["uncoordinated_share"] = 0.5;
  const DeviceResult fromFigures = run(testCase, Level::tile);
  CHECK(factorOf(fromFigures, "uncoordinated_share" + suffix).value == 0.5);
  CHECK(factorOf(fromFigures, "uncoordinated_share" + suffix).from == "assumed: figures of the device");
}
