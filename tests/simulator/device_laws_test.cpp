// What holds of every accelerator, whatever it is.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

DeviceResult run(const AcceleratorEntry& entry, const Values& figures, const Graph& graph,
                 const std::vector<std::int64_t>& widths, Level level) {
  std::vector<SlicePass> passes;
  for (const std::int64_t width : widths) passes.push_back({0, Pass::forward, width, true});
  REQUIRE(entry.refuse(figures, library(), passes).empty());
  return entry.simulate({figures, library(), graph, passes, level});
}

bool has(const AcceleratorEntry& entry, Level level) {
  return std::ranges::find(entry.levels, level) != entry.levels.end();
}

void checkConserved(const DeviceResult& result) {
  std::int64_t streamed = 0;
  for (const Count& stream : result.streams) streamed += stream.value;
  REQUIRE(!result.components.empty());
  CHECK(result.components[0].bytes == streamed);
  std::vector<std::int64_t> inSpans(result.components.size(), 0);
  for (const EngineSpan& span : result.spans) inSpans[span.engine] += span.cycles;
  double picojoules = 0;
  for (std::size_t c = 0; c < result.components.size(); ++c) {
    const Component& component = result.components[c];
    CAPTURE(component.name);
    CHECK(component.busyCycles >= 0);
    CHECK(component.idleCycles >= 0);
    for (const Count& stall : component.stalls) CHECK(stall.value >= 0);
    CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
    CHECK(inSpans[c] == component.busyCycles + component.stallCycles());
    picojoules += component.energyPj;
  }
  // of the two ways to account the components hold one
  CHECK((picojoules == Approx(result.perOpPj) || picojoules == Approx(result.chipPowerPj)));
}

}  // namespace

TEST_CASE("every accelerator's cycles, bytes and picojoules are conserved", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Level level : entry.levels)
      for (const Dataset& set : halo::test::hardGraphs())
        for (const bool counted : {true, false}) {
          if (level == Level::cycle && !counted) continue;
          CAPTURE(name, set.name, text(level), counted);
          const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
          checkConserved(run(entry, tinyFigures(name), graph, {4, 3, 0, 4}, level));
        }
}

TEST_CASE("no accelerator is faster than its bound, or moves fewer bytes", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Dataset& set : halo::test::hardGraphs())
      for (const bool counted : {true, false})
        for (const std::int64_t width : {1, 4, 9}) {
          if (!has(entry, Level::analytic) || !has(entry, Level::tile)) continue;
          CAPTURE(name, set.name, counted, width);
          const Graph graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr};
          const Values figures = tinyFigures(name);
          const DeviceResult bound = run(entry, figures, graph, {width}, Level::analytic);
          const DeviceResult tiles = run(entry, figures, graph, {width}, Level::tile);
          CHECK(bound.cycles <= tiles.cycles);
          CHECK(bound.dramBytes() <= tiles.dramBytes());
          CHECK(bound.operations == tiles.operations);
        }
}

TEST_CASE("nothing to do takes no accelerator any time", "[simulator]") {
  const Csr nobody = edgeless(0), one = edgeless(1), none = edgeless(9);
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Level level : entry.levels)
      for (const Graph& graph : {Graph{0, 0, 1, &nobody}, Graph{1, 0, 1, &one}, Graph{9, 0, 1, &none}}) {
        CAPTURE(name, text(level));
        const DeviceResult result = run(entry, deviceFigures(name), graph, {4, 4}, level);
        CHECK(result.cycles == 0);
        CHECK(result.dramBytes() == 0);
        CHECK(result.perOpPj == 0);
        CHECK(result.chipPowerPj == 0);
      }
}

TEST_CASE("half an accelerator has half of the roof", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    CAPTURE(name);
    const Values whole = deviceFigures(name);
    const Roof all = entry.roof(whole), half = entry.roof(entry.scaled(whole, 0.5));
    CHECK(half.operationsPerSecond == Approx(all.operationsPerSecond / 2));
    CHECK(half.bytesPerSecond == Approx(all.bytesPerSecond / 2));
  }
}

TEST_CASE("what every accelerator declares is what its file has", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    const Values shipped = deviceFigures(name);
    for (const Parameter& parameter : entry.declaration.parameters) {
      CAPTURE(name, parameter.key);
      CHECK(toText(shipped.find(parameter.key)->second) == toText(fallback(parameter)));
    }
  }
}
