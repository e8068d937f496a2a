#include <catch2/catch.hpp>
#include <cmath>

#include "simulator/accelerators/hygcn/hygcn_device.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

DeviceResult run(const Graph& graph, const std::vector<std::int64_t>& widths, Level level,
                 const Overrides& other = {}, bool masked = true) {
  const Values figures = deviceFigures("hygcn", other);
  std::vector<SlicePass> passes;
  for (const std::int64_t width : widths) passes.push_back({0, Pass::forward, width, masked});
  const AcceleratorEntry& hygcn = *find<AcceleratorEntry>("hygcn");
  REQUIRE(hygcn.refuse(figures, library(), passes).empty());
  return hygcn.simulate({figures, library(), graph, passes, level});
}

/// A device so small that small graphs fall into shards.
Overrides with(Overrides other) {
  other.insert({{"input_buffer_mb", 0.0007}, {"aggregation_buffer_mb", 0.0009}});
  return other;
}

std::int64_t stalled(const DeviceResult& result, std::size_t component, const char* cause) {
  for (const Count& stall : result.components.at(component).stalls)
    if (stall.name == cause) return stall.value;
  FAIL("no such cause");
  return 0;
}

std::vector<Problem> refused(const Overrides& other, std::int64_t width) {
  const Values figures = deviceFigures("hygcn", other);
  const SlicePass pass{0, Pass::forward, width, true};
  return find<AcceleratorEntry>("hygcn")->refuse(figures, library(), {&pass, 1});
}

}  // namespace

TEST_CASE("cycles and bytes of HyGCN are conserved, and above its bound, in every mode",
          "[simulator][hygcn]") {
  const std::string window = GENERATE("fit", "shrink", "gather");
  const std::string combination = GENERATE("off", "on");
  const std::string pipeline = GENERATE("off", "on");
  const std::string mode = GENERATE("latency-aware", "energy-aware");
  for (const Dataset& set : halo::test::hardGraphs())
    for (const char* buffering : {"double", "single"})
      for (const char* coordination : {"on", "off"})
        for (const char* mask : {"fused", "separate"}) {
          CAPTURE(set.name, window, combination, pipeline, mode, buffering, coordination, mask);
          const Overrides figures = with({{"window", window},
                                          {"combination", combination},
                                          {"pipeline", pipeline},
                                          {"mode", mode},
                                          {"buffering", std::string(buffering)},
                                          {"coordination", std::string(coordination)},
                                          {"mask", std::string(mask)}});
          const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, &set.arcs};
          const DeviceResult bound = run(graph, {4, 3}, Level::analytic, figures);
          for (const Level level : {Level::tile, Level::cycle}) {
            const DeviceResult result = run(graph, {4, 3}, level, figures);
            CHECK(bound.cycles <= result.cycles);
            CHECK(bound.dramBytes() <= result.dramBytes());
            CHECK(result.components[0].bytes == result.dramBytes());
            for (const Component& component : result.components) {
              CAPTURE(component.name);
              CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
              CHECK(component.busyCycles >= 0);
              for (const Count& stall : component.stalls) CHECK(stall.value >= 0);
            }
          }
        }
}

TEST_CASE("a shard takes what its definition says", "[simulator][hygcn]") {
  // one interval of 16 rows, windows of 8 sources: the first holds source 0 alone, the second begins at 9 and
  // ends at 10. 1 byte a cycle at the peak, and streams get 3640/3900 of it.
  const Csr matrix = buildCsr(16, std::vector<Arc>{{0, 0}, {9, 0}, {10, 1}}, true);
  const Overrides slow = {{"input_buffer_mb", 0.001024},
                          {"memory_model", std::string("efficiency")},
                          {"efficiencies", std::string("figures")},
                          {"hbm_gbps", 1.0}};
  const DeviceResult result = run({16, 3, 1, &matrix}, {16}, Level::tile, slow, false);
  const double stream = 3900.0 / 3640;
  const auto up = [](double cycles) { return static_cast<std::int64_t>(std::ceil(cycles - 1e-9)); };
  // a row of DRAM is opened and its first column read in 28 ns; 14 more where another must be shut before
  const double wait = 28, again = 14 + 28;
  const std::int64_t first = up(wait + 8 * stream) + up(again + 64 * stream);  // its edge, then its row
  const std::int64_t second = up(again + (16 + 128) * stream);                 // while the first is added
  const std::int64_t third = 1;                                                // two edges on two of 32 cores
  const std::int64_t last = up(again + 16 * 64 * stream);                      // sums leave
  CHECK(result.cycles == first + second + third + last);
  CHECK(result.streams[0].value == 3 * 8);
  CHECK(result.streams[1].value == 64 + 128);
  CHECK(result.streams[3].value == 16 * 64);
  CHECK(result.operations == 3 * 16);
  CHECK(stalled(result, 3, "edges") == up(wait + 8 * stream));
}

TEST_CASE("edges are as long as told, masks cost what they are told to", "[simulator][hygcn]") {
  const Graph graph{10'000, 1'000'000, 1, nullptr};
  const auto runWith = [&](Overrides other, bool masked = true) {
    return run(graph, {8}, Level::tile, other, masked);
  };
  const DeviceResult eight = runWith({});
  for (const std::int64_t bytes : {4, 16})
    CHECK(runWith({{"edge_bytes", bytes}}).streams[0].value == eight.streams[0].value / 8 * bytes);
  const DeviceResult apart = runWith({{"mask", std::string("separate")}});
  CHECK(eight.streams[4].value == 10'000);  // a bit an output
  CHECK(eight.streams[5].value == 0);
  CHECK(apart.streams[4].value == 10'000);
  CHECK(apart.streams[5].value == 2 * 10'000 * 8 * 4);
  CHECK(apart.cycles > eight.cycles);
  CHECK(stalled(apart, 3, "masking") > 0);
  for (const char* mask : {"fused", "separate"}) {  // inference knows no mask
    const DeviceResult none = runWith({{"mask", std::string(mask)}}, false);
    CHECK(none.streams[4].value + none.streams[5].value == 0);
  }
}

TEST_CASE("systolic arrays take rows, columns and depth for every tile", "[simulator][hygcn]") {
  for (const char* mode : {"latency-aware", "energy-aware"})
    for (const std::int64_t rows : {0, 1, 4, 5, 33, 1000})
      for (const std::int64_t in : {1, 128, 500})
        for (const std::int64_t out : {1, 128, 129}) {
          CAPTURE(mode, rows, in, out);
          const bool joint = std::string(mode) == "energy-aware";
          const hygcn::Systolic systolic(deviceFigures("hygcn", {{"mode", std::string(mode)}}));
          // the definition: tile after tile, each to the array that is free first
          std::vector<std::int64_t> through(joint ? 1 : 8, 0);
          std::int64_t reads = 0;
          const std::int64_t height = joint ? 32 : 4;
          for (std::int64_t r = 0; r < rows; r += height) {
            auto next = std::ranges::min_element(through);
            for (std::int64_t c = 0; c < out; c += 128) *next += height + 128 + in;
            reads += in * out;
          }
          CHECK(systolic.cycles(rows, in, out) == *std::ranges::max_element(through));
          CHECK(systolic.weightReads(rows, in, out) == reads);
        }
  const AcceleratorEntry& hygcn = *find<AcceleratorEntry>("hygcn");
  REQUIRE(hygcn.updatePs != nullptr);
  CHECK(hygcn.updatePs(deviceFigures("hygcn"), 32, 602, 128) == (4 + 128 + 602) * 1000);
  CHECK(hygcn.updatePs(deviceFigures("hygcn", {{"freq_mhz", 500.0}}), 32, 602, 128) ==
        (4 + 128 + 602) * 2000);
  CHECK(hygcn.updatePs(deviceFigures("hygcn"), 0, 602, 128) == 0);
}

TEST_CASE("halves change hands when both engines are through", "[simulator][hygcn]") {
  // the combination is the longer: 2 intervals of 500 rows, 8 arrays of 1 row and column each
  const Graph graph{1000, 20'000, 1, nullptr};
  const Overrides slow = {{"combination", std::string("on")}, {"combination_columns", std::int64_t{2}},
                          {"module_rows", std::int64_t{1}},   {"module_columns", std::int64_t{1}},
                          {"aggregation_buffer_mb", 0.016},   {"mode", std::string("energy-aware")}};
  const std::int64_t combining = 63 * 2 * (8 + 1 + 4);  // of one interval
  const auto runWith = [&](const char* key, const char* value) {
    Overrides other = slow;
    other[key] = std::string(value);
    return run(graph, {4}, Level::tile, other, false);
  };
  const DeviceResult energy = runWith("mode", "energy-aware"), latency = runWith("mode", "latency-aware");
  CHECK(energy.components[5].busyCycles == 2 * combining);
  CHECK(stalled(energy, 3, "combination") > 0);
  CHECK(energy.cycles > 2 * combining);
  const std::int64_t group = 2 * (1 + 1 + 4);
  CHECK(latency.cycles < energy.cycles);  // the first groups do not wait for the interval's end
  CHECK(latency.components[5].busyCycles == 2 * 63 * group);
  const DeviceResult off = runWith("pipeline", "off");
  CHECK(off.cycles > energy.cycles);
  CHECK(off.streams[5].value == 2 * 1000 * 16);  // sums leave and come back
  CHECK(energy.streams[5].value == 0);
  CHECK(energy.streams[3].value == 1000 * 2 * 4);
  CHECK(energy.streams[2].value == 4 * 2 * 4);
}

TEST_CASE("HyGCN counts picojoules by its table, or by its published power", "[simulator][hygcn]") {
  const Graph graph{10'000, 1'000'000, 1, nullptr};
  for (const char* combination : {"off", "on"}) {
    CAPTURE(combination);
    const auto runMode = [&](const char* mode) {
      return run(graph, {8}, Level::tile,
                 {{"energy_mode", std::string(mode)}, {"combination", std::string(combination)}}, false);
    };
    const DeviceResult counted = runMode("per-op"), published = runMode("chip-power");
    const double hbm = static_cast<double>(counted.dramBytes()) * 56;
    CHECK(published.chipPowerPj - hbm == Approx(6.7 * published.ns * 1e3).epsilon(1e-3));
    CHECK(published.components[3].energyPj == Approx(0.0385 * 6.7 * published.ns * 1e3));
    CHECK(published.components[5].energyPj == Approx(0.6083 * 6.7 * published.ns * 1e3));
    const EnergyTable& table = library().energies;
    const double sram = table.sramPjPerByte(1000, 12), add = 0.1 * 0.3, multiply = 3.7 * 0.3;
    CHECK(counted.components[3].energyPj == Approx(8e6 * add));
    CHECK(counted.components[1].energyPj == Approx(2 * 8e6 * sram));
    CHECK(counted.components[2].energyPj ==
          Approx((static_cast<double>(counted.streams[1].value) + 8e6 * 4) * sram));
    CHECK(counted.components[5].energyPj ==
          Approx(std::string(combination) == "on"
                     ? 10'000.0 * 8 * 128 * (add + multiply + 3 * table.operationPj("register_32bit", 12))
                     : 0));
    double sum = 0;
    for (const Component& component : counted.components) sum += component.energyPj;
    CHECK(sum == Approx(counted.perOpPj));
  }
}

TEST_CASE("what HyGCN cannot do is refused by name", "[simulator][hygcn]") {
  CHECK(refused({}, 128).empty());
  CHECK(refused({{"input_buffer_mb", 0.001}}, 128).at(0).message ==
        "holds less than one row of 128 columns in each half; more bytes, or more slices");
  CHECK(refused({{"input_buffer_mb", 0.001}}, 128).at(0).key == "input_buffer_mb");
  CHECK(refused({{"input_buffer_mb", 0.001}, {"buffering", std::string("single")}}, 128).empty());
  CHECK(refused({{"aggregation_buffer_mb", 0.001}}, 128).at(0).key == "aggregation_buffer_mb");
  CHECK(refused({{"edge_buffer_mb", 0.000015}}, 128).at(0).message ==
        "holds less than one edge in each half; more bytes");
  CHECK(refused({{"weight_buffer_mb", 0.000512}, {"output_buffer_mb", 0.000512}}, 128).empty());
  CHECK(refused({{"output_buffer_mb", 0.0005}}, 128).at(0).key == "output_buffer_mb");
  CHECK(refused({{"weight_buffer_mb", 0.0005}, {"combination", std::string("on")}}, 128).at(0).key ==
        "weight_buffer_mb");
  CHECK(refused({{"output_buffer_mb", 0.0005}, {"combination", std::string("on")}}, 128).at(0).key ==
        "output_buffer_mb");
  CHECK(refused({{"uncoordinated_map", std::string("rbcg")}}, 4).at(0).message ==
        "'rbcg' is no map of addresses; each of r b g c h once, such as \"rbcgh\"");
  CHECK(refused({{"combination_compute_percent", 50.0}}, 4).at(0).message ==
        "and the other seven shares of the chip's power make 89.48, not 100");
  CHECK(refused({{"memory", std::string("hbm9")}}, 128).at(0).message ==
        "'hbm9' is no table of dram.toml; one of ddr4-2400 ddr4-3200 hbm2");
}

TEST_CASE("HyGCN says what it cannot count", "[simulator][hygcn]") {
  DeviceSettings many = mixgcn("hygcn", "papers100m", {{"input_buffer_mb", 0.001}});
  CHECK_THROWS_WITH(simulate(many, library()), Catch::Matchers::Contains("200 million shards"));
  many.level = "analytic";
  CHECK(simulate(many, library()).seconds > 0);
  DeviceSettings huge = mixgcn("hygcn", "papers100m", {{"hbm_gbps", 1e-3}, {"freq_mhz", 1e5}});
  huge.slices = 1;
  huge.level = "analytic";
  huge.model.layers = 100;
  huge.model.hidden = 15'000;
  CHECK_THROWS_WITH(simulate(huge, library()), Catch::Matchers::Contains("more than 9e15 cycles or bytes"));
  const Csr matrix = randomDirected(100, 500, 1);
  CHECK_THROWS_WITH(run({100, 500, 1, &matrix}, {4}, Level::cycle, {{"line_bytes", std::int64_t{32}}}),
                    Catch::Matchers::Contains("a line is one or several of them"));
}

TEST_CASE("a replica on the scaled device takes what the whole does", "[simulator][hygcn]") {
  const std::string device = GENERATE("hygcn", "hygcn-mixgcn");
  const std::string window = GENERATE("fit", "shrink", "gather");
  CAPTURE(device, window);
  const auto simulateTiling = [&](const char* tiling) {
    DeviceSettings settings = mixgcn(device, "reddit", {{"window", window}});
    settings.tiling = tiling;
    settings.replicaScale = 0.05;
    return simulate(settings, library());
  };
  const Simulated expected = simulateTiling("statistics"), replica = simulateTiling("replica");
  CHECK(replica.joules / expected.joules == Approx(1).margin(0.06));
  CHECK(replica.dramBytes / expected.dramBytes == Approx(1).margin(0.05));
  CHECK(replica.seconds / expected.seconds == Approx(1).margin(0.07));
}
