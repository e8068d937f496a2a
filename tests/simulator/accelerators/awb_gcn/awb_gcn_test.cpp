#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

DeviceResult run(const Graph& graph, const std::vector<std::int64_t>& widths, Level level,
                 const Overrides& other = {}) {
  const Values figures = deviceFigures("awb-gcn", other);
  std::vector<SlicePass> passes;
  for (const std::int64_t width : widths) passes.push_back({0, Pass::forward, width, true});
  const AcceleratorEntry& awb = *find<AcceleratorEntry>("awb-gcn");
  REQUIRE(awb.refuse(figures, library(), passes).empty());
  return awb.simulate({figures, library(), graph, passes, level});
}

/// A device whose buffer holds less than a column of a small graph, or a few of them.
Overrides small(double buffer) { return {{"pes", std::int64_t{8}}, {"column_buffer_mb", buffer * 1e-6}}; }

void checkConserved(const DeviceResult& result) {
  std::int64_t streamed = 0;
  for (const Count& stream : result.streams) streamed += stream.value;
  REQUIRE(!result.components.empty());
  CHECK(result.components[0].bytes == streamed);
  CHECK(result.dramBytes() == streamed);
  std::vector<std::int64_t> inSpans(result.components.size(), 0);
  for (const EngineSpan& span : result.spans) inSpans[span.engine] += span.cycles;
  for (std::size_t c = 0; c < result.components.size(); ++c) {
    const Component& component = result.components[c];
    CAPTURE(component.name);
    CHECK(component.busyCycles >= 0);
    for (const Count& stall : component.stalls) CHECK(stall.value >= 0);
    CHECK(component.idleCycles >= 0);
    CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
    CHECK(inSpans[c] == component.busyCycles + component.stallCycles());
  }
}

double factor(const DeviceResult& result, const std::string& name) {
  const auto factor = std::ranges::find(result.factors, name, &Factor::name);
  REQUIRE(factor != result.factors.end());
  return factor->value;
}

}  // namespace

TEST_CASE("AWB-GCN's streams add up, and busy, stalled and idle to the time", "[simulator]") {
  const auto level = GENERATE(Level::analytic, Level::tile, Level::cycle);
  const auto buffer = GENERATE(100.0, 700.0, 1e6);
  const auto balance = GENERATE("cold", "converged");
  const auto distributor = GENERATE("tdq-1", "tdq-2");
  for (const Dataset& set : halo::test::hardGraphs())
    for (const bool counted : {true, false}) {
      if (!counted && level == Level::cycle) continue;
      CAPTURE(set.name, text(level), buffer, counted, balance, distributor);
      Overrides figures = small(buffer);
      figures["balance"] = std::string(balance);
      figures["distributor"] = std::string(distributor);
      const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
      const DeviceResult result = run(graph, {4, 3, 4}, level, figures);
      checkConserved(result);
      CHECK((result.cycles == 0) == (set.arcs.nonzeros() == 0));
      CHECK(result.operations == set.arcs.nonzeros() * 11);
    }
}

TEST_CASE("AWB-GCN's bound is never above what strips take", "[simulator]") {
  const auto plan = GENERATE("fit", "fewest-bytes");
  const auto model = GENERATE("closed-page", "efficiency");
  for (const Dataset& set : halo::test::hardGraphs())
    for (const bool counted : {true, false})
      for (const double buffer : {60.0, 500.0, 1e5})
        for (const std::int64_t width : {1, 4, 19}) {
          CAPTURE(set.name, counted, width, plan, model, buffer);
          Overrides figures = small(buffer);
          figures["columns_at_once"] = std::string(plan);
          figures["memory_model"] = std::string(model);
          const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
          const DeviceResult bound = run(graph, {width}, Level::analytic, figures);
          const DeviceResult strips = run(graph, {width}, Level::tile, figures);
          CHECK(bound.cycles <= strips.cycles);
          CHECK(bound.dramBytes() <= strips.dramBytes());
          CHECK(bound.operations == strips.operations);
        }
}

TEST_CASE("columns that fit share a stream of the matrix, columns that do not are cut into strips",
          "[simulator]") {
  constexpr std::int64_t kN = 1000, kNonzeros = 50'000;
  const Graph graph{kN, kNonzeros, 1, nullptr};
  const auto bytes = [&](double buffer, const char* plan, std::int64_t width) {
    const DeviceResult result =
        run(graph, {width}, Level::tile,
            {{"column_buffer_mb", buffer * 1e-6}, {"columns_at_once", std::string(plan)}});
    std::array<std::int64_t, 4> streams{};
    for (std::size_t s = 0; s < 4; ++s) streams[s] = result.streams.at(s).value;
    return streams;
  };
  using Streams = std::array<std::int64_t, 4>;
  // 8 n = 8,000 bytes a column: three at a time, so a width of 7 streams the matrix three times
  CHECK(bytes(25'000, "fit", 7) == Streams{3 * 8 * kNonzeros, 3 * 4 * kN, 7 * 4 * kN, 7 * 4 * kN});
  // a third of a column: three strips, the operand's column once for each, the matrix once a column
  CHECK(bytes(2'700, "fit", 2) == Streams{2 * 8 * kNonzeros, 3 * 2 * 4 * kN, 3 * 2 * 4 * kN, 2 * 4 * kN});
  // both columns at once in six strips: the operand six times, the matrix once
  CHECK(bytes(2'700, "fewest-bytes", 2) == Streams{8 * kNonzeros, 6 * 4 * kN, 6 * 2 * 4 * kN, 2 * 4 * kN});
  CHECK(bytes(25'000, "fewest-bytes", 2) == bytes(25'000, "fit", 2));
}

TEST_CASE("a strip takes what its definition says", "[simulator]") {
  // row 0 has three nonzeros, row 1 one, on two PEs without smoothing: 3 cycles a column. One byte a cycle:
  // DRAM decides.
  const Csr matrix = buildCsr(4, std::vector<Arc>{{0, 0}, {1, 0}, {3, 0}, {2, 1}}, true);
  const Graph graph{4, 4, 1, &matrix};
  Overrides figures = {{"pes", std::int64_t{2}},
                       {"smoothing_hops", std::int64_t{0}},
                       {"rounds", std::int64_t{0}},
                       {"distributor", std::string("tdq-1")},
                       {"memory_model", std::string("efficiency")},
                       {"memory", std::string("hbm2")},
                       {"freq_mhz", 500.0},
                       {"dram_gbps", 0.5}};
  const DeviceResult slow = run(graph, {2}, Level::tile, figures);
  const auto up = [](double cycles) { return static_cast<std::int64_t>(std::ceil(cycles - 1e-6)); };
  const double byte = 3900.0 / 3640,
               wait = 14;  // refreshes; 28 ns until the first of what is asked for comes
  CHECK(slow.cycles == up(wait + byte * (32 + 16 + 32)) + up(wait + byte * 32));
  figures["dram_gbps"] = 1e6;
  const DeviceResult fast = run(graph, {2}, Level::tile, figures);
  CHECK(fast.components[2].busyCycles == 4);  // 8 products on 2 PEs
  CHECK(factor(fast, "utilisation_first_round_strips_1") == Approx(4.0 / 6));
}

TEST_CASE("rounds of rebalancing go on from pass to pass, and are over where that is said", "[simulator]") {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 400; ++v) arcs.push_back({v, 7});
  for (Vertex v = 0; v < 400; ++v) arcs.push_back({v, v});
  const Csr matrix = buildCsr(400, arcs, true);
  const Graph graph{400, matrix.nonzeros(), 1, &matrix};
  Overrides figures = {{"pes", std::int64_t{16}}, {"dram_gbps", 1e6}, {"smoothing_hops", std::int64_t{0}}};
  const auto cycles = [&](const std::vector<std::int64_t>& widths, const char* balance) {
    figures["balance"] = std::string(balance);
    return run(graph, widths, Level::tile, figures).cycles;
  };
  const auto once = cycles({1}, "cold"), twice = cycles({1, 1}, "cold");
  CHECK(once > 400);               // the row with half the graph is one PE's
  CHECK(twice - once < once / 2);  // then it is everybody's
  CHECK(cycles({1}, "converged") < once / 2);
  CHECK(cycles({1, 1}, "converged") == 2 * cycles({1}, "converged"));
}

TEST_CASE("AWB-GCN's strips take what is counted cycle by cycle within a tenth", "[simulator]") {
  int byMemory = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PhiloxStream random(seed, Purpose::shuffle, 12);
    const auto draw = [&](std::uint64_t low, std::uint64_t high) {
      return static_cast<std::int64_t>(low + random.below(high - low));
    };
    const std::int64_t vertices = draw(1000, 4000);
    const Csr matrix =
        randomDirected(static_cast<Index>(vertices), static_cast<Index>(draw(40'000, 100'000)), seed);
    const std::int64_t width = std::array<std::int64_t, 4>{1, 2, 4, 7}[random.below(4)];
    const double column = static_cast<double>(8 * vertices) * 1e-6;
    Overrides figures = {{"pes", draw(32, 200)},
                         {"distributor_nonzeros_per_cycle", draw(8, 64)},
                         {"distributor", std::string(seed % 5 == 0 ? "tdq-1" : "tdq-2")},
                         {"smoothing_hops", draw(0, 3)},
                         {"rounds", draw(0, 6)},
                         {"balance", std::string(seed % 2 == 0 ? "cold" : "converged")},
                         {"column_buffer_mb", column * (0.4 + random.uniform() * 4)},
                         {"dram_gbps", seed % 3 == 0 ? 1024.0 : 25.6 * static_cast<double>(draw(1, 5))}};
    CAPTURE(seed, width);
    const Graph graph{vertices, matrix.nonzeros(), 1, &matrix};
    const DeviceResult strips = run(graph, {width, width}, Level::tile, figures);
    const DeviceResult cycle = run(graph, {width, width}, Level::cycle, figures);
    CAPTURE(strips.cycles, cycle.cycles);
    CHECK(static_cast<double>(strips.cycles) / static_cast<double>(cycle.cycles) == Approx(1).margin(0.1));
    CHECK(strips.dramBytes() == cycle.dramBytes());
    CHECK(strips.operations == cycle.operations);
    CHECK(run(graph, {width, width}, Level::analytic, figures).cycles <= cycle.cycles);
    byMemory += cycle.components[0].busyCycles * 10 > cycle.cycles * 9 ? 1 : 0;
  }
  CHECK(byMemory > 3);  // both kinds are among them
  CHECK(byMemory < 17);
}

TEST_CASE("AWB-GCN's energy is its counts, or its power", "[simulator]") {
  const Graph graph{10'000, 1'000'000, 1, nullptr};
  const DeviceResult counted = run(graph, {8}, Level::tile, {{"energy_mode", std::string("per-op")}});
  const DeviceResult power = run(graph, {8}, Level::tile);
  for (const DeviceResult* result : {&counted, &power}) {
    double sum = 0;
    for (const Component& component : result->components) sum += component.energyPj;
    CHECK(sum == Approx(result == &counted ? counted.perOpPj : power.chipPowerPj));
  }
  const EnergyTable& table = library().energies;
  const double sram = table.sramPjPerByte(2.5, 14);
  CHECK(counted.components[0].energyPj == Approx(140.0 * static_cast<double>(counted.dramBytes())));
  // 256 ports: four crossbars of four ways a word
  const double crossbars = 4 * library().energies.operationPj("crossbar_1to4_32bit", 14) / 4;
  CHECK(counted.components[1].energyPj ==
        Approx((2 * sram + crossbars) *
               static_cast<double>(counted.streams[0].value + counted.streams[1].value)));
  CHECK(counted.components[2].energyPj ==
        Approx(8e6 * (table.operationPj("fp32_multiply", 14) + table.operationPj("fp32_add", 14))));
  CHECK(counted.components[3].energyPj == Approx(8e6 * 12 * sram));
  CHECK(power.chipPowerPj - power.components[0].energyPj == Approx(215 * power.ns * 1e3));
  CHECK(counted.perOpPj == power.perOpPj);
  CHECK(counted.chipPowerPj == power.chipPowerPj);
}

TEST_CASE("AWB-GCN says what it cannot do", "[simulator]") {
  const auto refused = [](const Overrides& other) {
    const SlicePass pass{0, Pass::forward, 4, true};
    return find<AcceleratorEntry>("awb-gcn")->refuse(deviceFigures("awb-gcn", other), library(), {&pass, 1});
  };
  CHECK(refused({}).empty());
  CHECK(refused({{"column_buffer_mb", 7e-6}}).at(0).message ==
        "holds less than one element of a column and one of its sums; more bytes");
  CHECK(refused({{"memory", std::string("hbm9")}}).at(0).message ==
        "'hbm9' is no table of dram.toml; one of ddr4-2400 ddr4-3200 hbm2");
  const Graph large{100'000'000, 1'000'000'000, 1, nullptr};
  CHECK_THROWS_WITH(run(large, {4}, Level::tile, {{"column_buffer_mb", 0.0001}}),
                    Catch::Matchers::Contains("more than two million strips"));
  CHECK(run(large, {4}, Level::analytic, {{"column_buffer_mb", 0.0001}}).cycles > 0);
  CHECK_THROWS_WITH(
      run(large, std::vector<std::int64_t>(100, 100'000), Level::analytic, {{"dram_gbps", 1e-3}}),
      Catch::Matchers::Contains("more than 9e15 cycles or bytes"));
}

TEST_CASE("MixGCN's AWB-GCN has the figures that MixGCN gives", "[simulator]") {
  const Values mixgcn = deviceFigures("awb-gcn-mixgcn");
  CHECK(mixgcn.integer("pes") == 16384);
  CHECK(mixgcn.real("column_buffer_mb") == 100);
  CHECK(mixgcn.real("dram_gbps") == 1024);
  CHECK(mixgcn.real("freq_mhz") == 330);
}
