#pragma once

#include <string>
#include <utility>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "tests/support/small_graphs.h"

namespace halo::test {

/// A small data set with seeded features and labels over a graph without self loops.
inline Dataset datasetOf(const std::string& name, Csr graph, bool directed, Index features = 5,
                         std::int32_t classes = 3) {
  const Index vertices = graph.rows();
  Dataset set;
  set.name = name;
  set.directed = directed;
  set.arcs = std::move(graph);
  set.classes = classes;
  set.features.resize(vertices, features);
  PhiloxStream random(7, Purpose::shuffle, 1);
  for (Scalar& value : set.features.values()) value = static_cast<Scalar>(random.uniform() - 0.5);
  for (Index v = 0; v < vertices; ++v) {
    set.labels.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes))));
    set.split.push_back(v % 4 == 3 ? Split::test : v % 4 == 2 ? Split::valid : Split::train);
  }
  return set;
}

/// The same over arcs as a file might hold them: duplicates merged, loops dropped, inverses added unless
/// directed.
inline Dataset datasetOf(const std::string& name, Index vertices, std::vector<Arc> arcs, bool directed) {
  Csr graph = buildCsr(vertices, arcs, /*keepSelfLoops=*/false);
  return datasetOf(name, directed ? std::move(graph) : symmetrised(graph), directed);
}

inline std::vector<Arc> randomArcs(Index vertices, Index count, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 2);
  std::vector<Arc> arcs;
  for (Index i = 0; i < count; ++i)
    arcs.push_back({static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices))),
                    static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices)))});
  return arcs;
}

/// As a file holds them: an arc a line.
inline std::string edgeList(const std::vector<Arc>& arcs) {
  std::string text;
  for (const auto& [from, to] : arcs) text += std::to_string(from) + " " + std::to_string(to) + "\n";
  return text;
}

/// The number of vertices, features and widths. Every number of ranks the tests are run with divides it, and
/// so do the stages asked of moa: floors play no part.
constexpr Index kEven = 168;
inline Dataset evenSet() {
  return datasetOf("even", symmetrised(buildCsr(kEven, randomArcs(kEven, 400, 6), false)), false, kEven);
}

/// The name of the graph whose training vertices all belong to one part; scatteredOwners sees to that.
inline const std::string kOnePartTrains = "one part trains";

/// The hard graphs of the identity tests: each is wrong for somebody. Empty parts come of scatteredOwners.
inline std::vector<Dataset> hardGraphs() {
  std::vector<Dataset> sets;
  sets.push_back(datasetOf("directed random", 60, randomArcs(60, 300, 3), true));
  sets.push_back(datasetOf("undirected random", 60, randomArcs(60, 200, 4), false));
  sets.push_back(datasetOf("star", star(21), false));
  sets.push_back(datasetOf("path", path(23), false));
  sets.push_back(datasetOf("isolated vertices", 30, {{1, 2}, {2, 5}, {5, 9}, {9, 1}}, true));
  sets.push_back(datasetOf("duplicates and loops", 12,
                           {{0, 1}, {0, 1}, {1, 1}, {3, 4}, {4, 3}, {7, 7}, {2, 9}, {9, 2}}, true));
  sets.push_back(datasetOf("one vertex", 1, {}, false));
  sets.push_back(datasetOf("two vertices", 2, {{0, 1}}, false));
  Dataset lopsided = datasetOf(kOnePartTrains, 40, randomArcs(40, 160, 5), false);
  for (Index v = 0; v < 40; ++v) lopsided.split[at(v)] = v < 5 ? Split::train : Split::test;
  sets.push_back(std::move(lopsided));
  return sets;
}

}  // namespace halo::test
