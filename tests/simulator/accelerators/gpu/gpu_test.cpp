#include <catch2/catch.hpp>
#include <cmath>

#include "simulator/graph/row_cache.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

const AcceleratorEntry& gpu() { return *find<AcceleratorEntry>("gpu"); }

DeviceResult run(const Graph& graph, std::int64_t width, Level level, const Overrides& other = {},
                 const std::string& device = "gpu") {
  return gpu().simulate(
      {deviceFigures(device, other), library(), graph, {{0, Pass::forward, width, true}}, level});
}

double factor(const DeviceResult& result, const std::string& name) {
  const auto factor = std::ranges::find(result.factors, name, &Factor::name);
  REQUIRE(factor != result.factors.end());
  return factor->value;
}

}  // namespace

TEST_CASE("a product takes what the GPU's formula says", "[simulator]") {
  const std::int64_t n = 100'000, nonzeros = 3'000'000;
  const auto width = GENERATE(16, 100, 128);
  const auto hit = GENERATE(0.0, 0.6);
  const DeviceResult result =
      run({n, nonzeros, 1, nullptr}, width, Level::tile,
          {{"hit_rates", std::string("figures")}, {"hit_rate", hit}, {"cores", std::int64_t{1 << 20}}});
  const double sectors = std::ceil(width * 4 / 32.0);
  const double bytes = 4.0 * nonzeros + 4.0 * n * width + nonzeros * (1 - hit) * sectors * 32;
  CHECK(result.ns == Approx(bytes / (768 * 0.85) + 4000).epsilon(1e-4));
  CHECK(static_cast<double>(result.dramBytes()) == Approx(bytes).epsilon(1e-9));
  CHECK(factor(result, "l2_miss_share_width_" + std::to_string(width)) == Approx(1 - hit));
}

TEST_CASE("the L2 bounds a product only where that is asked for, the cores always", "[simulator]") {
  const Graph graph{1000, 10'000'000, 1, nullptr};  // rows lie in the L2
  for (const char* board : {"gpu", "h100", "h200", "a100", "v100", "p100", "t4"})
    CHECK_FALSE(deviceFigures(board).flag("l2_bound"));
  // four columns: column numbers are all that counts
  const DeviceResult free = run(graph, 4, Level::tile);
  CHECK(free.ns == Approx((40e6 + 4.0 * 1000 * 4 + 16e3) / (768 * 0.85) + 4000).epsilon(0.001));
  CHECK(free.components[1].busyCycles == 0);
  CHECK(free.components[1].bytes == 10'000'000 * 16);
  const DeviceResult shared = run(graph, 128, Level::tile, {{"l2_bound", true}});
  CHECK(shared.ns == Approx(10e6 * 512 / 2400 + 4000).epsilon(0.001));
  const DeviceResult fewCores = run(graph, 128, Level::tile, {{"cores", std::int64_t{64}}});
  CHECK(fewCores.ns == Approx(10e6 * 128 / (64 * 1.695) + 4000).epsilon(0.001));
  CHECK(fewCores.components[0].stalls[2].name == "cores");
  CHECK(fewCores.components[0].stalls[2].value > fewCores.components[0].busyCycles);
}

TEST_CASE("the misses of the GPU are those of its L2 over the matrix in its order", "[simulator]") {
  const Csr matrix = randomDirected(20'000, 200'000, 4);
  const Graph graph{matrix.rows(), matrix.nonzeros(), 1, &matrix};
  const DeviceResult result = run(graph, 64, Level::tile, {{"l2_mb", 1.0}});
  const std::vector<std::int64_t> end = {matrix.nonzeros()};
  const std::int64_t misses = lruMissesReference(matrix, {1, 1'000'000 / 256}, end).front();
  CHECK(result.streams[1].value == misses * 256);
  CHECK(factor(result, "l2_miss_share_width_64") ==
        Approx(static_cast<double>(misses) / static_cast<double>(matrix.nonzeros())));
  const DeviceResult sampled =
      run(graph, 64, Level::tile, {{"l2_mb", 1.0}, {"hit_rates", std::string("sampled")}});
  CHECK(static_cast<double>(sampled.cycles) == Approx(static_cast<double>(result.cycles)).epsilon(0.05));
  // arcs at random places: what figures alone say
  const DeviceResult expected =
      run({matrix.rows(), matrix.nonzeros(), 1, nullptr}, 64, Level::tile, {{"l2_mb", 1.0}});
  CHECK(static_cast<double>(expected.cycles) == Approx(static_cast<double>(result.cycles)).epsilon(0.05));
  // four rows of 2 columns share a sector
  const DeviceResult narrow = run(graph, 2, Level::tile, {{"l2_mb", 0.01}});
  CHECK(narrow.streams[1].value == lruMissesReference(matrix, {4, 312}, end).front() * 32);
}

TEST_CASE("neighbours near by are found in the L2", "[simulator]") {
  const Graph wide{1'000'000, 20'000'000, 1, nullptr}, near{1'000'000, 20'000'000, 0.001, nullptr};
  const DeviceResult all = run(wide, 128, Level::tile), banded = run(near, 128, Level::tile);
  CHECK(banded.cycles * 3 < all.cycles);
  CHECK(banded.streams[1].value >= std::int64_t{1'000'000} * 512 * 99 / 100);  // every row once
}

TEST_CASE("rows and sums that cross the host's link take its time", "[simulator]") {
  const Graph graph{1'000'000, 20'000'000, 1, nullptr};
  const DeviceResult none = run(graph, 128, Level::tile);
  const DeviceResult pinned = run(graph, 128, Level::tile, {{"transfers", std::string("pinned")}});
  const DeviceResult pageable = run(graph, 128, Level::tile, {{"transfers", std::string("pageable")}});
  CHECK(pinned.ns - none.ns == Approx(2 * (10'000 + 512e6 / 24)).epsilon(1e-4));
  CHECK(pageable.ns - none.ns == Approx(2 * (10'000 + 512e6 / 6)).epsilon(1e-4));
  CHECK(pinned.dramBytes() == none.dramBytes());
}

TEST_CASE("a dense product takes its arithmetic, its bytes, and what tiles lose", "[simulator]") {
  const Values figures = deviceFigures("gpu");
  const auto ns = [&](std::int64_t rows, std::int64_t in, std::int64_t out) {
    return static_cast<double>(gpu().updatePs(figures, rows, in, out)) * 1e-3;
  };
  CHECK(gpu().updatePs(figures, 0, 128, 128) == 0);
  // 64 · 16 whole tiles of 128 × 64: 1024 = 16 waves of 64
  CHECK(ns(8192, 1024, 1024) == Approx(4000 + 8192.0 * 1024 * 1024 / (8192 * 1.695 * 0.8)).epsilon(1e-6));
  // 105 of two tiles' 128 columns are wanted: time is that of 128
  CHECK(ns(8192, 1024, 105) == Approx(ns(8192, 1024, 128)));
  // few columns: as long as its bytes
  CHECK(ns(1'000'000, 4, 64) == Approx(4000 + 4.0 * (4e6 + 256 + 64e6) / (768 * 0.85)).epsilon(1e-6));
  CHECK(ns(1'000'001, 128, 128) >= ns(1'000'000, 128, 128));
  CHECK_THROWS_WITH(gpu().updatePs(deviceFigures("gpu", {{"cores", std::int64_t{1}}, {"freq_mhz", 1.0}}),
                                   2'000'000'000, 1'000'000, 1'000'000),
                    Catch::Matchers::Contains("device.freq_mhz"));
}

TEST_CASE("boards have the peaks of their data sheets", "[simulator]") {
  const auto [name, tflops, gbps] = GENERATE(table<std::string, double, double>({{"gpu", 27.8, 768},
                                                                                 {"h100", 66.9, 3350},
                                                                                 {"h200", 66.9, 4800},
                                                                                 {"a100", 19.5, 2039},
                                                                                 {"v100", 15.7, 900},
                                                                                 {"p100", 10.6, 732},
                                                                                 {"t4", 8.1, 320}}));
  CAPTURE(name);
  const Values figures = deviceFigures(name);
  const Roof roof = gpu().roof(figures);
  CHECK(2 * roof.operationsPerSecond * 1e-12 == Approx(tflops).margin(0.05));  // as they are rounded
  CHECK(roof.bytesPerSecond == Approx(gbps * 1e9));
  CHECK(run({100'000, 2'000'000, 1, nullptr}, 64, Level::tile, {}, name).cycles > 0);
}

TEST_CASE("a graph that the board does not hold is refused, and an L2 below one row", "[simulator]") {
  CHECK_THROWS_WITH(run({100'000'000, 3'000'000'000, 1, nullptr}, 128, Level::tile),
                    "device.memory_gb: holds 24 GB; the graph with rows and sums of 128 columns takes "
                    "114 GB; more slices, or a larger board");
  const SlicePass pass{0, Pass::forward, 128, true};
  const auto small = gpu().refuse(deviceFigures("gpu", {{"l2_mb", 0.0005}}), library(), {&pass, 1});
  REQUIRE(small.size() == 1);
  CHECK(small[0].key == "l2_mb");
  CHECK(small[0].message == "holds less than one row of 128 columns; more bytes, or more slices");
  const auto odd =
      gpu().refuse(deviceFigures("gpu", {{"sample_one_of", std::int64_t{6}}}), library(), {&pass, 1});
  REQUIRE(odd.size() == 1);
  CHECK(odd[0].message == "6 cannot be used; a power of two");
}

TEST_CASE("a share of the board takes as long for that share of the graph", "[simulator]") {
  const Graph fullGraph{400'000, 8'000'000, 1, nullptr}, quarter{100'000, 2'000'000, 1, nullptr};
  const Values figures = deviceFigures("gpu");
  const auto simulatePass = [&](const Graph& graph, const Values& on) {
    return gpu().simulate({on, library(), graph, {{0, Pass::forward, 32, true}}, Level::tile});
  };
  const DeviceResult full = simulatePass(fullGraph, figures),
                     part = simulatePass(quarter, gpu().scaled(figures, 0.25));
  CHECK(part.ns == Approx(full.ns).epsilon(0.01));
  CHECK(4.0 * static_cast<double>(part.dramBytes()) ==
        Approx(static_cast<double>(full.dramBytes())).epsilon(0.01));
  CHECK(4 * part.chipPowerPj == Approx(full.chipPowerPj).epsilon(0.01));
  CHECK(4 * part.perOpPj == Approx(full.perOpPj).epsilon(0.01));
}

TEST_CASE("energy of the board is its power times time, or its counts", "[simulator]") {
  const Graph graph{100'000, 2'000'000, 1, nullptr};
  const DeviceResult power = run(graph, 64, Level::tile);
  const DeviceResult counts = run(graph, 64, Level::tile, {{"energy_mode", std::string("per-op")}});
  const auto sum = [](const DeviceResult& result) {
    double all = 0;
    for (const Component& component : result.components) all += component.energyPj;
    return all;
  };
  CHECK(sum(power) == Approx(power.chipPowerPj));
  CHECK(power.chipPowerPj == Approx(230 * power.ns * 1e3));
  CHECK(sum(counts) == Approx(counts.perOpPj));
  const double sram = factor(counts, "sram_pj_per_byte"), add = factor(counts, "fp32_add_pj");
  CHECK(counts.perOpPj == Approx(static_cast<double>(counts.dramBytes()) * 56 +
                                 static_cast<double>(2'000'000 * 256 + counts.streams[1].value) * sram +
                                 2'000'000.0 * 64 * add));
}
