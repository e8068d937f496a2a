// What holds of every accelerator.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

std::vector<SlicePass> passes(const std::vector<std::int64_t>& widths) {
  std::vector<SlicePass> all;
  for (const std::int64_t width : widths) all.push_back({std::ssize(all), Pass::forward, width, true});
  return all;
}

bool has(const AcceleratorEntry& entry, Level level) {
  return std::ranges::find(entry.levels, level) != entry.levels.end();
}

void checkConserved(const DeviceResult& result) {
  std::int64_t streamed = 0;
  for (const Count& stream : result.streams) streamed += stream.value;
  REQUIRE(!result.components.empty());
  CHECK(result.components.front().bytes == streamed);
  CHECK(result.dramBytes() == streamed);
  std::vector<std::int64_t> inSpans(result.components.size(), 0);
  for (const EngineSpan& span : result.spans) inSpans[span.engine] += span.cycles;
  for (std::size_t c = 0; c < result.components.size(); ++c) {
    const Component& component = result.components[c];
    CAPTURE(component.name);
    CHECK(component.busyCycles >= 0);
    CHECK(component.idleCycles >= 0);
    for (const Count& stall : component.stalls) CHECK(stall.value >= 0);
    CHECK(component.busyCycles + component.stallCycles() + component.idleCycles == result.cycles);
    CHECK(inSpans[c] == component.busyCycles + component.stallCycles());
  }
}

/// Every accelerator, on every hard graph, counted and not, with buffers for a few rows.
template <class Check>
void onAll(const Check& check) {
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Dataset& set : halo::test::hardGraphs())
      for (const bool counted : {true, false}) {
        CAPTURE(name, set.name, counted);
        check(entry, tinyFigures(name),
              Graph{set.vertices(), set.arcs.nonzeros(), 1, counted ? &set.arcs : nullptr});
      }
}

}  // namespace

TEST_CASE("every accelerator conserves cycles and bytes at every level", "[simulator]") {
  onAll([](const AcceleratorEntry& entry, const Values& figures, const Graph& graph) {
    for (const Level level : entry.levels) {
      if (level == Level::cycle && graph.matrix == nullptr) continue;
      CAPTURE(text(level));
      checkConserved(entry.simulate({figures, library(), graph, passes({4, 3, 19, 4}), level}));
    }
  });
}

TEST_CASE("no accelerator is faster, or moves less, than its bound", "[simulator]") {
  onAll([](const AcceleratorEntry& entry, const Values& figures, const Graph& graph) {
    const auto simulateWidth = [&](std::int64_t width, Level level) {
      return entry.simulate({figures, library(), graph, passes({width}), level});
    };
    for (const std::int64_t width : {1, 4, 16, 19}) {
      CAPTURE(width);
      const DeviceResult bound = simulateWidth(width, Level::analytic),
                         tiles = simulateWidth(width, Level::tile);
      CHECK(bound.cycles <= tiles.cycles);
      CHECK(bound.dramBytes() <= tiles.dramBytes());
      CHECK(bound.operations == tiles.operations);
      if (!has(entry, Level::cycle) || graph.matrix == nullptr) continue;
      const DeviceResult cycles = simulateWidth(width, Level::cycle);
      CHECK(bound.cycles <= cycles.cycles);
      CHECK(bound.dramBytes() <= cycles.dramBytes());
    }
  });
}

TEST_CASE("nothing to do takes no accelerator any time", "[simulator]") {
  const Csr none = edgeless(9);
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Level level : entry.levels)
      for (const Graph& graph : {Graph{0, 0, 1, nullptr}, Graph{1, 0, 1, nullptr}, Graph{9, 0, 1, &none}}) {
        if (level == Level::cycle && graph.matrix == nullptr) continue;  // counts in a graph
        CAPTURE(name, text(level), graph.vertices);
        const Values figures = deviceFigures(name);
        const DeviceResult result = entry.simulate({figures, library(), graph, passes({4, 4}), level});
        CHECK(result.cycles == 0);
        CHECK(result.ns == 0);
        CHECK(result.dramBytes() == 0);
        CHECK(result.operations == 0);
        CHECK(result.perOpPj == 0);
        CHECK(result.chipPowerPj == 0);
        checkConserved(result);
        const Csr pathGraph = path(9);
        const DeviceResult empty = entry.simulate(
            {figures, library(), {9, pathGraph.nonzeros(), 1, &pathGraph}, passes({0, 0}), level});
        CHECK(empty.cycles == 0);
        CHECK(empty.dramBytes() == 0);
      }
}

TEST_CASE("components' energies add up to one of the two sums", "[simulator]") {
  const Csr matrix = randomDirected(500, 6000, 3);
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Level level : entry.levels) {
      CAPTURE(name, text(level));
      const Values figures = deviceFigures(name);
      const DeviceResult result =
          entry.simulate({figures, library(), {500, matrix.nonzeros(), 1, &matrix}, passes({16, 8}), level});
      double sum = 0;
      for (const Component& component : result.components) sum += component.energyPj;
      CHECK(sum > 0);
      const bool either = sum == Approx(result.perOpPj) || sum == Approx(result.chipPowerPj);
      CHECK(either);
      CHECK(result.perOpPj > 0);
      CHECK(result.chipPowerPj > 0);
    }
}

TEST_CASE("every accelerator's roof is above what it does", "[simulator]") {
  const Csr matrix = randomDirected(5000, 60'000, 4);
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    CAPTURE(name);
    const Values figures = deviceFigures(name);
    const Roof roof = entry.roof(figures);
    const DeviceResult result = entry.simulate(
        {figures, library(), {5000, matrix.nonzeros(), 1, &matrix}, passes({64}), Level::tile});
    CHECK(static_cast<double>(result.operations) <= roof.operationsPerSecond * result.ns * 1e-9);
    CHECK(static_cast<double>(result.dramBytes()) <= roof.bytesPerSecond * result.ns * 1e-9 + 1);
  }
}

TEST_CASE("half an accelerator has half of the roof", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    CAPTURE(name);
    const Values fullFigures = deviceFigures(name);
    const Roof all = entry.roof(fullFigures), half = entry.roof(entry.scaled(fullFigures, 0.5));
    CHECK(half.operationsPerSecond == Approx(all.operationsPerSecond / 2));
    CHECK(half.bytesPerSecond == Approx(all.bytesPerSecond / 2));
  }
}

TEST_CASE("no rate of an accelerator can be nought", "[simulator]") {
  int rates = 0;
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    for (const Parameter& parameter : entry.declaration.parameters) {
      const std::string key(parameter.key);
      const auto* real = std::get_if<Real>(&parameter.type);
      if (real == nullptr || !(key.ends_with("_gbps") || key.ends_with("_mhz") || key.ends_with("_gops")))
        continue;
      CAPTURE(name, key);
      CHECK(real->low > 0);
      ++rates;
    }
  CHECK(rates >= 20);
}

TEST_CASE("every accelerator has a device file of its name", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    CAPTURE(name);
    CHECK(deviceFile(name).model == name);
  }
}

TEST_CASE("a buffer smaller than one row is refused by its name, every buffer of every device",
          "[simulator]") {
  const SlicePass pass{0, Pass::forward, 128, true};
  const auto isBuffer = [](std::string_view key) {
    constexpr std::string_view kEndings[] = {"_buffer_mb", "_cache_mb", "l1_kib",
                                             "l2_kib",     "l3_mib",    "l2_mb"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return key.ends_with(ending); });
  };
  std::int64_t buffers = 0;
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    CHECK(entry.refuse(deviceFigures(name), library(), {&pass, 1}).empty());
    for (const Parameter& parameter : entry.declaration.parameters) {
      if (!isBuffer(parameter.key)) continue;
      const std::string key(parameter.key);
      CAPTURE(name, key);
      ++buffers;
      const double byte = key.ends_with("kib") ? 1.0 / 1024 : 1e-6;
      const auto problems = entry.refuse(deviceFigures(name, {{key, byte}}), library(), {&pass, 1});
      const auto named = std::ranges::find(problems, key, &Problem::key);
      REQUIRE(named != problems.end());
      CHECK(named->message.find("holds less than one") == 0);
    }
  }
  CHECK(buffers >= 20);  // of those that ship; a new device adds its own, or has none
}
