#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

DeviceResult run(const Graph& graph, const std::vector<SlicePass>& passes, const Overrides& other = {}) {
  return find<AcceleratorEntry>("engn")->simulate(
      {deviceFigures("engn", other), library(), graph, passes, Level::tile});
}
DeviceResult run(const Graph& graph, std::int64_t width, const Overrides& other = {}) {
  return run(graph, {{0, Pass::forward, width, true}}, other);
}

}  // namespace

TEST_CASE("rings turn once for each so many sources of a batch", "[simulator]") {
  const Csr matrix = randomDirected(1000, 20'000, 3);
  const Graph graph{1000, matrix.nonzeros(), 1, &matrix};
  std::int64_t turns = 0;
  for (Index first = 0; first < 1000; first += 128) {
    std::set<Vertex> sources;
    for (Index r = first; r < std::min<Index>(1000, first + 128); ++r)
      sources.insert(matrix.row(r).begin(), matrix.row(r).end());
    turns += (std::ssize(sources) + 127) / 128;
  }
  const DeviceResult result = run(graph, 20, {{"hbm_gbps", 1e6}});
  CHECK(result.components[2].name == "rings");
  CHECK(result.components[2].busyCycles == turns * 128 * 2);  // 20 columns on 16 rings: two beats
  CHECK(result.operations == matrix.nonzeros() * 20);
}

TEST_CASE("the vertices with the most neighbours are not fetched again", "[simulator]") {
  std::vector<Arc> arcs;  // every row has neighbour 7, and one of its own
  for (Vertex v = 0; v < 1024; ++v) {
    arcs.push_back({7, v});
    arcs.push_back({(v + 100) % 1024, v});
  }
  const Csr matrix = buildCsr(1024, arcs, true);
  const Graph graph{1024, matrix.nonzeros(), 1, &matrix};
  const auto bytes = [&](double megabytes, std::size_t stream) {
    return run(graph, 16, {{"vertex_cache_mb", megabytes}}).streams[stream].value;
  };
  std::int64_t distinct = 0;
  for (Index first = 0; first < 1024; first += 128) {
    std::set<Vertex> sources;
    for (Index r = first; r < first + 128; ++r) sources.insert(matrix.row(r).begin(), matrix.row(r).end());
    distinct += std::ssize(sources);
  }
  CHECK(bytes(0, 1) == distinct * 64);
  CHECK(bytes(0, 2) == 0);
  CHECK(bytes(0.000064, 1) == (distinct - 8) * 64);  // row 7 is in all 8 batches
  CHECK(bytes(0.000064, 2) == 64);
  CHECK(bytes(1, 1) == 0);  // all rows are in the cache
  CHECK(bytes(1, 2) == 1024 * 64);
}

TEST_CASE("EnGN's update takes its tiles", "[simulator]") {
  const AcceleratorEntry& entry = *find<AcceleratorEntry>("engn");
  const Values figures = deviceFigures("engn");
  CHECK(entry.updatePs(figures, 0, 8, 8) == 0);
  CHECK(entry.updatePs(figures, 256, 100, 32) == (2 * 2 * 100 + 128 + 16) * 1000);
}

TEST_CASE("EnGN and GraphACT take as long on a share of them for that share of the graph", "[simulator]") {
  const auto name = GENERATE("engn", "graphact");
  const AcceleratorEntry& entry = *find<AcceleratorEntry>(name);
  CAPTURE(name);
  const Graph fullGraph{400'000, 8'000'000, 1, nullptr}, part{100'000, 2'000'000, 1, nullptr};
  const Values figures = deviceFigures(name);
  const auto simulatePass = [&](const Graph& graph, const Values& on) {
    return entry.simulate({on, library(), graph, {{0, Pass::forward, 64, true}}, Level::tile});
  };
  const DeviceResult full = simulatePass(fullGraph, figures),
                     quarter = simulatePass(part, entry.scaled(figures, 0.25));
  CHECK(quarter.ns == Approx(full.ns).epsilon(0.03));
  CHECK(4.0 * static_cast<double>(quarter.dramBytes()) ==
        Approx(static_cast<double>(full.dramBytes())).epsilon(0.03));
  CHECK(4 * quarter.chipPowerPj == Approx(full.chipPowerPj).epsilon(0.03));
}

TEST_CASE("EnGN's cache holds a row, or is not there", "[simulator]") {
  const SlicePass pass{0, Pass::forward, 100, true};  // 400 bytes: seven lines of 64
  const auto refused = [&](double megabytes) {
    return find<AcceleratorEntry>("engn")->refuse(deviceFigures("engn", {{"vertex_cache_mb", megabytes}}),
                                                  library(), {&pass, 1});
  };
  REQUIRE(refused(0.000447).size() == 1);
  CHECK(refused(0.000447)[0].message ==
        "holds less than one row of 100 columns, which takes 448 bytes in whole lines; more bytes, more "
        "slices, or 0 for no cache");
  CHECK(refused(0.000448).empty());
  CHECK(refused(0).empty());
}

TEST_CASE("EnGN refuses more batches than are soon counted", "[simulator]") {
  const auto refusals = [](std::int64_t vertices, Level level) {
    const SlicePass pass{0, Pass::forward, 4, true};
    const Values figures = deviceFigures("engn", {{"ring_elements", std::int64_t{2}}});
    find<AcceleratorEntry>("engn")->refuseTask(
        {figures, library(), Graph{vertices, 10 * vertices}, {pass}, level});
  };
  CHECK_NOTHROW(refusals(40'000'000, Level::tile));
  CHECK_THROWS_WITH(
      refusals(40'000'002, Level::tile),
      Catch::Contains("device.ring_elements: cuts this graph into more than 20 million batches"));
  CHECK_NOTHROW(refusals(40'000'002, Level::analytic));
}
