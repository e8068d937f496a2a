#include <algorithm>
#include <catch2/catch.hpp>

#include "simulator/device/graph_source.h"
#include "simulator/graph/localise.h"
#include "simulator/graph/tiling.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

std::vector<std::vector<Block>> tilesOf(const Graph& graph, const TileShape& shape) {
  std::vector<std::vector<Block>> all;
  forEachTile(graph, shape,
              [&](const Tile& tile) { all.emplace_back(tile.blocks.begin(), tile.blocks.end()); });
  return all;
}

Graph counts(double band, double locality) {
  Graph graph{1000, 100'000, band, nullptr};
  graph.locality = locality;
  return graph;
}

double shareWithin(const Csr& arcs, Index reach) {
  std::int64_t within = 0;
  for (Index r = 0; r < arcs.rows(); ++r)
    for (const Vertex v : arcs.row(r)) within += std::abs(v - r) <= reach ? 1 : 0;
  return static_cast<double>(within) / static_cast<double>(arcs.nonzeros());
}

/// A graph of 200,000 vertices of which a replica of a twentieth is made.
const Library& withToy() {
  static const Library all = [] {
    Library toyLibrary = library();
    toyLibrary.graphs["toy"] = {200'000, 4'000'000, 16, 4, 2.5, 4000, "made"};
    return toyLibrary;
  }();
  return all;
}

SourceGraph replica(double band, double locality, const std::string& tiling = "replica") {
  return sourceGraph(
      {.graph = "toy", .tiling = tiling, .replicaScale = 0.05, .band = band, .locality = locality},
      withToy());
}

}  // namespace

TEST_CASE("of the expected nonzeros a band has its locality and an even share of the rest", "[simulator]") {
  const auto locality = GENERATE(0.0, 0.3, 0.6, 1.0);
  const TileShape shape{100, 100, 16, 64};
  const auto mixed = tilesOf(counts(0.25, locality), shape), near = tilesOf(counts(0.25, 1), shape);
  std::int64_t sum = 0;
  for (std::size_t t = 0; t < 10; ++t)
    for (std::size_t w = 0; w < 10; ++w) {
      CAPTURE(locality, t, w);
      const double expected =
          locality * static_cast<double>(near[t][w].nonzeros) + (1 - locality) * 100'000 / 100;
      CHECK(static_cast<double>(mixed[t][w].nonzeros) == Approx(expected).margin(1.5));
      sum += mixed[t][w].nonzeros;
    }
  CHECK(sum == 100'000);
}

TEST_CASE("a localised graph has its share within the band, and its degrees", "[simulator]") {
  const auto locality = GENERATE(0.0, 0.5, 0.9, 1.0);
  const Csr loose = replica(1, 1).arcs, tight = replica(0.1, locality).arcs;
  REQUIRE(loose.rows() == tight.rows());
  const Index n = tight.rows(), reach = n / 10;
  const double byChance = placesInBand(static_cast<double>(n), 0.1) / static_cast<double>(n * n);
  CAPTURE(locality);
  CHECK(shareWithin(tight, reach) == Approx(locality + (1 - locality) * byChance).margin(0.01));
  CHECK(static_cast<double>(tight.nonzeros()) ==
        Approx(static_cast<double>(loose.nonzeros())).epsilon(0.002));
  for (Index r = 0; r < n; ++r) {
    REQUIRE(tight.degree(r) <= loose.degree(r));
    if (loose.degree(r) <= reach) REQUIRE(tight.degree(r) == loose.degree(r));  // there is room
  }
  const Csr uses = transpose(loose), stay = transpose(tight);
  Index hub = 0;
  for (Index v = 0; v < n; ++v)
    if (uses.degree(v) > uses.degree(hub)) hub = v;
  CHECK(stay.degree(hub) * 2 > uses.degree(hub));
  CHECK(stay.degree(hub) > 5 * (stay.nonzeros() / n));
}

TEST_CASE("a localised graph is the same each time, of any graph", "[simulator]") {
  for (const Dataset& set : halo::test::hardGraphs())
    for (const Index reach : {Index{0}, Index{1}, set.vertices()}) {
      CAPTURE(set.name, reach);
      const Csr once = localised(set.arcs, reach, 0.7, 5), again = localised(set.arcs, reach, 0.7, 5);
      CHECK(std::ranges::equal(once.columns, again.columns));
      CHECK(once.nonzeros() <= set.arcs.nonzeros());
      CHECK(selfLoops(once) == 0);
      const Csr all = localised(set.arcs, reach, 1, 5);
      for (Index r = 0; r < all.rows(); ++r)
        for (const Vertex v : all.row(r)) CHECK(std::abs(v - r) <= reach);
    }
}

TEST_CASE("expected blocks and a replica's tell the same of one locality", "[simulator]") {
  const auto locality = GENERATE(0.5, 0.95);
  const auto simulateTiling = [&](const char* tiling) {
    DeviceSettings settings =
        mixgcn("spu", "toy", {{"node_buffer_mb", 0.4}, {"output_buffer_mb", 0.4}, {"hbm_gbps", 64.0}});
    settings.tiling = tiling;
    settings.replicaScale = 0.05;
    settings.band = 0.1;
    settings.locality = locality;
    settings.slices = 4;
    settings.model.layers = 1;
    return simulate(settings, withToy());
  };
  const Simulated expected = simulateTiling("statistics"), replica = simulateTiling("replica");
  CAPTURE(locality);
  CHECK(replica.dramBytes / expected.dramBytes == Approx(1).margin(0.08));
  CHECK(replica.seconds / expected.seconds == Approx(1).margin(0.08));
}

TEST_CASE("the nearer the neighbours, the fewer the rows that come", "[simulator]") {
  const auto device = GENERATE("spu", "gpu", "cpu");
  double before = 1e300;
  for (const double locality : {0.0, 0.5, 0.9, 1.0}) {
    DeviceSettings settings = mixgcn(device, "friendster");
    settings.band = 0.01;
    settings.locality = locality;
    const double bytes = simulate(settings, library()).dramBytes;
    CAPTURE(device, locality);
    CHECK(bytes < before);
    before = bytes;
  }
}

TEST_CASE("a band needs room for the arcs that keep within it alone", "[simulator]") {
  CHECK(replica(0.002, 0.5, "statistics").locality == 0.5);
  CHECK_THROWS_WITH(replica(0.00004, 1, "statistics"), Catch::Contains("has room for"));
  CHECK_THROWS_WITH(replica(0.0006, 1), Catch::Contains("has room for"));  // of the replica 6 either side
  CHECK(replica(0.0006, 0.1).arcs.rows() == 10'000);
}
