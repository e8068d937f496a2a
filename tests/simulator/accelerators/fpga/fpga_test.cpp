#include <array>
#include <catch2/catch.hpp>
#include <deque>

#include "engine/base/index.h"
#include "simulator/accelerators/fpga/fpga_groups.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;
using fpga::TileEdge;

namespace {

using Overrides = std::map<std::string, Value>;

const AcceleratorEntry& entry() { return *find<AcceleratorEntry>("fpga"); }

fpga::Fpga kernel(const Overrides& other = {}) { return {deviceFigures("fpga", other), library()}; }

DeviceResult run(const Graph& graph, std::int64_t width, Level level, const Overrides& other = {}) {
  return entry().simulate(
      {deviceFigures("fpga", other), library(), graph, {{0, Pass::forward, width, true}}, level});
}

std::vector<Problem> refused(const Overrides& other, std::int64_t width = 128) {
  const SlicePass pass{0, Pass::forward, width, true};
  return entry().refuse(deviceFigures("fpga", other), library(), {&pass, 1});
}

/// What 16 edges take on 8 elements: two groups, the second behind the first.
struct Two {
  fpga::FeedCycles fed[2];
  fpga::GatherCycles gathered[2];
};
Two two(const fpga::Fpga& device, std::int64_t width, const std::vector<TileEdge>& edges) {
  REQUIRE(edges.size() == 16);
  fpga::Groups groups(device, device.beats(width), 64);
  Two all;
  std::int64_t now = 0;
  for (std::size_t g = 0; g < 2; ++g) {
    const std::span<const TileEdge> group(edges.data() + 8 * g, 8);
    all.fed[g] = groups.feed(group);
    all.gathered[g] = groups.gather(now, group);
    now += all.gathered[g].adding + all.gathered[g].hazard;
  }
  return all;
}

std::vector<TileEdge> edges(const std::array<int, 16>& sources, const std::array<int, 16>& rows) {
  std::vector<TileEdge> all;
  for (std::size_t i = 0; i < 16; ++i) all.push_back({sources[i], rows[i]});
  return all;
}

constexpr std::array<int, 16> kInTurn = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::array<int, 16> kThree = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};

/// The definition: every cycle, every element that is free looks at the head of its queue.
std::int64_t tickedEnd(std::int64_t now, std::int64_t n, std::int64_t beats, std::int64_t adder,
                       std::span<const TileEdge> group, std::map<std::int64_t, std::int64_t>& addedAt) {
  std::vector<std::deque<std::int64_t>> queues(at(n));
  std::vector<std::int64_t> busyUntil(at(n), now);
  for (const TileEdge& edge : group) queues[at(edge.row % n)].push_back(edge.row);
  std::int64_t left = std::ssize(group), end = now;
  for (std::int64_t cycle = now; left > 0; ++cycle)
    for (std::size_t k = 0; k < queues.size(); ++k) {
      if (queues[k].empty() || busyUntil[k] > cycle) continue;
      const std::int64_t row = queues[k].front();
      if (const auto last = addedAt.find(row); last != addedAt.end() && cycle < last->second + adder)
        continue;
      addedAt[row] = cycle;
      busyUntil[k] = cycle + beats;
      end = std::max(end, cycle + beats);
      queues[k].pop_front();
      --left;
    }
  return end;
}

}  // namespace

TEST_CASE("sixteen edges to sixteen rows pass without waiting", "[simulator]") {
  const Two all = two(kernel(), 16, edges(kInTurn, kInTurn));
  for (std::size_t g = 0; g < 2; ++g) {
    CHECK(all.fed[g].fresh == 8);
    CHECK(all.fed[g].dispatch == 2);  // 8 edges every 2 cycles
    CHECK(all.fed[g].read == 2);      // 8 beats through 4 ports
    CHECK(all.fed[g].scatter == 1);
    CHECK(all.gathered[g].adding == 1);
    CHECK(all.gathered[g].hazard == 0);
  }
  const Two wide = two(kernel({{"read_ports", std::int64_t{1}}}), 100, edges(kInTurn, kInTurn));
  CHECK(wide.fed[0].read == 56);  // ⌈100/16⌉ · 8
  CHECK(wide.fed[0].scatter == 7);
  CHECK(wide.gathered[0].adding == 7);
}

TEST_CASE("a source is read at its first edge, in whichever group", "[simulator]") {
  const Two all = two(kernel(), 128, edges({5, 5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 11, 11, 11, 11, 12}, kInTurn));
  CHECK(all.fed[0].fresh == 2);
  CHECK(all.fed[0].read == 4);  // 2 · 8 beats through 4 ports
  CHECK(all.fed[1].fresh == 2);
}

TEST_CASE("edges for one element wait for each other", "[simulator]") {
  const Two all = two(kernel(), 32, edges(kInTurn, {0, 8, 16, 24, 1, 2, 3, 4, 5, 13, 6, 14, 7, 15, 8, 0}));
  CHECK(all.gathered[0].adding == 4 * 2);  // rows 0, 8, 16, 24 at element 0, two beats each
  CHECK(all.gathered[1].adding == 2 * 2);  // 5 and 13, 6 and 14, 7 and 15, 8 and 0
  CHECK(all.gathered[0].hazard == 0);
  CHECK(all.gathered[1].hazard == 2);  // row 8 was added to at cycle 2, and comes out at 10; now it is 8
}

TEST_CASE("a sum that is in the adder is waited for, unless its beats hide that", "[simulator]") {
  const Two narrow = two(kernel(), 16, edges(kInTurn, kThree));
  CHECK(narrow.gathered[0].adding == 8);
  CHECK(narrow.gathered[0].hazard == 49);  // begins at 0, 8, … 56; ends at 57
  CHECK(narrow.gathered[1].adding == 8);
  CHECK(narrow.gathered[1].hazard == 56);                         // begins at 64 = 56 + 8, not 57
  const Two hidden = two(kernel(), 128, edges(kInTurn, kThree));  // 8 beats, 8 cycles of the adder
  CHECK(hidden.gathered[0].adding == 64);
  CHECK(hidden.gathered[0].hazard == 0);
  CHECK(hidden.gathered[1].hazard == 0);
  const Two seven = two(kernel(), 112, edges(kInTurn, kThree));  // one beat short
  CHECK(seven.gathered[0].hazard == 7);
}

TEST_CASE("groups take what every cycle of their elements says", "[simulator]") {
  PhiloxStream random(5, Purpose::shuffle, 3);
  for (int trial = 0; trial < 60; ++trial) {
    const auto n = std::int64_t{1} << random.below(5);
    const auto rows = static_cast<std::int64_t>(1 + random.below(40));
    const auto adder = static_cast<std::int64_t>(random.below(12));
    const auto width = static_cast<std::int64_t>(1 + random.below(100));
    CAPTURE(trial, n, rows, adder, width);
    const fpga::Fpga device = kernel({{"elements", n}, {"adder_cycles", adder}});
    fpga::Groups groups(device, device.beats(width), rows);
    std::map<std::int64_t, std::int64_t> addedAt;
    std::int64_t now = 0;
    for (int g = 0; g < 20; ++g) {
      std::vector<TileEdge> group;
      for (std::int64_t i = 0; i < n; ++i)
        group.push_back({g, static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows)))});
      const fpga::GatherCycles cycles = groups.gather(now, group);
      const std::int64_t end = tickedEnd(now, n, device.beats(width), adder, group, addedAt);
      CHECK(now + cycles.adding + cycles.hazard == end);
      now = end + static_cast<std::int64_t>(random.below(5));
    }
  }
}

TEST_CASE("edges at the busiest of n random elements, in the mean", "[simulator]") {
  CHECK(fpga::expectedRounds(1) == Approx(1));
  CHECK(fpga::expectedRounds(2) == Approx(1.5));
  const auto n = GENERATE(4, 8, 16, 64);
  PhiloxStream random(6, Purpose::shuffle, 9);
  double sum = 0;
  constexpr int kTrials = 20'000;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<int> load(at(n), 0);
    for (int i = 0; i < n; ++i) ++load[random.below(static_cast<std::uint64_t>(n))];
    sum += std::ranges::max(load);
  }
  CHECK(fpga::expectedRounds(n) == Approx(sum / kTrials).epsilon(0.01));
}

namespace {

struct Case {
  Csr matrix;
  Overrides figures;
  std::int64_t width = 1;
};

/// A few tiles, and a kernel whose limit is DDR, the elements, the ports or the dispatcher by turns.
Case randomCase(std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 12);
  const auto draw = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<Index>(low + random.below(high - low));
  };
  Case testCase;
  testCase.matrix = randomDirected(draw(3000, 20'000), draw(60'000, 160'000), seed);
  testCase.width = std::array<std::int64_t, 5>{8, 16, 64, 100, 128}[random.below(5)];
  testCase.figures = {{"destination_rows", std::int64_t{draw(1500, 12'000)}},
                      {"ddr_gbps", 19.2 * static_cast<double>(draw(1, 5))},
                      {"direct_update", seed % 3 != 0},
                      {"elements", std::int64_t{1} << draw(1, 4)}};
  if (seed % 4 == 0) testCase.figures["ddr_gbps"] = 19.2;
  if (seed % 4 == 0) testCase.figures["elements"] = std::int64_t{8};
  if (seed % 4 == 1) testCase.figures["read_ports"] = std::int64_t{1};
  if (seed % 4 == 2) testCase.figures["dispatched_edges_per_cycle"] = 0.25;
  if (seed % 4 == 3) testCase.figures["ddr_gbps"] = 153.6;
  return testCase;
}

}  // namespace

TEST_CASE("the FPGA's tiles take what is counted group by group within a tenth", "[simulator]") {
  std::map<std::string, int> limits;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Case testCase = randomCase(seed);
    const Graph graph{testCase.matrix.rows(), testCase.matrix.nonzeros(), 1, &testCase.matrix};
    const DeviceResult tile = run(graph, testCase.width, Level::tile, testCase.figures);
    const DeviceResult cycle = run(graph, testCase.width, Level::cycle, testCase.figures);
    CAPTURE(seed, testCase.width, tile.cycles, cycle.cycles);
    CHECK(static_cast<double>(tile.cycles) / static_cast<double>(cycle.cycles) == Approx(1).margin(0.1));
    CHECK(tile.dramBytes() == cycle.dramBytes());
    CHECK(tile.operations == cycle.operations);
    CHECK(run(graph, testCase.width, Level::analytic, testCase.figures).cycles <= cycle.cycles);
    for (const Component& component : cycle.components)
      if (component.busyCycles * 10 > cycle.cycles * 9) ++limits[component.name];
  }
  CHECK(limits["ddr"] > 2);  // every kind is among them
  CHECK(limits["gather"] > 2);
  CHECK(limits["edge dispatcher"] > 0);
  CHECK(limits["feature duplicator"] > 0);
}

TEST_CASE("the FPGA's bound is the closed form of the design-space code", "[simulator]") {
  // T_comp = E f / (n · 16 · 300 MHz), T_load = |V| f 4 / (77 GB/s · a)
  const Overrides shares = {{"memory_model", std::string("shares")}, {"edge_bytes", std::int64_t{0}}};
  const auto bound = [&](std::int64_t vertices, std::int64_t edges, std::int64_t layer) {
    return entry().simulate({deviceFigures("fpga", shares),
                             library(),
                             {vertices, edges, 1, nullptr},
                             {{layer, Pass::forward, 256, true}},
                             Level::analytic});
  };
  const double sources = 1e6 * (1 - std::exp(-1.0));
  CHECK(bound(1'000'000, 1'000'000, 0).ns == Approx(sources * 256 * 4 / (76.8 * 0.3)).epsilon(1e-4));
  CHECK(bound(1'000'000, 1'000'000, 1).ns == Approx(sources * 256 * 4 / (76.8 * 0.9)).epsilon(1e-4));
  CHECK(bound(10'000, 10'000'000, 1).ns == Approx(10e6 * 256 / (8 * 16 * 0.3)).epsilon(1e-4));
}

TEST_CASE("the kernel's update takes its products, and the filling of its array", "[simulator]") {
  const Values figures = deviceFigures("fpga");
  const auto cycles = [&](std::int64_t rows, std::int64_t in, std::int64_t out) {
    return static_cast<double>(entry().updatePs(figures, rows, in, out)) * 1e-12 * 300e6;
  };
  CHECK(entry().updatePs(figures, 0, 100, 256) == 0);
  CHECK(cycles(1024, 100, 256) == Approx(1024 * 100 * 256 / 2048 + 16 + 128));
  CHECK(cycles(1, 1, 1) == Approx(1 + 16 + 128));
  CHECK(cycles(2000, 64, 64) > cycles(1999, 64, 64));
}

TEST_CASE("the FPGA that ships is HyScale's, and a larger one does not fit", "[simulator]") {
  CHECK(refused({}).empty());
  const DeviceResult result = run({10'000, 100'000, 1, nullptr}, 128, Level::tile);
  const auto share = [&](const DeviceResult& device, const char* name) {
    const auto factor = std::ranges::find(device.factors, name, &Factor::name);
    REQUIRE(factor != device.factors.end());
    return *factor;
  };
  CHECK(share(result, "lut_share").value == Approx(1'246'920.0 / 1'728'000));
  CHECK(share(result, "dsp_share").value == Approx(11'136.0 / 12'288));
  CHECK(share(result, "dsp_share").from == "derived: HP-GNN's design-space code; the cap is 0.92");
  CHECK(share(result, "shortest_elements").value >= 1);
  const auto large = refused({{"mac_units", std::int64_t{4096}}});
  REQUIRE(large.size() == 2);
  CHECK(large[0].key == "mac_units");
  CHECK(
      large[0].message ==
      "8 elements and 4096 multiply-accumulate units need 2209480 look-up tables of 1728000; fewer of them");
  CHECK(large[1].message ==
        "8 elements and 4096 multiply-accumulate units need 21376 arithmetic blocks of 12288; fewer of them");
  CHECK(refused({{"elements", std::int64_t{64}}}).at(0).key == "elements");
  CHECK(refused({{"elements", std::int64_t{6}}}).at(0).message == "6 cannot be used; a power of two");
  // between the cap and the board: done, and told
  const DeviceResult full =
      run({10'000, 100'000, 1, nullptr}, 128, Level::tile, {{"mac_units", std::int64_t{2200}}});
  CHECK(share(full, "dsp_share").from ==
        "derived: HP-GNN's design-space code; above the cap of 0.92: may not be routed");
}

TEST_CASE("sums that do not fit, and what level cycle cannot count, are refused by name", "[simulator]") {
  const auto small = refused({{"sum_buffer_mb", 0.0004}});
  REQUIRE(small.size() == 1);
  CHECK(small[0].key == "sum_buffer_mb");
  CHECK(small[0].message == "holds less than one sum of 128 columns; more bytes, or more slices");
  CHECK(refused({{"memory", std::string("hbm9")}}).at(0).key == "memory");
  const Csr matrix = path(50);
  CHECK_THROWS_WITH(
      run({50, matrix.nonzeros(), 1, &matrix}, 16, Level::cycle, {{"memory_model", std::string("shares")}}),
      "device.memory_model: level 'cycle' counts DDR's banks; \"closed-page\", or level \"tile\"");
  const auto tiles = [](std::int64_t vertices, Level level) {
    const SlicePass pass{0, Pass::forward, 4, true};
    const Values figures = deviceFigures("fpga", {{"destination_rows", std::int64_t{2}}});
    entry().refuseTask({figures, library(), Graph{vertices, 10 * vertices}, {pass}, level});
  };
  CHECK_NOTHROW(tiles(40'000'000, Level::tile));
  CHECK_THROWS_WITH(tiles(40'000'002, Level::tile), Catch::Contains("more than 20 million tiles"));
  CHECK_NOTHROW(tiles(40'000'002, Level::analytic));
}

TEST_CASE("a share of the FPGA takes as long for that share of the graph", "[simulator]") {
  const Graph fullGraph{400'000, 8'000'000, 1, nullptr}, part{40'000, 800'000, 1, nullptr};
  const Values figures = deviceFigures("fpga");
  const auto simulatePass = [&](const Graph& graph, const Values& on) {
    return entry().simulate({on, library(), graph, {{0, Pass::forward, 64, true}}, Level::tile});
  };
  const DeviceResult full = simulatePass(fullGraph, figures),
                     tenth = simulatePass(part, entry().scaled(figures, 0.1));
  CHECK(tenth.ns == Approx(full.ns).epsilon(0.02));
  CHECK(10.0 * static_cast<double>(tenth.dramBytes()) ==
        Approx(static_cast<double>(full.dramBytes())).epsilon(0.02));
  CHECK(10 * tenth.chipPowerPj == Approx(full.chipPowerPj).epsilon(0.02));
}
