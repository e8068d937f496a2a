#include "engine/partition/stochastic/expected_parts.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/base/index.h"
#include "engine/partition/stochastic/expected_gains.h"
#include "engine/partition/stochastic/expected_rows.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

Owners randomOwners(Index nodes, int parts, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 3);
  Owners owners;
  for (Index v = 0; v < nodes; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(parts))));
  return owners;
}

Hypergraph columnsOf(const Csr& arcs) { return columnNets(arcs, Weights(at(arcs.rows()), 1)); }

/// The cost from the definition, in the units of `chances`.
std::int64_t costOf(const Hypergraph& columns, const Owners& owners, int parts,
                    const std::vector<std::int64_t>& chances) {
  std::int64_t cost = 0;
  for (Vertex net = 0; net < columns.netCount(); ++net) {
    const auto pins = columns.pinsOf(net);
    std::vector<std::size_t> consumers(at(parts), 0);
    for (const Vertex consumer : pins.subspan(1)) ++consumers[at(owners[at(consumer)])];
    for (std::int32_t p = 0; p < parts; ++p)
      if (p != owners[at(pins.front())]) cost += chances[consumers[at(p)]];
  }
  return cost;
}

}  // namespace

TEST_CASE("every move changes the rows expected by its gain, and best moves are best",
          "[partition][stochastic]") {
  const Csr arcs = GENERATE(randomDirected(40, 260, 1), randomUndirected(50, 150, 2), star(15));
  const int parts = GENERATE(2, 5);
  const Index batch = GENERATE(2, 9, 15);
  const Hypergraph columns = columnsOf(arcs);
  std::vector<std::int64_t> chances;
  for (const double chance : chancesOfAny(arcs.rows(), batch, arcs.rows() - 1))
    chances.push_back(std::llround(1e6 * chance));
  NetParts state(columns, randomOwners(arcs.rows(), parts, 5), parts);
  ExpectedGains gains(state, 1'000'000, chances);
  CHECK(gains.cost() == costOf(columns, state.owners(), parts, chances));
  PhiloxStream random(6, Purpose::shuffle, 4);
  for (int step = 0; step < 80; ++step) {
    const auto node = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(columns.nodeCount())));
    const auto part = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(parts)));
    if (part == state.owner(node)) continue;
    const std::int64_t before = gains.cost(), gain = gains.gain(node, part);
    gains.move(
        node, part, [](Vertex) {}, [](Vertex) {});
    REQUIRE(gains.cost() == before - gain);
    REQUIRE(gains.cost() == costOf(columns, state.owners(), parts, chances));
    for (Vertex v = 0; v < columns.nodeCount(); ++v) {
      const NodeMove best = gains.best(v);
      std::int64_t most = -1'000'000'000;
      for (std::int32_t p = 0; p < parts; ++p) {
        const bool touched =
            std::ranges::any_of(columns.netsOf(v), [&](Vertex net) { return state.pinsIn(net, p) > 0; });
        if (p != state.owner(v) && touched) most = std::max(most, gains.gain(v, p));
      }
      REQUIRE((best.part < 0) == (most == -1'000'000'000));
      if (best.part >= 0) REQUIRE(best.gain == most);
      if (best.part >= 0) REQUIRE(gains.gain(v, best.part) == most);
    }
  }
}

TEST_CASE("nets near the rows expected are exact in the whole graph and in small batches",
          "[partition][stochastic]") {
  const Csr arcs = randomDirected(60, 300, 8);
  const Hypergraph columns = columnsOf(arcs);
  const std::int64_t unit = 1000;
  const Owners owners = randomOwners(arcs.rows(), 4, 9);
  const auto near = [&](Index batch) {
    const Hypergraph nets =
        netsNearExpected(columns, chancesOfAny(arcs.rows(), batch, arcs.rows() - 1), unit);
    return static_cast<double>(connectivity(nets, owners, 4)) / static_cast<double>(unit);
  };
  const auto exact = [&](Index batch) {
    const std::vector<double> rows = expectedRows(arcs, owners, 4, batch);
    const double met = static_cast<double>(batch) / 60, arc = static_cast<double>(batch - 1) / 59;
    return std::accumulate(rows.begin(), rows.end(), 0.0) / met / arc;  // in units of an arc's chance
  };
  CHECK(near(60) == Approx(exact(60)).epsilon(1e-12));
  CHECK(near(2) == Approx(exact(2)).epsilon(1e-12));
  CHECK(near(20) == Approx(exact(20)).epsilon(0.1));
}

TEST_CASE("parts made for the rows expected have fewer of them than parts made for halo rows",
          "[partition][stochastic]") {
  const Csr arcs = randomUndirected(900, 4000, 11);
  PartitionRequest request;
  request.parts = 6;
  request.parameters["batch_vertices"] = std::int64_t{60};
  const auto rows = [&](const char* method, const char* objective) {
    PartitionRequest variant = request;
    if (std::string(method) == "connectivity") {
      variant.parameters = {};
      variant.parameters["balance"] = std::string("nonzeros-self");
    } else {
      variant.parameters["objective"] = std::string(objective);
    }
    const std::vector<double> sent = expectedRows(arcs, partition(arcs, method, variant), request.parts, 60);
    return std::accumulate(sent.begin(), sent.end(), 0.0);
  };
  const double halo = rows("connectivity", ""), expected = rows("stochastic-hypergraph", "expected"),
               sampled = rows("stochastic-hypergraph", "sampled");
  CAPTURE(halo, expected, sampled);
  CHECK(expected <= halo);
  CHECK(expected <= 1.01 * sampled);
}

}  // namespace halo
