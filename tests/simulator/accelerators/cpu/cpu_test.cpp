#include <catch2/catch.hpp>
#include <cmath>

#include "datasets/generate/rmat.h"
#include "datasets/graph/order.h"
#include "simulator/accelerators/cpu/cpu_pass.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

DeviceResult run(const Graph& graph, const std::vector<std::int64_t>& widths, Level level,
                 const Overrides& other = {}) {
  const Values figures = deviceFigures("cpu", other);
  std::vector<SlicePass> passes;
  for (const std::int64_t width : widths) passes.push_back({0, Pass::forward, width, true});
  const AcceleratorEntry& entry = *find<AcceleratorEntry>("cpu");
  REQUIRE(entry.refuse(figures, library(), passes).empty());
  return entry.simulate({figures, library(), graph, passes, level});
}

/// Caches so small that small graphs do not fit.
Overrides small() {
  return {{"cores", std::int64_t{3}}, {"l1_kib", 0.5}, {"l2_kib", 1.0}, {"l3_mib", 0.004}};
}

Graph graphOf(const Csr& A) { return {A.rows(), A.nonzeros(), 1, &A}; }

void checkConserved(const DeviceResult& result) {
  std::int64_t streamed = 0;
  for (const Count& stream : result.streams) streamed += stream.value;
  REQUIRE(!result.components.empty());
  CHECK(result.components[0].name == "memory");
  CHECK(result.components[0].bytes == streamed);
  CHECK(result.dramBytes() == streamed);
  std::vector<std::int64_t> inSpans(result.components.size(), 0);
  for (const EngineSpan& span : result.spans) inSpans[span.engine] += span.cycles;
  double picojoules = 0;
  for (std::size_t c = 0; c < result.components.size(); ++c) {
    const Component& component = result.components[c];
    CAPTURE(component.name);
    CHECK(component.busyCycles >= 0);
    CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
    CHECK(inSpans[c] == component.busyCycles + component.stallCycles());
    picojoules += component.energyPj;
  }
  CHECK(picojoules == Approx(result.chipPowerPj));
}

double memoryShare(const DeviceResult& result, std::int64_t width) {
  for (const Factor& factor : result.factors)
    if (factor.name == "memory_share_width_" + std::to_string(width)) return factor.value;
  return -1;
}

}  // namespace

TEST_CASE("a processor's bytes add up to the memory's, and each engine's cycles to the time", "[simulator]") {
  const auto level = GENERATE(Level::analytic, Level::tile);
  const auto counted = GENERATE(true, false);
  for (const Dataset& set : halo::test::hardGraphs()) {
    CAPTURE(set.name, text(level), counted);
    const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
    checkConserved(run(graph, {4, 3, 100, 4}, level));
    checkConserved(run(graph, {4, 3, 100, 4}, level, small()));
  }
  const Csr dense = rmat(9, 32, 1);  // columns are packed
  checkConserved(run(graphOf(dense), {100, 256}, level, small()));
}

TEST_CASE("a processor's bound is never above what blocks take", "[simulator]") {
  const auto rates = GENERATE("sampled", "exact");
  std::vector<Csr> graphs;
  for (Dataset& set : halo::test::hardGraphs()) graphs.push_back(std::move(set.arcs));
  graphs.push_back(rmat(9, 32, 1));
  graphs.push_back(rmat(16, 4, 1));  // large enough to be sampled
  for (const Csr& A : graphs)
    for (const bool counted : {true, false})
      for (const std::int64_t width : {1, 4, 19, 130})
        for (Overrides figures : {Overrides{}, small()}) {
          CAPTURE(A.rows(), counted, width, rates, figures.size());
          figures["hit_rates"] = std::string(rates);
          const Graph graph{A.rows(), A.nonzeros(), 1, counted ? &A : nullptr};
          const DeviceResult bound = run(graph, {width}, Level::analytic, figures);
          const DeviceResult tiles = run(graph, {width}, Level::tile, figures);
          CHECK(bound.cycles <= tiles.cycles);
          CHECK(bound.dramBytes() <= tiles.dramBytes());
          CHECK(bound.operations == tiles.operations);
        }
}

TEST_CASE("a processor with nothing to do takes no time and no bytes", "[simulator]") {
  const auto level = GENERATE(Level::analytic, Level::tile);
  const Csr none = edgeless(9);
  for (const Graph& graph : {Graph{0, 0, 1, nullptr}, Graph{1, 0, 1, nullptr}, Graph{9, 0, 1, &none}}) {
    const DeviceResult result = run(graph, {4, 4}, level);
    CHECK(result.cycles == 0);
    CHECK(result.dramBytes() == 0);
    CHECK(result.operations == 0);
    CHECK(result.perOpPj == 0);
    CHECK(result.chipPowerPj == 0);
    checkConserved(result);
  }
  CHECK(run({100, 1000, 1, nullptr}, {0, 0}, level).cycles == 0);
}

TEST_CASE("a row that has all edges is one core's, the others have nothing", "[simulator]") {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 1000; ++v) arcs.push_back({v, 7});
  const Csr matrix = buildCsr(1000, arcs, true);
  const DeviceResult alone = run(graphOf(matrix), {16}, Level::tile, {{"cores", std::int64_t{1}}});
  const DeviceResult shared = run(graphOf(matrix), {16}, Level::tile, {{"cores", std::int64_t{4}}});
  CHECK(alone.operations == 16'000);
  CHECK(static_cast<double>(shared.cycles) > 0.7 * static_cast<double>(alone.cycles));
  checkConserved(shared);
}

TEST_CASE("a block takes what its definition says", "[simulator]") {
  // one row of three columns that nothing has used before, more than the caches hold: by hand
  const Csr matrix = buildCsr(64, std::vector<Arc>{{0, 0}, {20, 0}, {60, 0}}, true);
  const Overrides figures = {
      {"cores", std::int64_t{1}}, {"freq_mhz", 1e3},        {"l1_kib", 0.1},       {"l2_kib", 0.2},
      {"l3_mib", 0.001},          {"row_ns", 5.0},          {"turn_ns", 0.0},      {"start_us", 0.0},
      {"memory_first_ns", 100.0}, {"memory_next_ns", 10.0}, {"stream_gbps", 50.0}, {"add_gops", 1e3}};
  const DeviceResult result = run(graphOf(matrix), {32}, Level::tile, figures);
  // rows of X on two lines each; every one of the 64 rows costs 5 ns, memory moves less at 50 bytes a ns
  CHECK(result.cycles == 3 * 110 + 64 * 5);
  CHECK(result.streams[cpu::kRowStream].name == "rows of sources");
  CHECK(result.streams[cpu::kIndexStream].value == 3 * 4 + 64 * 8);
  CHECK(result.streams[cpu::kRowStream].value == 3 * 128);
  CHECK(result.streams[cpu::kSumStream].value == 64 * 128);
  CHECK(result.streams[cpu::kPackStream].value == 0);
  Overrides slow = figures;
  slow["stream_gbps"] = 1.0;  // now the memory is what takes longest
  CHECK(run(graphOf(matrix), {32}, Level::tile, slow).cycles == result.dramBytes());
  slow = figures;
  slow["add_gops"] = 0.1;  // and now the vector units: 96 elements
  CHECK(run(graphOf(matrix), {32}, Level::tile, slow).cycles == 960 + 63 * 5);
  Overrides turned = figures;
  turned["turn_ns"] = 7.0;  // the second row is not as long as the first, all others are as long as it
  turned["start_us"] = 0.5;
  CHECK(run(graphOf(matrix), {32}, Level::tile, turned).cycles == result.cycles + 7 + 500);
  Overrides near = figures;
  near["reach_mib"] = 0.001953125;  // a quarter of X: three quarters of what is in memory are far
  near["far_first_ns"] = 200.0;
  near["far_next_ns"] = 30.0;
  CHECK(run(graphOf(matrix), {32}, Level::tile, near).cycles == result.cycles + 3 * 120 * 3 / 4);
  near = figures;
  near["memory_short_ns"] = 60.0;  // rows of two columns share a line
  CHECK(run(graphOf(matrix), {2}, Level::tile, near).cycles == 3 * 60 + 64 * 5);
}

TEST_CASE("columns of rows that are used often are packed, and all of them are summed", "[simulator]") {
  const Csr often = rmat(9, 32, 1);
  const cpu::Cpu device(deviceFigures("cpu", small()));
  for (const std::int64_t width : {1, 32, 33, 63, 64, 100, 256}) {
    CAPTURE(width);
    std::int64_t columns = 0;
    for (const cpu::Sweep& sweep : cpu::sweepsOf(device, graphOf(often), width)) {
      columns += sweep.times * sweep.width;
      CHECK(sweep.packed == (width > 32));
      if (sweep.packed) CHECK(sweep.access.strideBytes % 64 == 0);
    }
    CHECK(columns == width);
  }
  CHECK(cpu::sweepsOf(device, graphOf(rmat(9, 2, 1)), 256).size() == 1);  // too few to be worth while
}

TEST_CASE("an order that brings neighbours together spares the memory", "[simulator]") {
  // a ring of blocks, numbered at random and along its shape
  std::vector<Arc> arcs;
  const Vertex n = 1 << 14;
  for (Vertex v = 0; v < n; ++v)
    for (Vertex d = 1; d <= 8; ++d) arcs.push_back({static_cast<Vertex>((v + d) % n), v});
  const Csr along = buildCsr(n, arcs, false);
  const Csr anywhere = permuted(along, randomOrder(n, 3));
  const auto runOn = [&](const Csr& A, const char* rates) {
    return run(graphOf(A), {16}, Level::tile,
               {{"l3_mib", 0.25}, {"l2_kib", 16.0}, {"l1_kib", 8.0}, {"hit_rates", std::string(rates)}});
  };
  const auto rates = GENERATE("sampled", "exact");
  const DeviceResult near = runOn(along, rates), far = runOn(anywhere, rates);
  CHECK(memoryShare(near, 16) == Approx(1.0 / 8).margin(0.02));  // each row comes once
  CHECK(memoryShare(far, 16) > 0.6);
  CHECK(far.cycles > 2 * near.cycles);
}

TEST_CASE("a processor of half the figures takes as long for half the graph", "[simulator]") {
  const AcceleratorEntry& entry = *find<AcceleratorEntry>("cpu");
  const Values full = deviceFigures("cpu"), half = entry.scaled(full, 0.5);
  const auto seconds = [&](const Values& figures, std::int64_t n) {
    return entry
        .simulate({figures, library(), {n, 20 * n, 1, nullptr}, {{0, Pass::forward, 4, true}}, Level::tile})
        .ns;
  };
  CHECK(seconds(half, 1'000'000) == Approx(seconds(full, 2'000'000)).epsilon(1e-3));
}

TEST_CASE("a processor's energy is its power times time beside the memory's bytes, or counts times the table",
          "[simulator]") {
  const Graph graph{100'000, 2'000'000, 1, nullptr};
  const DeviceResult power = run(graph, {64}, Level::tile, {{"idle_w", 30.0}, {"core_w", 5.0}});
  const auto bytes = static_cast<double>(power.dramBytes());
  CHECK(power.chipPowerPj == Approx(bytes * 140 + (30 + 8 * 5) * power.ns * 1e3));
  const DeviceResult counts = run(graph, {64}, Level::tile, {{"energy_mode", std::string("per-op")}});
  const EnergyTable& table = library().energies;
  const Values figures = deviceFigures("cpu");
  double sum = bytes * 140 + static_cast<double>(counts.operations) * table.operationPj("fp32_add", 10);
  const double kilobytes[] = {figures.real("l3_mib") * 1048.576, figures.real("l2_kib") * 1.024,
                              figures.real("l1_kib") * 1.024};
  for (std::size_t e = 0; e < 3; ++e)
    sum += static_cast<double>(counts.components[1 + e].bytes) * table.sramPjPerByte(kilobytes[e], 10);
  CHECK(counts.perOpPj == Approx(sum));
  double ofComponents = 0;
  for (const Component& component : counts.components) ofComponents += component.energyPj;
  CHECK(ofComponents == Approx(sum));
}

TEST_CASE("a processor's caches must grow from level to level", "[simulator]") {
  const auto refused = [](const Overrides& other) {
    return find<AcceleratorEntry>("cpu")->refuse(deviceFigures("cpu", other), library(), {});
  };
  CHECK(refused({}).empty());
  REQUIRE(refused({{"l2_kib", 1.0}}).size() == 1);
  CHECK(refused({{"l2_kib", 1.0}})[0].key == "l2_kib");
  CHECK(refused({{"l3_mib", 0.001}})[0].key == "l3_mib");
  DeviceSettings settings = mixgcn("cpu", "papers100m");
  settings.level = "cycle";
  CHECK_THROWS_WITH(simulate(settings, library()), Catch::Matchers::Contains("simulate.level"));
  settings = mixgcn("cpu", "papers100m", {{"stream_gbps", 1e-3}, {"freq_mhz", 1e5}});
  settings.model.hidden = 1'000'000;
  settings.slices = 1;
  CHECK_THROWS_WITH(simulate(settings, library()), Catch::Matchers::Contains("9e15 cycles or bytes"));
}

TEST_CASE("updates take the dense rate, and more where few columns are read or written", "[simulator]") {
  const AcceleratorEntry& entry = *find<AcceleratorEntry>("cpu");
  const Values figures = deviceFigures(
      "cpu", {{"dense_gflops", 500.0}, {"dense_in_ns", 0.2}, {"dense_out_ns", 0.3}, {"start_us", 4.0}});
  const double close = 4000 + 2.0 * 1000 * 64 * 16 / 500 + 1000 * (64 * 0.2 + 16 * 0.3);
  CHECK(entry.updatePs(figures, 1000, 64, 16) == std::llround(1e3 * close));
  // seven columns take as long as whole lanes of 16, but less is written
  CHECK(entry.updatePs(figures, 1000, 64, 7) == std::llround(1e3 * (close - 1000 * 9 * 0.3)));
  Values small = figures;
  small["l3_mib"] = 0.25;  // 80,000 elements are more than that
  small["dense_memory_ns"] = 0.7;
  CHECK(entry.updatePs(small, 1000, 64, 16) == std::llround(1e3 * (close + 80'000 * 0.7)));
  CHECK(entry.updatePs(figures, 0, 64, 16) == 0);
  CHECK(entry.updatePs(figures, 1000, 64, 0) == 0);
}

TEST_CASE("the device file that ships has the figures that the processor declares", "[simulator]") {
  const Values shipped = deviceFigures("cpu");
  for (const Parameter& parameter : find<AcceleratorEntry>("cpu")->declaration.parameters) {
    CAPTURE(parameter.key);
    CHECK(toText(shipped.find(parameter.key)->second) == toText(fallback(parameter)));
  }
}
