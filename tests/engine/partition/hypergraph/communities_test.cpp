#include "engine/partition/hypergraph/communities.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/support/graphs.h"

using namespace halo;

namespace {

/// Cliques of `size` vertices in a ring, each joined to the next by one edge.
Csr ringOfCliques(int cliques, int size) {
  std::vector<Arc> arcs;
  for (Vertex c = 0; c < cliques; ++c) {
    for (Vertex i = 0; i < size; ++i)
      for (Vertex j = 0; j < size; ++j)
        if (i != j) arcs.push_back({c * size + i, c * size + j});
    const Vertex next = (c + 1) % cliques * size;
    arcs.push_back({c * size, next});
    arcs.push_back({next, c * size});
  }
  return buildCsr(Index{cliques} * size, arcs, false);
}

/// From the definition: Σ over communities (inner arcs / all) − (degrees / all)².
double modularity(const Csr& graph, const Clusters& clusters) {
  std::vector<double> inner(static_cast<std::size_t>(clusters.count), 0), degree(inner);
  for (Vertex v = 0; v < graph.rows(); ++v)
    for (const Vertex u : graph.row(v)) {
      const auto c = static_cast<std::size_t>(clusters.ofVertex[static_cast<std::size_t>(v)]);
      degree[c] += 1;
      inner[c] +=
          clusters.ofVertex[static_cast<std::size_t>(u)] == clusters.ofVertex[static_cast<std::size_t>(v)];
    }
  const auto all = static_cast<double>(graph.nonzeros());
  double sum = 0;
  for (std::size_t c = 0; c < inner.size(); ++c) sum += inner[c] / all - degree[c] * degree[c] / (all * all);
  return sum;
}

Clusters alone(Index vertices) {
  Clusters clusters{std::vector<Vertex>(static_cast<std::size_t>(vertices)), static_cast<Vertex>(vertices)};
  std::iota(clusters.ofVertex.begin(), clusters.ofVertex.end(), 0);
  return clusters;
}

std::vector<std::int64_t> weightsOf(const Clusters& clusters, const Weights& weight) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(clusters.count), 0);
  for (std::size_t v = 0; v < weight.size(); ++v)
    sums[static_cast<std::size_t>(clusters.ofVertex[v])] += weight[v];
  return sums;
}

}  // namespace

TEST_CASE("cliques that hang together by single edges are communities", "[partition][communities]") {
  const Csr graph = ringOfCliques(12, 6);
  const Clusters clusters = communities(affinityOf(graph), Weights(72, 1), 72, nullptr, 1);
  REQUIRE(clusters.count == 12);
  for (Vertex v = 0; v < 72; ++v)
    CHECK(clusters.ofVertex[static_cast<std::size_t>(v)] ==
          clusters.ofVertex[static_cast<std::size_t>(v / 6 * 6)]);
}

TEST_CASE("communities raise the modularity and keep their bounds", "[partition][communities]") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Csr graph = randomUndirected(300, 900, seed);
    Weights weight(300);
    for (std::size_t v = 0; v < weight.size(); ++v) weight[v] = 1 + static_cast<std::int32_t>(v % 5);
    Owners within(300);
    for (std::size_t v = 0; v < within.size(); ++v) within[v] = static_cast<std::int32_t>(v % 3);
    const Clusters free = communities(affinityOf(graph), weight, 40, nullptr, seed),
                   bound = communities(affinityOf(graph), weight, 40, &within, seed);
    CHECK(modularity(graph, free) > modularity(graph, alone(300)) + 0.2);
    CHECK(free.count < 150);
    for (const Clusters& clusters : {free, bound}) CHECK(std::ranges::max(weightsOf(clusters, weight)) <= 40);
    std::vector<std::int32_t> part(static_cast<std::size_t>(bound.count), -1);
    for (std::size_t v = 0; v < within.size(); ++v) {
      std::int32_t& clusterPart = part[static_cast<std::size_t>(bound.ofVertex[v])];
      CHECK((clusterPart < 0 || clusterPart == within[v]));
      clusterPart = within[v];
    }
  }
}

TEST_CASE("the graph over clusters keeps degrees and sums edges", "[partition][communities]") {
  const Csr graph = randomUndirected(100, 300, 4);
  Clusters clusters{std::vector<Vertex>(100), 7};
  for (std::size_t v = 0; v < 100; ++v) clusters.ofVertex[v] = static_cast<Vertex>(v * v % 7);
  clusters = numbered(std::move(clusters.ofVertex));
  const Affinity fine = affinityOf(graph), coarse = contracted(fine, clusters);
  std::vector<std::vector<double>> expected(static_cast<std::size_t>(clusters.count),
                                            std::vector<double>(static_cast<std::size_t>(clusters.count), 0));
  for (Vertex v = 0; v < 100; ++v)
    for (const Vertex u : graph.row(v))
      if (u != v)
        ++expected[static_cast<std::size_t>(clusters.ofVertex[static_cast<std::size_t>(v)])]
                  [static_cast<std::size_t>(clusters.ofVertex[static_cast<std::size_t>(u)])];
  for (std::size_t c = 0; c < expected.size(); ++c) {
    CHECK(static_cast<double>(coarse.degree[c]) ==
          std::accumulate(expected[c].begin(), expected[c].end(), 0.0));
    for (std::size_t d = 0; d < expected.size(); ++d) {
      const auto row = coarse.edges.row(static_cast<Index>(c));
      const auto at = std::ranges::find(row, static_cast<Vertex>(d));
      const double value =
          at == row.end()
              ? 0
              : coarse.edges.values[static_cast<std::size_t>(coarse.edges.offsets[c] + (at - row.begin()))];
      CHECK(value == (c == d ? 0 : expected[c][d]));
    }
  }
}

TEST_CASE("contracting twice is contracting once, weights and all", "[partition][communities]") {
  const Csr graph = randomUndirected(100, 400, 5);
  Clusters first{std::vector<Vertex>(100), 0}, second{{}, 0}, together{std::vector<Vertex>(100), 0};
  for (std::size_t v = 0; v < 100; ++v) first.ofVertex[v] = static_cast<Vertex>(v * 7 % 20);
  first = numbered(std::move(first.ofVertex));
  for (Vertex c = 0; c < first.count; ++c) second.ofVertex.push_back(c % 6);
  second = numbered(std::move(second.ofVertex));
  for (std::size_t v = 0; v < 100; ++v)
    together.ofVertex[v] = second.ofVertex[static_cast<std::size_t>(first.ofVertex[v])];
  together.count = second.count;
  const Affinity twice = contracted(contracted(affinityOf(graph), first), second),
                 once = contracted(affinityOf(graph), together);
  CHECK(twice.degree == once.degree);
  CHECK(twice.edges.offsets == once.edges.offsets);
  CHECK(twice.edges.columns == once.edges.columns);
  CHECK(twice.edges.values == once.edges.values);
}

TEST_CASE("edges bind as their values say", "[partition][communities]") {
  Affinity path;  // of four vertices, weak in the middle
  path.edges.cols = 4;
  path.edges.offsets = {0, 1, 3, 5, 6};
  path.edges.columns = {1, 0, 2, 1, 3, 2};
  path.edges.values = {9, 9, 1, 1, 9, 9};
  path.degree = {9, 10, 10, 9};
  CHECK(communities(path, Weights(4, 1), 4, nullptr, 3).ofVertex == std::vector<Vertex>{0, 0, 1, 1});
}

TEST_CASE("a vertex above the bound stays alone", "[partition][communities]") {
  const Csr graph = randomUndirected(200, 1000, 6);
  Weights weight(200, 1);
  weight[17] = 50;
  const Clusters clusters = communities(affinityOf(graph), weight, 20, nullptr, 2);
  for (std::size_t v = 0; v < 200; ++v)
    if (v != 17) CHECK(clusters.ofVertex[v] != clusters.ofVertex[17]);
  CHECK(communities(affinityOf(graph), weight, 20, nullptr, 2).ofVertex == clusters.ofVertex);
}
