#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <span>

#include "engine/base/index.h"
#include "engine/partition/connectivity/bisect.h"
#include "engine/partition/connectivity/level_volume.h"
#include "engine/partition/connectivity/metis.h"
#include "engine/partition/contract/quality.h"
#include "engine/partition/hypergraph/gain_rows.h"
#include "engine/partition/hypergraph/multilevel.h"
#include "engine/partition/hypergraph/rebalance.h"
#include "engine/partition/hypergraph/refine.h"
#include "engine/partition/hypergraph/shuffle.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

Hypergraph netsOf(const Csr& arcs) {
  Values parameters;
  parameters["balance"] = std::string("nonzeros");
  return columnNets(arcs, balanceWeights(arcs, parameters));
}

Owners randomOwners(Vertex nodes, int parts, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 3);
  Owners owners;
  for (Vertex v = 0; v < nodes; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(parts))));
  return owners;
}

std::int64_t heaviest(const NetParts& state) { return *std::ranges::max_element(state.weights()); }

std::vector<Csr> graphs() {
  return {star(20),
          path(23),
          grid(9, 7),
          randomUndirected(40, 15, 1),
          randomUndirected(50, 300, 2),
          randomDirected(60, 200, 3)};
}

PartitionRequest requestFor(int parts) {
  PartitionRequest request;
  request.parts = parts;
  request.parameters["balance"] = std::string("nonzeros");
  return request;
}

}  // namespace

TEST_CASE("the connectivity of the column nets is the volume of the partition", "[partition][connectivity]") {
  for (const Csr& graph : graphs())
    for (const int parts : {2, 3, 7}) {
      const Owners owners = randomOwners(static_cast<Vertex>(graph.rows()), parts, 4);
      CHECK(connectivity(netsOf(graph), owners, parts) == measure(graph, true, owners, parts).volume);
    }
}

TEST_CASE("every move changes the connectivity by its gain, and gain rows stay right",
          "[partition][connectivity]") {
  for (const Csr& graph : graphs()) {
    const int parts = GENERATE(2, 5);
    const Hypergraph nets = netsOf(graph);
    NetParts state(nets, randomOwners(nets.nodeCount(), parts, 5), parts);
    GainRows rows(state, 1'000'000, 1 << 20);
    MoveFinder finder(state, 1'000'000);
    for (Vertex v = 0; v < nets.nodeCount(); v += 2) REQUIRE(rows.reserve(v));  // the others move without
    PhiloxStream random(6, Purpose::shuffle, 4);
    for (int step = 0; step < 150; ++step) {
      const auto node = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(nets.nodeCount())));
      const auto part = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(parts)));
      if (part == state.owner(node)) continue;
      const std::int64_t before = connectivity(nets, state.owners(), parts), gain = state.gain(node, part);
      rows.move(
          node, part, [](Vertex) {}, [](Vertex) {});
      REQUIRE(connectivity(nets, state.owners(), parts) == before - gain);
      REQUIRE(state.connectivity() == before - gain);
      REQUIRE(state.weights() == partWeights(nets.nodeWeight, state.owners(), parts));
      for (Vertex v = 0; v < nets.nodeCount(); ++v) {
        std::int64_t best = -1'000'000;
        for (std::int32_t p = 0; p < parts; ++p) {
          if (p == state.owner(v)) continue;
          const std::int64_t byCounts = state.gain(v, p);
          const bool touched =
              std::ranges::any_of(nets.netsOf(v), [&](Vertex net) { return state.pinsIn(net, p) > 0; });
          if (touched) best = std::max(best, byCounts);
          if (rows.has(v)) REQUIRE(rows.gain(v, p) == byCounts);
        }
        const NodeMove move = finder.best(v);
        REQUIRE((move.part < 0) == (best == -1'000'000));
        if (move.part >= 0) REQUIRE(move.gain == best);
        if (rows.has(v) && move.part >= 0) REQUIRE(rows.best(v).gain == best);
      }
    }
  }
}

TEST_CASE("a partition of clusters costs what it costs on the vertices", "[partition][connectivity]") {
  for (const Csr& graph : graphs()) {
    const Hypergraph nets = netsOf(graph);
    const Affinity affinity = affinityOf(graph);
    const bool byNets = GENERATE(true, false);
    const Levels levels = byNets ? Levels(nets, 4, nullptr, 7) : Levels(nets, affinity, 4, 1'000, nullptr, 7);
    const Hypergraph& coarsest = levels.coarsest();
    CHECK(totalWeight(coarsest.nodeWeight) == totalWeight(nets.nodeWeight));
    Owners owners = randomOwners(coarsest.nodeCount(), 3, 8);
    const std::int64_t cost = connectivity(coarsest, owners, 3);
    for (std::size_t level = levels.count() - 1; level > 0; --level) owners = levels.toFiner(owners, level);
    CHECK(connectivity(nets, owners, 3) == cost);
  }
}

TEST_CASE("clusters inside parts keep the partition", "[partition][connectivity]") {
  const Csr graph = grid(20, 20);
  const Hypergraph nets = netsOf(graph);
  const Affinity affinity = affinityOf(graph);
  const Owners owners = randomOwners(nets.nodeCount(), 2, 9);
  const bool byNets = GENERATE(true, false);
  const Levels levels =
      byNets ? Levels(nets, 20, &owners, 10) : Levels(nets, affinity, 20, 1'000, &owners, 10);
  REQUIRE(levels.count() > 1);
  Owners back = levels.toCoarsest(owners);
  for (std::size_t level = levels.count() - 1; level > 0; --level) back = levels.toFiner(back, level);
  CHECK(back == owners);
}

TEST_CASE("the coarsest graph joins the coarsest nodes, whatever put them together",
          "[partition][connectivity]") {
  const Csr arcs = grid(20, 20);
  const Hypergraph nets = netsOf(arcs);
  const Affinity affinity = affinityOf(arcs);
  const Owners owners = randomOwners(nets.nodeCount(), 2, 9);
  const Owners* within = GENERATE_REF(static_cast<const Owners*>(nullptr), &owners);
  const std::int64_t heaviest = GENERATE(1, 20, 1'000);  // at 1 no level has communities
  const Levels levels(nets, affinity, 20, heaviest, within, 10);
  // every finest node's number on the coarsest level
  Owners cluster(at(levels.coarsest().nodeCount()));
  std::iota(cluster.begin(), cluster.end(), 0);
  for (std::size_t level = levels.count() - 1; level > 0; --level) cluster = levels.toFiner(cluster, level);
  const Affinity coarse = levels.coarsestGraph();
  REQUIRE(coarse.edges.rows() == levels.coarsest().nodeCount());
  std::map<std::pair<std::int32_t, std::int32_t>, Scalar> expected, actual;
  for (Index v = 0; v < affinity.edges.rows(); ++v)
    for (const Vertex u : affinity.edges.row(v)) {
      const std::pair ends{cluster[at(v)], cluster[at(u)]};
      if (ends.first != ends.second) ++expected[ends];
    }
  for (Vertex c = 0; c < levels.coarsest().nodeCount(); ++c)
    for (Index e = coarse.edges.offsets[at(c)]; e < coarse.edges.offsets[at(c) + 1]; ++e)
      actual[{c, coarse.edges.columns[at(e)]}] =
          coarse.edges.weighted() ? coarse.edges.values[at(e)] : Scalar{1};
  CHECK(actual == expected);
}

TEST_CASE("refinement never ends above its start nor above the balance", "[partition][connectivity]") {
  for (const Csr& graph : graphs())
    for (const int parts : {2, 4, 9}) {
      const Hypergraph nets = netsOf(graph);
      const std::int64_t limit = partLimit(nets.nodeWeight, parts, 0.03);
      NetParts state(nets, spreadByWeight(nets.nodeWeight, parts), parts);
      const std::int64_t most = std::max(limit, heaviest(state)), before = state.connectivity();
      const Cooling cooling = GENERATE(Cooling{}, Cooling{7, 1.0, 0.1}, Cooling{6, 50.0, 50.0});
      refine(state, limit, {.rounds = cooling.passes == 0, .cooling = cooling}, 11);
      CHECK(state.connectivity() <= before);
      CHECK(state.connectivity() == connectivity(nets, state.owners(), parts));
      CHECK(heaviest(state) <= most);
    }
}

TEST_CASE("rebalancing empties what is too full", "[partition][connectivity]") {
  const Hypergraph nets = netsOf(grid(12, 12));
  NetParts state(nets, Owners(144, 0), 3);
  const std::int64_t limit = partLimit(nets.nodeWeight, 3, 0.03);
  rebalance(state, limit);
  CHECK(heaviest(state) <= limit);
}

TEST_CASE("where no single node fits, two are swapped, the cheapest pair", "[partition][connectivity]") {
  Hypergraph nets;  // nodes 0 to 3 weigh 6 and share a net, 4 to 7 weigh 5 and share one; 3 and 7 are joined
  nets.pins = {0, 1, 2, 3, 4, 5, 6, 7, 3, 7};
  nets.netBegin = {0, 4, 8, 10};
  nets.netWeight = {5, 5, 1};
  nets.nodeWeight = {6, 6, 6, 6, 5, 5, 5, 5};
  completeNodes(nets, 8);
  NetParts state(nets, {0, 0, 0, 0, 1, 1, 1, 1}, 2);
  rebalance(state, 23);  // 24 and 20: no node fits into 3
  CHECK(state.weights() == std::vector<std::int64_t>{24, 20});
  swapIntoBalance(state, 23);
  CHECK(state.weights() == std::vector<std::int64_t>{23, 21});
  CHECK(state.owner(3) == 1);
  CHECK(state.owner(7) == 0);
  CHECK(state.connectivity() == connectivity(nets, state.owners(), 2));
}

TEST_CASE("rebalancing never ends with more weight above the limit, nor above it where swaps can help",
          "[partition][connectivity]") {
  for (const Csr& graph : graphs())
    for (const int parts : {2, 3, 5}) {
      const Hypergraph nets = netsOf(graph);
      const std::int64_t limit = partLimit(nets.nodeWeight, parts, 0);
      NetParts state(nets, randomOwners(nets.nodeCount(), parts, 24), parts);
      const std::int64_t before = excessOf(state, limit);
      rebalance(state, limit);
      swapIntoBalance(state, limit);
      CHECK(excessOf(state, limit) <= before);
      CHECK(state.weights() == partWeights(nets.nodeWeight, state.owners(), parts));
      CHECK(heaviest(state) <= limit + 1);
    }
}

TEST_CASE("levelling counts what each part sends and lowers the largest", "[partition][connectivity]") {
  const Csr graph = randomUndirected(200, 800, 13);
  const Hypergraph nets = netsOf(graph);
  NetParts state(nets, randomOwners(200, 4, 14), 4);
  const auto largest = [&] { return measure(graph, false, state.owners(), 4).maxVolume; };
  const std::int64_t before = largest();
  const std::vector<std::int64_t> sent = sentRowsOf(state);
  CHECK(*std::ranges::max_element(sent) == before);
  const std::int64_t total = state.connectivity() + 10;
  levelVolume(state, 1'000'000, before - 10, total);
  CHECK(largest() <= before - 10);
  CHECK(state.connectivity() <= total);
  CHECK(state.connectivity() == connectivity(nets, state.owners(), 4));
}

TEST_CASE("levelling lets no other part come above the largest, and spends no more than it may",
          "[partition][connectivity]") {
  for (const Csr& graph : {randomUndirected(300, 1500, 25), randomDirected(300, 1500, 26), star(60)}) {
    const int parts = GENERATE(2, 5);
    const Hypergraph nets = netsOf(graph);
    Owners owners = randomOwners(nets.nodeCount(), parts, 27);
    for (std::size_t v = 0; v < owners.size() / 2; ++v) owners[v] = 0;  // one part sends most
    NetParts state(nets, owners, parts);
    const std::int64_t before = std::ranges::max(sentRowsOf(state)), mean = state.connectivity() / parts,
                       spare = GENERATE(0, 7, 1'000'000), total = state.connectivity() + spare;
    const std::int64_t limit = GENERATE(1'000'000, 0);  // at 0 nothing may move
    levelVolume(state, limit, mean, total);
    CHECK(std::ranges::max(sentRowsOf(state)) <= before);
    CHECK(state.connectivity() <= total);
    if (limit == 0) CHECK(state.owners() == owners);
    if (limit > 0 && spare > 7 && graph.nonzeros() > 1000)  // not the star, whose hub sends all
      CHECK(std::ranges::max(sentRowsOf(state)) <= mean + mean / 4);
  }
}

TEST_CASE("recursive bisection fills every part within the limit and leaves fewer rows than chance",
          "[partition][connectivity]") {
  for (const Csr& graph : {grid(20, 20), randomUndirected(500, 2500, 18), randomDirected(400, 1600, 19)}) {
    const int parts = GENERATE(1, 2, 3, 4, 7);
    const Hypergraph nets = netsOf(graph);
    const std::int64_t limit = partLimit(nets.nodeWeight, parts, 0.05);
    NetParts state(nets, recursivelyBisected(nets, parts, limit, 20), parts);
    CHECK(*std::ranges::min_element(state.weights()) > 0);
    CHECK(heaviest(state) <= limit);
    if (parts > 1)
      CHECK(10 * state.connectivity() <
            9 * connectivity(nets, randomOwners(nets.nodeCount(), parts, 21), parts));
  }
}

TEST_CASE("recursive bisection cuts two cliques apart where they meet", "[partition][connectivity]") {
  Hypergraph nets;  // nodes 0 to 4 and 5 to 9 share a heavy net each, 4 and 5 a light one
  nets.pins = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5};
  nets.netBegin = {0, 5, 10, 12};
  nets.netWeight = {7, 7, 2};
  nets.nodeWeight.assign(10, 1);
  completeNodes(nets, 10);
  CHECK(connectivity(nets, recursivelyBisected(nets, 2, 5, 22), 2) == 2);
}

TEST_CASE("what parts hold from the start counts towards their limit", "[partition][connectivity]") {
  const Hypergraph nets = netsOf(grid(10, 10));
  const std::int64_t total = totalWeight(nets.nodeWeight);
  NetParts state(nets, Owners(100, 0), 2, {total / 2, 0});
  REQUIRE(state.weights() == std::vector<std::int64_t>{total + total / 2, 0});
  const std::int64_t limit = total * 8 / 10;
  rebalance(state, limit);
  refine(state, limit, {}, 23);
  CHECK(heaviest(state) <= limit);
  CHECK(partWeights(nets.nodeWeight, state.owners(), 2)[0] <= limit - total / 2);
}

TEST_CASE("connectivity holds the balance and needs no more rows than METIS", "[partition][connectivity]") {
  const Csr graph = GENERATE(grid(40, 30), randomUndirected(500, 2500, 15), randomDirected(400, 1600, 16));
  const int parts = GENERATE(2, 4, 7);
  PartitionRequest request = requestFor(parts);
  request.parameters["start"] = std::string(GENERATE("metis", "hypergraph"));
  const Owners owners = partition(graph, "connectivity", request);
  const Weights weights = balanceWeights(graph, request.parameters);
  const auto loads = partWeights(weights, owners, parts);
  CHECK(*std::ranges::max_element(loads) <= partLimit(weights, parts, request.imbalance));
  CHECK(measure(graph, true, owners, parts).volume <=
        measure(graph, true, partition(graph, "metis", request), parts).volume);
}

TEST_CASE("connectivity holds the balance as well as vertices spread by their weight",
          "[partition][connectivity]") {
  const Csr graph = randomUndirected(200, 1500, 18);
  const auto [parts, imbalance] = GENERATE(table<int, double>({{3, 0.0}, {17, 0.01}, {50, 0.02}}));
  PartitionRequest request = requestFor(parts);
  request.imbalance = imbalance;
  const Weights weights = balanceWeights(graph, request.parameters);
  const auto heaviestOf = [&, parts = parts](const Owners& owners) {
    return std::ranges::max(partWeights(weights, owners, parts));
  };
  const std::int64_t within =
      std::max(partLimit(weights, parts, imbalance), heaviestOf(spreadByWeight(weights, parts)));
  for (request.seed = 1; request.seed <= 4; ++request.seed)
    CHECK(heaviestOf(partition(graph, "connectivity", request)) <= within);
}

TEST_CASE("connectivity keeps cliques that never meet whole", "[partition][connectivity]") {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 600; v += 3)
    for (const Arc arc : {Arc{v, v + 1}, Arc{v, v + 2}, Arc{v + 1, v + 2}}) arcs.push_back(arc);
  const Csr graph = symmetrised(buildCsr(600, arcs, false));
  const int parts = GENERATE(2, 4);
  CHECK(measure(graph, true, partition(graph, "connectivity", requestFor(parts)), parts).volume == 0);
}

TEST_CASE("connectivity and hypergraph are decided by the seed", "[partition][connectivity]") {
  const std::string method = GENERATE("connectivity", "hypergraph");
  const Csr graph = randomUndirected(400, 1600, 17);
  PartitionRequest request = requestFor(4);
  if (method == "connectivity") request.parameters["start"] = std::string(GENERATE("metis", "hypergraph"));
  const Owners first = partition(graph, method, request);
  CHECK(first == partition(graph, method, request));
  request.seed = 2;
  CHECK(first != partition(graph, method, request));
}

TEST_CASE("hypergraph leaves far fewer rows than chance within the balance", "[partition][hypergraph]") {
  const Csr graph = grid(40, 30);
  const PartitionRequest request = requestFor(4);
  const Owners owners = partition(graph, "hypergraph", request);
  const Weights weights = balanceWeights(graph, request.parameters);
  const auto loads = partWeights(weights, owners, 4);
  CHECK(static_cast<double>(*std::ranges::max_element(loads)) <=
        1.04 * static_cast<double>(totalWeight(weights)) / 4);
  CHECK(4 * measure(graph, false, owners, 4).volume <
        measure(graph, false, partition(graph, "random", requestFor(4)), 4).volume);
}

}  // namespace halo
