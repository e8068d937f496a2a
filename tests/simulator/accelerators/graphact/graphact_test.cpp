#include <catch2/catch.hpp>

#include "simulator/graph/pair_reduction.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

DeviceResult run(const Graph& graph, std::int64_t width, Level level,
                 const std::map<std::string, Value>& other = {}) {
  return find<AcceleratorEntry>("graphact")
      ->simulate(
          {deviceFigures("graphact", other), library(), graph, {{0, Pass::forward, width, true}}, level});
}

double factor(const DeviceResult& result, const std::string& name) {
  const auto factor = std::ranges::find(result.factors, name, &Factor::name);
  REQUIRE(factor != result.factors.end());
  return factor->value;
}

}  // namespace

TEST_CASE("GraphACT's additions are those of pairs and of what is left", "[simulator]") {
  const Csr matrix = randomDirected(300, 30'000, 6);
  const Graph graph{300, matrix.nonzeros(), 1, &matrix};
  const PairReduction reduction = reducePairs(matrix, 3);
  const auto level = GENERATE(Level::analytic, Level::tile);
  const DeviceResult result = run(graph, 128, level);
  CHECK(result.operations == reduction.additions() * 128);
  CHECK(factor(result, "pairs") == Approx(static_cast<double>(reduction.pairs.size())));
  CHECK(factor(result, "additions_left") == Approx(static_cast<double>(reduction.additions()) /
                                                   static_cast<double>(rowAdditions(matrix, 0, 300))));
  const DeviceResult plain = run(graph, 128, level, {{"rounds", std::int64_t{0}}});
  CHECK(plain.operations == rowAdditions(matrix, 0, 300) * 128);
  CHECK(result.cycles < plain.cycles);
}

TEST_CASE("a subgraph on the chip takes its additions, beat by beat", "[simulator]") {
  const Csr matrix = randomDirected(300, 30'000, 6);
  const Graph graph{300, matrix.nonzeros(), 1, &matrix};
  const std::int64_t additions = reducePairs(matrix, 3).additions();
  const DeviceResult fast = run(graph, 130, Level::tile, {{"ddr_gbps", 100'000.0}});
  CHECK(fast.cycles == 2 * additions);  // 130 columns are two beats of 128 lanes
  // rows once, sums once, pairs' columns, what is left of the rows' columns
  const PairReduction reduction = reducePairs(matrix, 3);
  CHECK(fast.dramBytes() ==
        2 * 300 * 130 * 4 + 8 * std::ssize(reduction.pairs) + 4 * reduction.matrix.nonzeros());
  // a window that is too small for rows and pairs: pairs' sums leave and come back
  const DeviceResult small = run(graph, 130, Level::tile, {{"row_buffer_mb", 0.1}});
  CHECK(small.streams[2].value == std::ssize(reduction.pairs) * 130 * 4);
  CHECK(small.dramBytes() > fast.dramBytes());
}

TEST_CASE("with figures alone GraphACT takes no pairs, and says so", "[simulator]") {
  const DeviceResult result = run({10'000, 1'000'000, 1, nullptr}, 64, Level::tile);
  CHECK(factor(result, "pairs") == 0);
  const auto factor = std::ranges::find(result.factors, "pairs", &Factor::name);
  CHECK(factor->from == "assumed: none, with figures alone");
}

TEST_CASE("a graph whose pairs are too many to count is refused by name", "[simulator]") {
  std::vector<Arc> arcs;  // one row of 120,000 neighbours: 1.4e10 pairs
  for (Vertex v = 0; v < 120'000; ++v) arcs.push_back({v, 7});
  const Csr matrix = buildCsr(120'000, arcs, true);
  const Graph graph{120'000, matrix.nonzeros(), 1, &matrix};
  CHECK_THROWS_WITH(run(graph, 4, Level::tile),
                    "device.rounds: counting pairs of neighbours takes 1.4e+10 steps in this graph, at most "
                    "1e+10; a sampled subgraph, or rounds = 0");
  CHECK(run(graph, 4, Level::tile, {{"rounds", std::int64_t{0}}}).operations == 119'999 * 4);
}
