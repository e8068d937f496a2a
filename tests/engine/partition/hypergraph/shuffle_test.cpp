#include "engine/partition/hypergraph/shuffle.h"
#include "engine/base/index.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/partition/hypergraph/coarsen.h"
#include "engine/partition/hypergraph/hypergraph.h"

using namespace halo;

namespace {

constexpr auto kBlock = static_cast<Vertex>(kShuffleBlock);

Csr path(Vertex vertices) {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v + 1 < vertices; ++v) {
    arcs.push_back({v, v + 1});
    arcs.push_back({v + 1, v});
  }
  return buildCsr(vertices, arcs, false);
}

}  // namespace

TEST_CASE("an order in blocks holds every number once and leaves no block before it is through") {
  const Vertex count =
      GENERATE_COPY(values<Vertex>({0, 1, 5, kBlock - 1, kBlock, kBlock + 1, 5 * kBlock + 77}));
  const std::vector<Vertex> order = shuffledInBlocks(count, 9);
  REQUIRE(order.size() == at(count));
  Vertex entered = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    entered += i == 0 || order[i] / kBlock != order[i - 1] / kBlock;
  CHECK(entered == (count + kBlock - 1) / kBlock);
  std::vector<Vertex> sorted = order;
  std::ranges::sort(sorted);
  for (Vertex v = 0; v < count; ++v) REQUIRE(sorted[at(v)] == v);
  if (count >= kBlock - 1) {
    CHECK(order != sorted);
    CHECK(order != shuffledInBlocks(count, 10));
  }
  if (count > kBlock) {  // some order of four does not begin with the first block
    const auto beginsLater = [&](std::uint64_t seed) { return shuffledInBlocks(count, seed)[0] >= kBlock; };
    CHECK((beginsLater(1) || beginsLater(2) || beginsLater(3) || beginsLater(4)));
  }
}

TEST_CASE("coarsening that may not go far leaves no block of numbers as it was") {
  const Vertex count = 6 * kBlock + 1000;
  const Vertex fewest = count / 10 * 7;
  const Hypergraph graph = columnNets(path(count), Weights(at(count), 1));
  const Clusters clusters = heavyConnectivity(graph, 10, fewest, nullptr, 3);
  CHECK(clusters.count == fewest);
  std::vector<Vertex> members(at(clusters.count), 0);
  for (const Vertex c : clusters.ofVertex) ++members[at(c)];
  std::vector<Vertex> alone(at(count / kBlock), 0);
  for (Vertex v = 0; v < count / kBlock * kBlock; ++v)
    alone[at(v / kBlock)] += members[at(clusters.ofVertex[at(v)])] == 1;
  for (const Vertex nodes : alone) CHECK(nodes < kBlock / 10 * 6);
}
