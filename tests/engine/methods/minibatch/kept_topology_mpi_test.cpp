// Which arcs a rank keeps: those into its own vertices, and of closed parts those that it can draw. Counted
// on the whole graph here, by plain loops.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "engine/methods/minibatch/closed_part.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/methods/minibatch/training_vertices.h"
#include "tests/engine/methods/trained.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::int64_t kLayers = 2;
constexpr Index kDirectoryBytes = 16;  // a vertex of the whole graph: owner, row there, both degrees

struct Kept {
  Dataset set;
  RunSettings run;
  Trained trained;
  explicit Kept(const char* method, const char* kind = "graphsage")
      : set(datasetOf("kept", 200, randomArcs(200, 500, 12), /*directed=*/true)),
        run(ofAll(settingsFor(method, kind, kLayers, 8))),
        trained(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize())) {}
  static RunSettings ofAll(RunSettings run) {
    run.cluster.workers = worldSize();
    return with(run, "batch", std::int64_t{5});
  }
};

Index arcsInto(const Csr& arcs, std::span<const Vertex> vertices) {
  Index sum = 0;
  for (const Vertex v : vertices) sum += arcs.degree(v);
  return sum;
}

Index arcsOf(const SampledGraph& graph, std::size_t rows) {
  Index sum = 0;
  for (std::size_t row = 0; row < rows; ++row) sum += graph.degree(static_cast<Index>(row));
  return sum;
}

/// Those from which `vertices` are reached in so many hops, themselves among them.
std::vector<Vertex> within(int hops, const Csr& arcs, std::span<const Vertex> vertices) {
  std::vector<std::uint8_t> met(at(arcs.rows()), 0);
  for (const Vertex v : vertices) met[at(v)] = 1;
  for (int hop = 0; hop < hops; ++hop) {
    const std::vector<std::uint8_t> before = met;
    for (Vertex v = 0; v < arcs.rows(); ++v)
      if (before[at(v)] != 0)
        for (const Vertex u : arcs.row(v)) met[at(u)] = 1;
  }
  std::vector<Vertex> all;
  for (Vertex v = 0; v < arcs.rows(); ++v)
    if (met[at(v)] != 0) all.push_back(v);
  return all;
}

}  // namespace

TEST_CASE("a worker keeps the arcs into its own vertices, and of others sixteen bytes each", "[minibatch]") {
  for (const char* method : {"minibatch", "distdglv2"})
    for (const char* kind : {"graphsage", "gcn"}) {
      CAPTURE(method, kind);
      Kept kept(method, kind);
      Trained& t = kept.trained;
      const LocalGraph& share = t.share.graph;
      const Index entries = arcsInto(t.propagation, share.owned);
      CHECK(share.own.nonzeros() + share.halo.nonzeros() == entries);

      const Topology topology(*t.parts);
      const Index arcs = arcsInto(kept.set.arcs, share.owned);
      CHECK(arcsOf(topology.graph(), share.owned.size()) == arcs);
      CHECK(t.comm.sum(std::int64_t{arcs}) == kept.set.arcs.nonzeros());
      const auto rows = std::ssize(share.owned);
      CHECK(static_cast<Index>(topology.heldBytes()) == (rows + 1) * Index{sizeof(Index)} +
                                                            entries * Index{sizeof(Vertex)} +
                                                            kDirectoryBytes * kept.set.vertices());
    }
}

TEST_CASE("a closed part has the arcs that its training vertices can draw, and no others", "[minibatch]") {
  Kept kept("pagraph");
  Trained& t = kept.trained;
  const std::vector<Vertex> own = trainingVertices(*t.parts).own;
  const ClosedPart part(*t.parts, own);
  const std::vector<Vertex> drawn = within(kLayers - 1, kept.set.arcs, own);
  CHECK(arcsOf(part.graph(), drawn.size()) == arcsInto(kept.set.arcs, drawn));
  CHECK(part.vertices().size() == within(kLayers, kept.set.arcs, own).size());
  for (Vertex v = 0; v < kept.set.vertices(); ++v)
    CHECK((part.rowOf(v) >= 0) == (std::ranges::find(drawn, v) != drawn.end()));
}
