#include <catch2/catch.hpp>
#include <cmath>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

DeviceResult run(const Graph& graph, const std::vector<std::int64_t>& widths, Level level,
                 const Overrides& other = {}, bool masked = true) {
  const Values figures = deviceFigures("spu", other);
  std::vector<SlicePass> passes;
  for (const std::int64_t width : widths) passes.push_back({0, Pass::forward, width, masked});
  const AcceleratorEntry& spu = *find<AcceleratorEntry>("spu");
  REQUIRE(spu.refuse(figures, library(), passes).empty());
  return spu.simulate({figures, library(), graph, passes, level});
}

/// A device so small that small graphs fall into blocks: rows of 4 columns, some 20 a window.
Overrides small(const std::string& buffering = "double") {
  return {{"node_buffer_mb", 0.0007}, {"output_buffer_mb", 0.0009}, {"buffering", buffering}};
}

void checkConserved(const DeviceResult& result) {
  std::int64_t streamed = 0;
  for (const Count& stream : result.streams) streamed += stream.value;
  REQUIRE(!result.components.empty());
  CHECK(result.components[0].name == "hbm");
  CHECK(result.components[0].bytes == streamed);
  CHECK(result.dramBytes() == streamed);
  std::vector<std::int64_t> inSpans(result.components.size(), 0);
  for (const EngineSpan& span : result.spans) inSpans[span.engine] += span.cycles;
  for (std::size_t c = 0; c < result.components.size(); ++c) {
    const Component& component = result.components[c];
    CAPTURE(component.name);
    CHECK(component.busyCycles >= 0);
    CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
    CHECK(inSpans[c] == component.busyCycles + component.stallCycles());
  }
}

std::vector<Problem> refused(const Overrides& other, std::int64_t width) {
  const Values figures = deviceFigures("spu", other);
  const SlicePass pass{0, Pass::forward, width, true};
  return find<AcceleratorEntry>("spu")->refuse(figures, library(), {&pass, 1});
}

}  // namespace

TEST_CASE("bytes of streams add up to DRAM's, and busy, stalled and idle to the time", "[simulator]") {
  const auto level = GENERATE(Level::analytic, Level::tile);
  const auto buffering = GENERATE("double", "single", "best");
  const auto counted = GENERATE(true, false);
  for (const Dataset& set : halo::test::hardGraphs()) {
    CAPTURE(set.name, text(level), buffering, counted);
    const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
    checkConserved(run(graph, {4, 3, 4}, level, small(buffering)));
  }
}

TEST_CASE("many blocks leave few spans, and lose none of the time", "[simulator]") {
  const DeviceResult result = run({100'000, 1'000'000, 1, nullptr}, {4}, Level::tile,
                                  {{"node_buffer_mb", 0.01}, {"output_buffer_mb", 0.01}});
  checkConserved(result);
  CHECK(result.spans.size() < 40'000);
}

TEST_CASE("the bound is never above what tiles take", "[simulator]") {
  const auto buffering = GENERATE("double", "single", "best");
  const auto skips = GENERATE("none", "adds", "adds-and-writes");
  const auto model = GENERATE("closed-page", "efficiency");
  for (const Dataset& set : halo::test::hardGraphs())
    for (const bool counted : {true, false})
      for (const std::int64_t width : {1, 4, 19}) {
        CAPTURE(set.name, counted, width, buffering, skips, model);
        Overrides figures = small(buffering);
        figures["mask_skips"] = std::string(skips);
        figures["memory_model"] = std::string(model);
        const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
        const DeviceResult bound = run(graph, {width}, Level::analytic, figures);
        const DeviceResult tiles = run(graph, {width}, Level::tile, figures);
        CHECK(bound.cycles <= tiles.cycles);
        CHECK(bound.dramBytes() <= tiles.dramBytes());
        CHECK(bound.operations == tiles.operations);
      }
}

TEST_CASE("nothing to do takes no time and no bytes", "[simulator]") {
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
  const DeviceResult empty = run({100, 1000, 1, nullptr}, {0, 0}, level);
  CHECK(empty.cycles == 0);
  CHECK(empty.dramBytes() == 0);
}

TEST_CASE("a row that has all edges is worked on like any other", "[simulator]") {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 100; ++v) arcs.push_back({v, 7});
  const Csr matrix = buildCsr(100, arcs, true);
  const DeviceResult result = run({100, 100, 1, &matrix}, {4}, Level::tile);
  CHECK(result.operations == 400);
  CHECK(result.streams[0].value == 4 * 100 + 2 * 100);  // column numbers, counts of the tile's rows
  CHECK(result.streams[1].value == 1600);
  CHECK(result.streams[2].value == 1600);
  CHECK(result.streams[3].value == 50);
  checkConserved(result);
}

TEST_CASE("a tile takes what its definition says", "[simulator]") {
  // two windows of 8 sources; one tile. Every figure by hand: HBM 2,048 bytes a cycle without refreshes or
  // page misses is not to be had, so shares of the peak: 0.9333 for what streams.
  const Csr matrix = buildCsr(16, std::vector<Arc>{{0, 0}, {9, 0}, {10, 1}}, true);
  const DeviceResult result = run({16, 3, 1, &matrix}, {16}, Level::tile,
                                  {{"node_buffer_mb", 0.001024},
                                   {"memory_model", std::string("efficiency")},
                                   {"hbm_gbps", 0.5},
                                   {"row_count_bytes", std::int64_t{4}}});
  // 1 byte a cycle at the peak, so a streamed byte takes 3900/3640 cycles; a 64-byte line alone in its row of
  // DRAM takes 7.5 ns of its channel, whose peak is 32 GB/s: 0.2667 of that.
  const double stream = 3900.0 / 3640, scattered = stream * 7.5 / 2;
  const auto up = [](double cycles) { return static_cast<std::int64_t>(std::ceil(cycles - 1e-9)); };
  const double wait = 14;                                // 28 ns: a row is opened and its first column read
  const std::int64_t first = up(wait + 64 * scattered);  // one line
  const std::int64_t second = up(wait + stream * (4 + 64) + scattered * 128);
  const std::int64_t third = up(wait + stream * (8 + 64));
  const std::int64_t last =
      up(wait + stream * (16 * 64 + 32));  // when the tile's second block has been added
  CHECK(result.cycles == first + second + third + last);
  CHECK(result.streams[1].value == 64 + 128);
}

TEST_CASE("masks save what they are told to", "[simulator]") {
  const Graph graph{10'000, 1'000'000, 1, nullptr};
  const auto runWith = [&](const char* skips, bool masked) {
    return run(graph, {8}, Level::tile, {{"mask_skips", std::string(skips)}}, masked);
  };
  const DeviceResult none = runWith("none", true), adds = runWith("adds", true),
                     both = runWith("adds-and-writes", true);
  CHECK(adds.operations * 2 == none.operations);
  CHECK(adds.dramBytes() == none.dramBytes());
  CHECK(both.streams[2].value * 2 == none.streams[2].value);
  CHECK(runWith("adds", false).operations == none.operations);  // inference knows no mask
  CHECK(runWith("none", false).streams[3].value == 0);
}

TEST_CASE("parts of HBM's energy add up, and standing by is what comes on top", "[simulator]") {
  const Graph graph{10'000, 1'000'000, 1, nullptr};
  const auto level = GENERATE(Level::analytic, Level::tile);
  const DeviceResult flat = run(graph, {8}, level),
                     split = run(graph, {8}, level, {{"hbm_energy", std::string("split")}});
  std::map<std::string, double> part;
  for (const Factor& factor : split.factors) part[factor.name] = factor.value;
  const auto bytes = static_cast<double>(split.dramBytes());
  CHECK(flat.components[0].energyPj == Approx(bytes * 56));
  CHECK(part["hbm_array_pj_per_byte"] == Approx(804.0 / 64));
  CHECK(part["hbm_rows_pj_per_byte"] > 0);
  CHECK(part["hbm_rest_pj_per_byte"] > 0);
  CHECK(part["hbm_standing_by_pj_per_byte"] * bytes == Approx(32 * 66 * split.ns));
  CHECK(part["hbm_array_pj_per_byte"] + part["hbm_rows_pj_per_byte"] + part["hbm_rest_pj_per_byte"] ==
        Approx(56));
  CHECK(split.components[0].energyPj - flat.components[0].energyPj == Approx(32 * 66 * split.ns));
}

TEST_CASE("a device that cannot hold one row is refused by the buffer's name", "[simulator]") {
  CHECK(refused({}, 128).empty());
  const auto node = refused({{"node_buffer_mb", 0.0005}}, 128);
  REQUIRE(node.size() == 1);
  CHECK(node[0].key == "node_buffer_mb");
  CHECK(node[0].message == "holds less than one row of 128 columns in each half; more bytes, or more slices");
  CHECK(refused({{"node_buffer_mb", 0.000512}, {"buffering", std::string("single")}}, 128).empty());
  CHECK(refused({{"output_buffer_mb", 0.0005}}, 128).at(0).key == "output_buffer_mb");
  CHECK(refused({{"mask_buffer_mb", 0.000001}}, 128).at(0).key == "mask_buffer_mb");
  CHECK(refused({{"memory", std::string("hbm9")}}, 128).at(0).message ==
        "'hbm9' is no table of dram.toml; one of ddr4-2400 ddr4-3200 hbm2");
}

TEST_CASE("too many blocks are refused before they are looked at", "[simulator]") {
  const DeviceSettings settings =
      mixgcn("spu", "papers100m", {{"node_buffer_mb", 0.001}, {"output_buffer_mb", 0.001}});
  CHECK_THROWS_AS(simulate(settings, library()), InputError);
  DeviceSettings bound = settings;
  bound.level = "analytic";
  CHECK(simulate(bound, library()).seconds > 0);
}

TEST_CASE("a model aggregates on the side that its order says", "[simulator]") {
  ModelSettings model;
  model.layers = 3;
  model.hidden = 128;
  const auto widths = [&](const char* order, bool training) {
    model.order = order;
    std::vector<std::int64_t> all;
    for (const SlicePass& pass : wholePasses(model, 602, 41, training)) all.push_back(pass.width);
    return all;
  };
  using Widths = std::vector<std::int64_t>;
  CHECK(widths("aggregate-first", true) == Widths{602, 128, 128, 128, 128});
  CHECK(widths("update-first", true) == Widths{128, 128, 41, 41, 128, 128});
  CHECK(widths("auto", true) == Widths{128, 128, 41, 41, 128, 128});  // the second layer as it comes
  CHECK(widths("aggregate-first", false) == Widths{602, 128, 128});
  CHECK(widths("auto", false) == Widths{128, 128, 41});

  model.order = "auto";
  const auto passes = wholePasses(model, 602, 41, true);
  CHECK(passes[0].updated);
  CHECK_FALSE(passes[1].updated);
  // dropped before the next layer, but nothing after the last; a gradient of products has no mask
  CHECK(passes[0].masked);
  CHECK_FALSE(passes[2].masked);
  CHECK_FALSE(passes[3].masked);
  CHECK(passes[4].masked);
  CHECK(passes[5].direction == Pass::backward);
  CHECK(passes[5].layer == 0);
  for (const char* kind : {"graphsage", "gin"}) {  // their own rows are the dense side's
    model.kind = kind;
    CHECK(widths("auto", true) == Widths{128, 128, 41, 41, 128, 128});
  }
}

TEST_CASE("slices share every column and no more", "[simulator]") {
  const auto slices = GENERATE(1, 3, 32, 52, 200);
  ModelSettings model;
  model.layers = 3;
  model.hidden = 128;
  std::map<std::size_t, std::int64_t> columns;
  std::int64_t devices = 0;
  model.order = "aggregate-first";
  for (const DeviceClass& deviceClass : passesOf(wholePasses(model, 52, 7, true), slices)) {
    CHECK(deviceClass.first == devices);
    CHECK(deviceClass.devices > 0);
    devices += deviceClass.devices;
    REQUIRE(deviceClass.passes.size() == 5);  // 2 L − 1
    for (std::size_t p = 0; p < 5; ++p) columns[p] += deviceClass.devices * deviceClass.passes[p].width;
  }
  CHECK(devices == slices);
  CHECK(columns == std::map<std::size_t, std::int64_t>{{0, 52}, {1, 128}, {2, 128}, {3, 128}, {4, 128}});
  CHECK(wholePasses(model, 52, 7, false).size() == 3);
}
