// Level `tile` within a tenth of level `cycle` on random tiles, here on whole random graphs.
#include <catch2/catch.hpp>
#include <cmath>

#include "datasets/generate/generate_arcs.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

constexpr int kGraphs = 20;
constexpr const char* kDevices[] = {"spu", "hygcn", "hygcn-mixgcn", "awb-gcn", "awb-gcn-mixgcn", "fpga"};

/// 1,000 to `largest` vertices, 4 to 40 neighbours each; half with hubs and communities, half nearly even.
Csr randomGraph(int index, double largest) {
  GraphShape shape;
  shape.generator = "community";
  shape.vertices = static_cast<Vertex>(std::lround(1000 * std::pow(largest / 1000, index / (kGraphs - 1.0))));
  shape.averageDegree = 4 + 36 * ((7 * index) % kGraphs) / (kGraphs - 1.0);
  const bool hubs = index % 2 == 0;
  shape.exponent = hubs ? 1.9 : 3.5;
  const auto quarter = static_cast<Vertex>(shape.vertices / 4);
  shape.maxDegree = hubs ? quarter : std::min<Vertex>(quarter, 200);
  shape.homophily = hubs ? 0.8 : 0.2;
  shape.classes = 7;
  const auto seed = static_cast<std::uint64_t>(index + 1);
  return plantCommunities(shape, planGraph(shape, 1), seed, {}, 1).arcs;
}

double tileOverCycle(const std::string& device, const Csr& matrix, std::int64_t width,
                     const std::map<std::string, Value>& other = {}) {
  const Graph graph{matrix.rows(), matrix.nonzeros(), 1, &matrix};
  const Values figures = deviceFigures(device, other);
  const auto cycles = [&](Level level) {
    return static_cast<double>(
        find<AcceleratorEntry>(deviceFile(device).model)
            ->simulate({figures, library(), graph, {{0, Pass::forward, width, false}}, level})
            .cycles);
  };
  return cycles(Level::tile) / cycles(Level::cycle);
}

constexpr std::int64_t kWidths[] = {4, 19, 128};

/// Every device on all graphs, in one of the widths or in each.
void agree(double largest, bool allWidths) {
  for (int g = 0; g < kGraphs; ++g) {
    const Csr matrix = randomGraph(g, largest);
    for (const char* device : kDevices)
      for (std::size_t w = 0; w < std::size(kWidths); ++w) {
        if (!allWidths && w != at(g) % std::size(kWidths)) continue;
        CAPTURE(g, matrix.rows(), matrix.nonzeros(), device, kWidths[w]);
        CHECK(tileOverCycle(device, matrix, kWidths[w]) == Approx(1).margin(0.1));
      }
  }
}

Csr randomArcs(Vertex vertices, int count) {
  PhiloxStream random(1, Purpose::generate, 7);
  const auto any = [&] { return static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices))); };
  std::vector<Arc> arcs;
  for (int i = 0; i < count; ++i) {
    const Vertex from = any();
    arcs.push_back({from, any()});
  }
  return buildCsr(vertices, arcs, true);
}

/// Arcs both ways from a few vertices that have most of them to any: numbers by degree, the largest first or
/// last.
Csr hubsByNumber(Vertex vertices, int count, double exponent, bool first) {
  PhiloxStream random(1, Purpose::generate, 8);
  const auto numbers = static_cast<std::uint64_t>(vertices);
  std::vector<Arc> arcs;
  for (int i = 0; i < count; ++i) {
    const double even = (static_cast<double>(random.below(1 << 20)) + 0.5) / (1 << 20);
    const auto rank = static_cast<Vertex>(std::fmod(std::pow(even, -1 / exponent), vertices));
    const Vertex hub = first ? rank : vertices - 1 - rank, other = static_cast<Vertex>(random.below(numbers));
    arcs.push_back({hub, other});
    arcs.push_back({other, hub});
  }
  return buildCsr(vertices, arcs, true);
}

}  // namespace

TEST_CASE("twenty random graphs take at level tile what is counted cycle by cycle, within a tenth",
          "[simulator]") {
  agree(10'000, false);
}

TEST_CASE("larger random graphs, in every width, take at level tile what is counted cycle by cycle",
          "[.nightly]") {
  agree(30'000, true);
}

TEST_CASE("hubs at either end of the numbering are in samples as in the whole", "[simulator]") {
  for (const double exponent : {0.6, 1.3})
    for (const bool first : {true, false}) {
      const Csr matrix = hubsByNumber(10'000, 100'000, exponent, first);
      for (const std::int64_t width : {4, 19, 128}) {
        CAPTURE(exponent, first, matrix.nonzeros(), width);
        CHECK(tileOverCycle("fpga", matrix, width) == Approx(1).margin(0.1));
      }
      // fewer elements, so that a sample is not the whole
      CAPTURE(exponent, first);
      CHECK(tileOverCycle("awb-gcn-mixgcn", matrix, 1,
                          {{"pes", std::int64_t{256}},
                           {"distributor_nonzeros_per_cycle", std::int64_t{128}}}) == Approx(1).margin(0.1));
    }
}

TEST_CASE("windows with hubs, whose bank has most to read, take what is counted", "[simulator][hygcn]") {
  for (const double exponent : {0.6, 1.3})
    for (const bool first : {true, false}) {
      const Csr matrix = hubsByNumber(10'000, 100'000, exponent, first);
      for (const std::int64_t width : {1, 4, 16, 64}) {
        CAPTURE(exponent, first, matrix.nonzeros(), width);
        CHECK(tileOverCycle("hygcn", matrix, width) == Approx(1).margin(0.1));
      }
    }
}

TEST_CASE("shards as small as HyGCN's own shares of 100 MB leave of papers100M take what is counted",
          "[simulator][hygcn]") {
  // there windows have 18,000 sources of four columns and an interval and a window have 4,700 arcs in common
  const Csr matrix = randomArcs(150'000, 350'000);
  const double ratio =
      tileOverCycle("hygcn-mixgcn", matrix, 4,
                    {{"input_buffer_mb", 0.578}, {"aggregation_buffer_mb", 0.64}, {"edge_buffer_mb", 9.04}});
  CHECK(ratio == Approx(1).margin(0.1));
}

TEST_CASE("without coordination every map of addresses takes at level tile what is counted",
          "[simulator][hygcn]") {
  for (const Vertex vertices : {20'000, 60'000}) {
    const Csr matrix = randomArcs(vertices, 250'000);
    for (const char* map : {"crbgh", "rbcgh", "hrbcg"})
      for (const double sums : {16.0, 1.0}) {
        const double ratio = tileOverCycle("hygcn", matrix, 16,
                                           {{"coordination", std::string("off")},
                                            {"uncoordinated_map", std::string(map)},
                                            {"aggregation_buffer_mb", sums}});
        CAPTURE(vertices, map, sums);
        CHECK(ratio == Approx(1).margin(0.1));
      }
  }
}

TEST_CASE("buffers of a few rows leave tiles as far from what is counted as the manual says", "[simulator]") {
  for (const int g : {1, 3, 6, 8}) {
    const Csr matrix = randomGraph(g, 30'000);
    for (const std::int64_t width : kWidths) {
      CAPTURE(g, matrix.rows(), width);
      for (const auto& [rows, sums] :
           {std::pair{0.004, 0.02}, {0.02, 0.004}, {0.02, 0.1}, {0.02, 2.0}, {0.128, 0.1}})
        for (const char* device : {"hygcn", "hygcn-mixgcn"}) {
          CAPTURE(device, rows, sums);
          const double ratio = tileOverCycle(device, matrix, width,
                                             {{"input_buffer_mb", rows}, {"aggregation_buffer_mb", sums}});
          CHECK(ratio > 0.65);
          CHECK(ratio < 1.25);
        }
      for (const std::int64_t destinations : {16, 64, 256, 1024})
        CHECK(tileOverCycle("fpga", matrix, width, {{"destination_rows", destinations}}) ==
              Approx(1).margin(0.1));
    }
  }
}
