#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "engine/base/index.h"
#include "engine/model/model.h"
#include "engine/partition/contract/partitioner.h"
#include "engine/partition/hypergraph/shuffle.h"
#include "engine/partition/vertex_cut/arc_parts.h"
#include "engine/partition/vertex_cut/root_choice.h"
#include "tests/support/small_graphs.h"

using namespace halo;

namespace {

/// Libra from its description, with sets.
ArcParts slowLibra(const Csr& A, const PartitionRequest& request, const Owners& roots) {
  const int parts = request.parts;
  std::vector<std::set<int>> clones(at(A.rows()));
  std::vector<Index> degree(clones.size(), 0), load(at(parts), 0);
  double entries = 0;
  for (Vertex v = 0; v < A.rows(); ++v)
    for (const Vertex u : A.row(v))
      if (u != v) ++degree[at(v)], ++degree[at(u)], ++entries;
  for (std::size_t v = 0; v < roots.size(); ++v) clones[v].insert(roots[v]);
  std::set<int> all;
  for (int part = 0; part < parts; ++part) all.insert(part);
  const auto least = [&](const std::set<int>& among) {
    return *std::ranges::min_element(among, {}, [&](int part) { return std::pair(load[at(part)], part); });
  };
  ArcParts placed(A.columns.size(), -1);
  for (const Vertex v : shuffled(static_cast<Vertex>(A.rows()), request.seed)) {
    auto e = at(A.offsets[at(v)]);
    for (const Vertex u : A.row(v)) {
      const std::size_t entry = e++;
      if (u == v) continue;
      auto &ofV = clones[at(v)], &ofU = clones[at(u)];
      std::set<int> both, from;
      std::ranges::set_intersection(ofV, ofU, std::inserter(both, both.end()));
      if (ofV.empty() && ofU.empty())
        from = all;
      else if (ofV.empty() || ofU.empty())
        from = ofV.empty() ? ofU : ofV;
      else if (!both.empty())
        from = both;
      else
        from = degree[at(v)] > degree[at(u)] ? ofU : ofV;
      int part = least(from);
      if (static_cast<double>(load[at(part)]) >= std::ceil((1 + request.imbalance) * entries / parts))
        part = least(all);
      placed[entry] = part;
      ofV.insert(part);
      ofU.insert(part);
      ++load[at(part)];
    }
  }
  return placed;
}

std::vector<std::set<int>> clonesOf(const Csr& A, const ArcPlacement& placement) {
  std::vector<std::set<int>> clones(at(A.rows()));
  std::size_t e = 0;
  for (Vertex v = 0; v < A.rows(); ++v)
    for (const Vertex u : A.row(v)) {
      clones[at(v)].insert(placement.parts[e]);
      clones[at(u)].insert(placement.parts[e++]);
    }
  return clones;
}

/// The search for the roots that the placement has.
RootChoice searchOf(const Csr& A, const ArcPlacement& placement, const PartitionRequest& request) {
  CloneSets clones(A.rows(), request.parts);
  std::vector<std::int64_t> load(at(request.parts), 0);
  std::size_t e = 0;
  for (Vertex v = 0; v < A.rows(); ++v)
    for (const Vertex u : A.row(v)) {
      const std::int32_t part = placement.parts[e++];
      if (u == v) continue;
      clones.add(v, part);
      clones.add(u, part);
      ++load[at(part)];
    }
  return chooseRoots(clones, load, static_cast<Vertex>(A.rows()), request);
}

}  // namespace

TEST_CASE("arcs are placed as Libra's description says, from nowhere or from given roots", "[vertex-cut]") {
  for (const int parts : {1, 2, 5, 70}) {
    for (const Csr& A : {randomDirected(80, 400, 3), randomUndirected(60, 150, 4), star(30), edgeless(9)}) {
      CAPTURE(parts, A.rows(), A.nonzeros());
      Owners roots;
      for (Index v = 0; v < A.rows(); ++v) roots.push_back(static_cast<std::int32_t>(v % parts));
      const PartitionRequest request{.parts = parts, .imbalance = 0.1, .seed = 5};
      CHECK(placeArcs(A, request).parts == slowLibra(A, request, {}));
      CHECK(placeArcs(A, request, roots).parts == slowLibra(A, request, roots));
    }
  }
}

TEST_CASE("no part of a vertex cut gets more arcs than the bound, in whatever order the graph is numbered",
          "[vertex-cut]") {
  for (const Csr& A : {path(500), star(400), grid(20, 30), randomUndirected(300, 900, 2)})
    for (const int parts : {2, 8}) {
      const PartitionRequest request{.parts = parts, .imbalance = 0.05, .seed = 2};
      const VertexCutQuality q = measure(A, placeArcs(A, request), parts);
      CAPTURE(parts, A.rows(), q.imbalance, q.replication);
      CHECK(*std::ranges::max_element(q.entries) <= loadBound(A.nonzeros(), request));
      CHECK(q.replication < parts);
    }
}

TEST_CASE("self loops do not take a part of a vertex cut above the bound", "[vertex-cut]") {
  for (const Csr& A : {path(500), star(400), grid(20, 30), randomUndirected(34, 78, 2),
                       randomUndirected(300, 900, 2), randomDirected(200, 1500, 7), edgeless(30)}) {
    const Csr P = propagationMatrix(A, Propagation::symmetric);
    for (const int parts : {2, 4, 7})
      for (const double imbalance : {0.0, 0.05}) {
        const PartitionRequest request{.parts = parts, .imbalance = imbalance, .seed = 1};
        const VertexCutQuality q = measure(P, placeArcs(P, request), parts);
        CAPTURE(parts, imbalance, A.rows(), A.nonzeros());
        CHECK(*std::ranges::max_element(q.entries) <= loadBound(P.nonzeros(), request));
      }
  }
}

TEST_CASE("a part of a vertex cut is above the bound only if no choice of roots keeps it below",
          "[vertex-cut]") {
  int above = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Csr A = randomUndirected(8, 9, seed), P = propagationMatrix(A, Propagation::symmetric);
    const PartitionRequest request{.parts = 3, .imbalance = 0, .seed = seed};
    const ArcPlacement placement = placeArcs(A, request);
    const auto clones = clonesOf(A, placement);
    std::vector<std::int64_t> arcs(3, 0);
    for (const std::int32_t part : placement.parts) ++arcs[at(part)];
    // every choice, one after the other
    const std::int64_t bound = loadBound(P.nonzeros(), request);
    const auto possible = [&](const auto& self, std::size_t v, std::vector<std::int64_t> load) -> bool {
      if (std::ranges::any_of(load, [&](std::int64_t entries) { return entries > bound; })) return false;
      if (v == clones.size()) return true;
      for (int part = 0; part < 3; ++part) {
        if (!clones[v].empty() && clones[v].count(part) == 0) continue;
        auto more = load;
        ++more[at(part)];
        if (self(self, v + 1, more)) return true;
      }
      return false;
    };
    const VertexCutQuality q = measure(P, placeArcs(P, request), 3);
    CAPTURE(seed, bound);
    CHECK((*std::ranges::max_element(q.entries) <= bound) == possible(possible, 0, arcs));
    above += *std::ranges::max_element(q.entries) > bound ? 1 : 0;
  }
  CHECK(above < 60);
}

TEST_CASE("where parts fill, twice the vertices take about twice the steps to find their roots",
          "[vertex-cut]") {
  constexpr int kSeeds = 4;  // how many searches there are is chance
  const auto stepsOf = [](Index vertices) {
    const Csr A = star(vertices);
    std::int64_t steps = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const PartitionRequest request{.parts = 64, .imbalance = 0, .seed = seed};
      const ArcPlacement placement = placeArcs(A, request);
      const RootChoice choice = searchOf(A, placement, request);
      CHECK(choice.roots == placement.roots);
      CHECK(choice.steps > 0);
      steps += choice.steps;
    }
    return steps;
  };
  const std::int64_t steps = stepsOf(10'000), ofTwice = stepsOf(20'000);
  CHECK(ofTwice < 3 * steps);
  // more than a hundred times that where every search goes through all vertices
  CHECK(steps < 2 * kSeeds * 10'000);
  CHECK(ofTwice < 2 * kSeeds * 20'000);
}

TEST_CASE("a vertex cut into far more parts than there are arcs takes no memory for pairs of parts",
          "[vertex-cut]") {
  const Csr A = randomUndirected(34, 78, 2);
  const int parts = 200'000;  // of which there are more pairs than any machine has memory for
  const PartitionRequest request{.parts = parts, .imbalance = 0, .seed = 1};
  const ArcPlacement placement = placeArcs(A, request);
  const RootChoice choice = searchOf(A, placement, request);
  CHECK(choice.roots == placement.roots);
  CHECK(choice.steps < 34 * 34 * 34);
  const auto clones = clonesOf(A, placement);
  for (std::size_t v = 0; v < clones.size(); ++v)
    if (!clones[v].empty()) CHECK(clones[v].count(placement.roots[v]) == 1);
}

TEST_CASE("a vertex cut's roots are clones, drawn by the seed and the same for arcs and their weights",
          "[vertex-cut]") {
  const Csr A = randomDirected(200, 1500, 7);
  const ArcPlacement placement = placeArcs(A, {.parts = 6, .seed = 3});
  const auto clones = clonesOf(A, placement);
  int elsewhere = 0;
  for (std::size_t v = 0; v < clones.size(); ++v) {
    if (!clones[v].empty()) CHECK(clones[v].count(placement.roots[v]) == 1);
    elsewhere += !clones[v].empty() && placement.roots[v] != *clones[v].begin();
  }
  CHECK(elsewhere > 20);  // not always the first
  CHECK(placeArcs(A, {.parts = 6, .seed = 4}).roots != placement.roots);
  const Csr P = propagationMatrix(A, Propagation::symmetric);  // has (v, v) too
  const ArcPlacement ofP = placeArcs(P, {.parts = 6, .seed = 3});
  CHECK(ofP.roots == placement.roots);
  std::size_t e = 0;
  for (Vertex v = 0; v < P.rows(); ++v)
    for (const Vertex u : P.row(v)) {
      if (u == v) CHECK(ofP.parts[e] == placement.roots[at(v)]);
      ++e;
    }
  PartitionRequest request;
  request.parts = 6;
  request.seed = 3;
  CHECK(partition(A, "vertex-cut", request) == placement.roots);
  CHECK(arcsPlaced(P, placement.roots, "vertex-cut", request).parts == ofP.parts);
}

TEST_CASE("the parts of a vertex cut hold every arc once, and its quality counts them", "[vertex-cut]") {
  const int parts = 5;
  const Csr P = propagationMatrix(randomDirected(90, 500, 9), Propagation::symmetric);
  const ArcPlacement placement = placeArcs(P, {.parts = parts});
  const VertexCutQuality q = measure(P, placement, parts);
  std::map<std::pair<Vertex, Vertex>, Scalar> entries;
  std::int64_t clones = 0;
  for (int part = 0; part < parts; ++part) {
    const LocalArcs local = localArcs(P, placement, part);
    std::vector<Vertex> ids;
    for (Vertex v = 0; v < P.rows(); ++v)
      if (placement.roots[at(v)] == part) ids.push_back(v);
    ids.insert(ids.end(), local.leaves.begin(), local.leaves.end());
    clones += static_cast<std::int64_t>(ids.size());
    REQUIRE(local.arcs.rows() == static_cast<Index>(ids.size()));
    CHECK(local.arcs.nonzeros() == q.entries[at(part)]);
    CHECK(static_cast<std::int64_t>(local.leaves.size()) == q.leaves[at(part)]);
    for (Index r = 0; r < local.arcs.rows(); ++r)
      for (Index e = local.arcs.offsets[at(r)]; e < local.arcs.offsets[at(r) + 1]; ++e) {
        const Vertex u = ids[at(local.arcs.columns[at(e)])];
        const auto inserted = entries.emplace(std::pair(ids[at(r)], u), local.arcs.values[at(e)]);
        CHECK(inserted.second);
      }
  }
  CHECK(q.clones == clones);
  CHECK(q.volume == clones - P.rows());
  CHECK(q.replication == Approx(static_cast<double>(clones) / 90));
  CHECK(std::reduce(q.entries.begin(), q.entries.end()) == P.nonzeros());
  const auto most = static_cast<double>(*std::ranges::max_element(q.entries));
  CHECK(q.imbalance == Approx(most * parts / static_cast<double>(P.nonzeros()) - 1));
  std::size_t e = 0;
  CHECK(entries.size() == P.columns.size());
  for (Vertex v = 0; v < P.rows(); ++v)
    for (const Vertex u : P.row(v)) CHECK(entries.at({v, u}) == P.values[e++]);
}
