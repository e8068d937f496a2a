#include "engine/partition/contract/empty_parts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "engine/partition/vertex_cut/arc_parts.h"
#include "tests/support/scratch.h"
#include "tests/support/small_graphs.h"

namespace halo {

namespace {

/// Every pair of vertices.
Csr clique(Index vertices) {
  std::vector<Arc> arcs;
  for (Vertex u = 0; u < vertices; ++u)
    for (Vertex v = u + 1; v < vertices; ++v) arcs.push_back({u, v});
  return symmetrised(buildCsr(vertices, arcs, false));
}

/// A clique of three whose every vertex has leaves.
Csr hubs(Index vertices) {
  std::vector<Arc> arcs{{0, 1}, {1, 2}, {0, 2}};
  for (Vertex v = 3; v < vertices; ++v) arcs.push_back({v % 3, v});
  return symmetrised(buildCsr(vertices, arcs, false));
}

std::vector<std::int64_t> sizes(const Owners& owners, int parts) {
  return partWeights(Weights(owners.size(), 1), owners, parts);
}

bool anyEmpty(const Owners& owners, int parts) { return std::ranges::count(sizes(owners, parts), 0) > 0; }

}  // namespace

TEST_CASE("no partitioner leaves a part empty where there are as many vertices as parts", "[partition]") {
  const int parts = GENERATE(2, 3, 4, 5, 8, 12, 17);
  for (Index n = std::max(parts, 3); n <= parts + 3; ++n)
    for (const auto& [shape, graph] : {std::pair<const char*, Csr>{"path", path(n)},
                                       {"star", star(n)},
                                       {"clique", clique(n)},
                                       {"edgeless", edgeless(n)},
                                       {"hubs", hubs(n)},
                                       {"directed", randomDirected(n, 2 * n, 3)}})
      for (const auto& [method, entry] : registry<PartitionerEntry>())
        for (const double imbalance : {0.03, 1.0}) {
          if (entry.given) continue;
          CAPTURE(shape, n, parts, method, imbalance);
          const PartitionRequest request{parts, imbalance, 1, {}};
          const Owners owners = partition(graph, method, request);
          CHECK_FALSE(anyEmpty(owners, parts));
          if (entry.placeArcs != nullptr) CHECK(placeArcs(graph, request).roots == owners);
        }
}

TEST_CASE("an empty part is filled up to the mean from the heaviest part", "[partition]") {
  const Weights ones(12, 1);
  Owners owners{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  fillEmptyParts(path(12), ones, 3, owners);
  CHECK(sizes(owners, 3) == std::vector<std::int64_t>{4, 4, 4});
  CHECK(std::count(owners.begin() + 8, owners.end(), 1) == 4);  // nothing is taken from the lighter part
  CHECK(owners[7] == 2);                                        // it has the fewest neighbours in its part

  Owners heavy(6, 0);  // a hub and five leaves: its weight alone is more than the mean
  fillEmptyParts(star(6), {100, 1, 1, 1, 1, 1}, 6, heavy);
  CHECK_FALSE(anyEmpty(heavy, 6));
  CHECK(heavy[0] == 0);
}

TEST_CASE("a partition without empty parts, or with too few vertices, stays as it is", "[partition]") {
  Owners filled{1, 0, 2, 2, 2, 2};
  const Owners before = filled;
  fillEmptyParts(path(6), Weights(6, 1), 3, filled);
  CHECK(filled == before);
  CHECK(emptyPartsRemark(filled, 3).empty());
  Owners owners{0, 0};
  fillEmptyParts(path(2), Weights(2, 1), 3, owners);
  CHECK(owners == Owners{0, 0});
  CHECK(emptyPartsRemark(owners, 3) == "2 of 3 parts hold no vertex (1, 2); the graph has only 2 vertices");
}

TEST_CASE("a given partition stays as it is, and its empty parts are told", "[partition]") {
  const Scratch scratch;
  std::ofstream(scratch / "parts") << "0\n0\n2\n2\n";
  PartitionRequest request{4, 0.03, 1, {}};
  request.parameters["path"] = (scratch / "parts").string();
  const Owners owners = partition(path(4), "file", request);
  CHECK(owners == Owners{0, 0, 2, 2});
  CHECK(emptyPartsRemark(owners, 4) == "2 of 4 parts hold no vertex (1, 3); the partition was given so");
}

}  // namespace halo
