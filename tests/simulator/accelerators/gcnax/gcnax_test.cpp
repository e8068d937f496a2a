#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "simulator/graph/loop_tiling.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

DeviceResult run(const Graph& graph, const std::vector<std::int64_t>& widths, Level level,
                 const Overrides& other = {}) {
  const Values figures = deviceFigures("gcnax", other);
  std::vector<SlicePass> passes;
  for (const std::int64_t width : widths) passes.push_back({0, Pass::forward, width, true});
  const AcceleratorEntry& gcnax = *find<AcceleratorEntry>("gcnax");
  REQUIRE(gcnax.refuse(figures, library(), passes).empty());
  return gcnax.simulate({figures, library(), graph, passes, level});
}

Overrides buffers(double sparse, double dense, double output) {
  return {{"sparse_buffer_mb", sparse * 1e-6},
          {"dense_buffer_mb", dense * 1e-6},
          {"output_buffer_mb", output * 1e-6}};
}

}  // namespace

TEST_CASE("GCNAX's streams add up, and busy, stalled and idle to the time", "[simulator]") {
  const auto level = GENERATE(Level::analytic, Level::tile);
  const auto room = GENERATE(150.0, 1000.0, 1e6);
  for (const Dataset& set : halo::test::hardGraphs())
    for (const bool counted : {true, false}) {
      CAPTURE(set.name, text(level), room, counted);
      const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
      const DeviceResult result = run(graph, {4, 3, 4}, level, buffers(room, room, room));
      std::int64_t streamed = 0;
      for (const Count& stream : result.streams) streamed += stream.value;
      CHECK(result.components[0].bytes == streamed);
      CHECK((result.cycles == 0) == (set.arcs.nonzeros() == 0));
      CHECK(result.operations == set.arcs.nonzeros() * 11);
      std::vector<std::int64_t> inSpans(result.components.size(), 0);
      for (const EngineSpan& span : result.spans) inSpans[span.engine] += span.cycles;
      for (std::size_t c = 0; c < result.components.size(); ++c) {
        const Component& component = result.components[c];
        CAPTURE(component.name);
        CHECK(component.idleCycles >= 0);
        for (const Count& stall : component.stalls) CHECK(stall.value >= 0);
        CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
        CHECK(inSpans[c] == component.busyCycles + component.stallCycles());
      }
    }
}

TEST_CASE("GCNAX's bound is never above what tiles take", "[simulator]") {
  for (const Dataset& set : halo::test::hardGraphs())
    for (const bool counted : {true, false})
      for (const double room : {120.0, 700.0, 1e5})
        for (const std::int64_t width : {1, 4, 19}) {
          CAPTURE(set.name, counted, width, room);
          const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
          const DeviceResult bound = run(graph, {width}, Level::analytic, buffers(room, room, room));
          const DeviceResult tiles = run(graph, {width}, Level::tile, buffers(room, room, room));
          CHECK(bound.cycles <= tiles.cycles);
          CHECK(bound.dramBytes() <= tiles.dramBytes());
          CHECK(bound.operations == tiles.operations);
        }
}

TEST_CASE("what GCNAX's tiles move is what the search promised", "[simulator]") {
  const auto room = GENERATE(4000.0, 20'000.0);
  const Csr matrix = randomDirected(500, 3000, 7);
  const Graph counted{500, matrix.nonzeros(), 1, &matrix}, expected{500, matrix.nonzeros(), 1, nullptr};
  const Product product{500, 500, 16, matrix.nonzeros()};
  // room for far more than the mean tile of the matrix, so that none overflows
  const auto tiling = searchTiling(product, {}, {1e6, room / 2, room / 2});
  REQUIRE(tiling.has_value());
  const ProductBytes bytes = trafficOf(product, *tiling, {});
  for (const Graph& graph : {counted, expected}) {
    const DeviceResult result = run(graph, {16}, Level::tile, buffers(2e6, room, room));
    CHECK(result.streams[0].value == bytes.nonzeros);
    CHECK(result.streams[1].value == bytes.pointers);
    CHECK(result.streams[2].value == bytes.dense);
    CHECK(result.streams[3].value == bytes.sumsRead);
    CHECK(result.streams[4].value == bytes.sumsWritten);
  }
}

TEST_CASE("a tile that everything fits in takes what its definition says", "[simulator]") {
  // two columns of A have nonzeros, 3 and 1; 20 columns of H on 16 multipliers: 4 · 20 / 16 = 5 cycles, and
  // at least 2 for each column of A
  const Csr matrix = buildCsr(4, std::vector<Arc>{{0, 0}, {0, 1}, {0, 3}, {2, 1}}, true);
  const DeviceResult result = run({4, 4, 1, &matrix}, {20}, Level::tile,
                                  {{"memory_model", std::string("efficiency")}, {"dram_gbps", 1.0}});
  const auto up = [](double cycles) { return static_cast<std::int64_t>(std::ceil(cycles - 1e-6)); };
  const double byte = 3900.0 / 3640;
  CHECK(result.cycles == up(byte * (32 + 16 + 320)) + 30 + up(byte * 320));
  CHECK(result.components[1].busyCycles == 5);
  CHECK(result.operations == 80);
}

TEST_CASE("GCNAX says what it cannot do", "[simulator]") {
  const auto refused = [](const Overrides& other) {
    const SlicePass pass{0, Pass::forward, 4, true};
    return find<AcceleratorEntry>("gcnax")->refuse(deviceFigures("gcnax", other), library(), {&pass, 1});
  };
  CHECK(refused({}).empty());
  CHECK(refused({{"dense_buffer_mb", 7e-6}}).at(0).message ==
        "holds less than one element in each half; more bytes");
  CHECK(refused(buffers(23, 7, 7)).size() == 3);
  CHECK(refused(buffers(24, 8, 8)).empty());
  CHECK(refused({{"memory", std::string("hbm9")}}).at(0).key == "memory");
  CHECK_THROWS_WITH(
      run({100'000'000, 1'000'000'000, 1, nullptr}, {4}, Level::tile, buffers(1000, 1000, 1000)),
      Catch::Matchers::Contains("more than 20 million tiles"));
}

TEST_CASE("GCNAX's energy is its counts, or its power", "[simulator]") {
  const Graph graph{10'000, 1'000'000, 1, nullptr};
  const DeviceResult counted = run(graph, {8}, Level::tile);
  const DeviceResult power = run(graph, {8}, Level::tile, {{"energy_mode", std::string("chip-power")}});
  for (const DeviceResult* result : {&counted, &power}) {
    double sum = 0;
    for (const Component& component : result->components) sum += component.energyPj;
    CHECK(sum == Approx(result == &counted ? counted.perOpPj : power.chipPowerPj));
  }
  const EnergyTable& table = library().energies;
  const double sram = table.sramPjPerByte(32, 40);
  const auto stream = [&](std::size_t s) { return static_cast<double>(counted.streams[s].value); };
  CHECK(counted.components[0].energyPj == Approx(56.0 * static_cast<double>(counted.dramBytes())));
  CHECK(counted.components[1].energyPj ==
        Approx(8e6 * (table.operationPj("fp32_multiply", 40) + table.operationPj("fp32_add", 40)) +
               2 * (stream(0) + stream(1)) * sram));
  CHECK(counted.components[2].energyPj == Approx((stream(2) + 4 * 8e6) * sram));
  CHECK(counted.components[3].energyPj == Approx((stream(3) + stream(4) + 8 * 8e6) * sram));
}

TEST_CASE("GCNAX moves of AWB-GCN's bytes what the manual says", "[simulator]") {
  // the graphs of both papers, dense product first, buffers of equal size in sum
  struct Case {
    const char* name;
    GraphFigures figures;
    double ratio, fewest;  // with columns_at_once = fit, fewest-bytes
  };
  const Case cases[] = {{"cora", {2708, 10'556, 16, 7, 0, 0, ""}, 0.88, 0.88},
                        {"citeseer", {3327, 9104, 16, 6, 0, 0, ""}, 0.90, 0.90},
                        {"pubmed", {19'717, 88'648, 16, 3, 0, 0, ""}, 0.82, 0.73},
                        {"nell", {65'755, 251'550, 64, 186, 0, 0, ""}, 0.86, 0.61},
                        {"reddit", {232'965, 114'615'892, 64, 41, 0, 0, ""}, 5.48, 0.66}};
  Library all = library();
  double product = 1;
  for (const Case& testCase : cases) {
    CAPTURE(testCase.name);
    all.graphs[testCase.name] = testCase.figures;
    const auto bytes = [&](const char* device, const Overrides& other) {
      DeviceSettings settings = mixgcn(device, testCase.name, other);
      settings.slices = 1;
      settings.workload = "inference";
      settings.model.layers = 2;
      settings.model.hidden = testCase.figures.classes;
      return simulate(settings, all).dramBytes;
    };
    const double gcnax = bytes("gcnax", {});
    const double fit = bytes("awb-gcn", {{"column_buffer_mb", 0.576}}) / gcnax;
    CHECK(fit == Approx(testCase.ratio).margin(0.006));
    CHECK(bytes("awb-gcn", {{"column_buffer_mb", 0.576}, {"columns_at_once", std::string("fewest-bytes")}}) /
              gcnax ==
          Approx(testCase.fewest).margin(0.006));
    product *= fit;
  }
  CHECK(std::pow(product, 0.2) == Approx(1.25).margin(0.006));  // published 2.4, with fusion
}
