#include "datasets/graph/order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "datasets/load.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

using namespace halo;

namespace {

Csr symmetric(Index vertices, std::vector<Arc> edges) {
  const std::vector<Arc> once = edges;
  for (const Arc edge : once) edges.push_back({edge.target, edge.source});
  return buildCsr(vertices, edges, false);
}

Csr path(Index vertices) {
  std::vector<Arc> edges;
  for (Vertex v = 1; v < vertices; ++v) edges.push_back({v - 1, v});
  return symmetric(vertices, edges);
}

Csr grid(Index rows, Index cols) {
  std::vector<Arc> edges;
  for (Index v = 0; v < rows * cols; ++v) {
    const auto vertex = static_cast<Vertex>(v);
    if (v % cols > 0) edges.push_back({vertex, vertex - 1});
    if (v >= cols) edges.push_back({vertex, static_cast<Vertex>(v - cols)});
  }
  return symmetric(rows * cols, edges);
}

Csr sparseGraph(Index vertices, Index edgeCount, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 99);
  std::vector<Arc> edges;
  for (Index k = 0; k < edgeCount; ++k)
    edges.push_back({static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices))),
                     static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices)))});
  return symmetric(vertices, edges);
}

bool isPermutation(std::vector<Vertex> order, Index vertices) {
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < static_cast<Index>(order.size()); ++i)
    if (order[at(i)] != i) return false;
  return static_cast<Index>(order.size()) == vertices;
}

Index bandwidthReference(const Csr& A) {
  Index widest = 0;
  for (Index i = 0; i < A.rows(); ++i)
    for (const Vertex j : A.row(i)) widest = std::max(widest, std::abs(i - j));
  return widest;
}

/// The levels of a breadth-first search as sets.
std::vector<std::set<Vertex>> levelsReference(const Csr& A, Vertex start) {
  std::vector<std::set<Vertex>> levels{{start}};
  std::set<Vertex> visited{start};
  while (true) {
    std::set<Vertex> next;
    for (const Vertex v : levels.back())
      for (const Vertex u : A.row(v))
        if (visited.insert(u).second) next.insert(u);
    if (next.empty()) return levels;
    levels.push_back(next);
  }
}

/// The words of the definition, with sets and maps.
std::vector<Vertex> rcmReference(const Csr& A) {
  std::vector<Vertex> order;
  std::set<Vertex> placed;
  for (Vertex first = 0; first < A.rows(); ++first) {
    if (placed.contains(first)) continue;
    Vertex start = first;
    while (true) {
      const auto levels = levelsReference(A, start);
      std::map<std::pair<Index, Vertex>, Vertex> last;
      for (const Vertex v : levels.back()) last[{A.degree(v), v}] = v;
      const Vertex other = last.begin()->second;
      if (levelsReference(A, other).size() <= levels.size()) break;
      start = other;
    }
    std::vector<Vertex> queue{start};
    placed.insert(start);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      std::map<std::pair<Index, Vertex>, Vertex> children;
      for (const Vertex u : A.row(queue[head]))
        if (placed.insert(u).second) children[{A.degree(u), u}] = u;
      for (const auto& [key, u] : children) queue.push_back(u);
    }
    order.insert(order.end(), queue.begin(), queue.end());
  }
  return {order.rbegin(), order.rend()};
}

}  // namespace

TEST_CASE("bandwidth agrees with its definition", "[order]") {
  CHECK(bandwidth(path(1)) == 0);
  CHECK(bandwidth(path(2)) == 1);
  CHECK(bandwidth(grid(3, 7)) == 7);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Csr A = sparseGraph(200, 300, seed);
    CHECK(bandwidth(A) == bandwidthReference(A));
  }
}

TEST_CASE("every order is a permutation", "[order]") {
  const auto vertices = GENERATE(Index{1}, Index{2}, Index{33}, Index{1000});
  const Csr A = sparseGraph(vertices, vertices, /*seed=*/5);
  CHECK(isPermutation(degreeOrder(A), vertices));
  CHECK(isPermutation(rcmOrder(A), vertices));
  CHECK(isPermutation(randomOrder(vertices, 5), vertices));
}

TEST_CASE("a reordered data set is the same one under other numbers", "[order]") {
  halo::DatasetRequest request;
  request.name = GENERATE("karate", "cora-like");
  const halo::Dataset dataset = halo::loadDataset(request);
  const auto order = halo::randomOrder(dataset.vertices(), 5);
  const halo::Dataset moved = halo::reordered(dataset, order);
  CHECK(moved.arcs.nonzeros() == dataset.arcs.nonzeros());
  CHECK(moved.fingerprint != dataset.fingerprint);
  std::vector<halo::Vertex> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<halo::Vertex>(i);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = at(order[i]);
    std::vector<halo::Vertex> neighbours;
    for (const halo::Vertex u : dataset.arcs.row(order[i])) neighbours.push_back(place[at(u)]);
    std::ranges::sort(neighbours);
    wrong += std::ranges::equal(neighbours, moved.arcs.row(static_cast<halo::Index>(i))) ? 0U : 1U;
    wrong += moved.labels[i] == dataset.labels[from] && moved.split[i] == dataset.split[from] ? 0U : 1U;
    wrong +=
        std::ranges::equal(moved.features.row(static_cast<halo::Index>(i)), dataset.features.row(order[i]))
            ? 0U
            : 1U;
  }
  CHECK(wrong == 0);
  CHECK(halo::reordered(moved, place).fingerprint ==
        halo::reordered(dataset,
                        [&] {
                          std::vector<halo::Vertex> same(order.size());
                          std::iota(same.begin(), same.end(), 0);
                          return same;
                        }())
            .fingerprint);
}

TEST_CASE("orders of no vertices are empty", "[order]") {
  CHECK(degreeOrder(Csr{}).empty());
  CHECK(rcmOrder(Csr{}).empty());
  CHECK(randomOrder(0, 1).empty());
  CHECK(bandwidth(Csr{}) == 0);
}

TEST_CASE("a degree order falls and keeps equal vertices by number", "[order]") {
  const Csr A = sparseGraph(500, 2000, /*seed=*/6);
  const std::vector<Vertex> order = degreeOrder(A);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Index before = A.degree(order[i - 1]), now = A.degree(order[i]);
    CHECK((before > now || (before == now && order[i - 1] < order[i])));
  }
}

TEST_CASE("a random order depends on seed and stream only", "[order]") {
  CHECK(randomOrder(100, 1) == randomOrder(100, 1));
  CHECK(randomOrder(100, 1) != randomOrder(100, 2));
  CHECK(randomOrder(100, 1, 0) != randomOrder(100, 1, 1));
}

TEST_CASE("a random order favours no place", "[order]") {
  // 6 orders of 3 vertices, 6000 seeds: 1000 each, standard deviation 29
  std::map<std::vector<Vertex>, int> count;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) ++count[randomOrder(3, seed)];
  CHECK(count.size() == 6);
  for (const auto& [order, times] : count) CHECK(std::abs(times - 1000) < 5 * 29);
}

TEST_CASE("reverse Cuthill-McKee agrees with its definition", "[order]") {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    const Csr A = sparseGraph(300, 330, seed);  // sparse: many components, some of one vertex
    CHECK(rcmOrder(A) == rcmReference(A));
  }
}

TEST_CASE("reverse Cuthill-McKee finds the bandwidth of a shuffled path", "[order]") {
  const Csr shuffled = permuted(path(1001), randomOrder(1001, 3));
  REQUIRE(bandwidth(shuffled) > 500);
  CHECK(bandwidth(permuted(shuffled, rcmOrder(shuffled))) == 1);
}

TEST_CASE("reverse Cuthill-McKee brings a shuffled grid near to its side", "[order]") {
  const Csr shuffled = permuted(grid(20, 50), randomOrder(1000, 4));
  REQUIRE(bandwidth(shuffled) > 500);
  CHECK(bandwidth(permuted(shuffled, rcmOrder(shuffled))) <= 20 + 3);
}

TEST_CASE("reverse Cuthill-McKee of a directed graph is that of its pattern", "[order]") {
  std::vector<Arc> arcs;
  for (Vertex v = 1; v < 50; ++v) arcs.push_back({v - 1, v});
  const Csr directed = buildCsr(50, arcs, false);
  CHECK(rcmOrder(directed) == rcmOrder(symmetrised(directed)));
}
