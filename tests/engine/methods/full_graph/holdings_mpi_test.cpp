// What a worker is recorded to hold of the graph (table `worker`), and what its memory is for, where
// that is not vanilla's halo.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "engine/base/index.h"
#include "engine/methods/full_graph/recompute.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr Index kFeatures = 24;

Dataset wideSet(Index features = kFeatures) {
  return datasetOf("wide", buildCsr(80, randomArcs(80, 300, 9), /*keepSelfLoops=*/false), true, features);
}

RunSettings settings(const std::string& method, const std::string& kind = "gcn") {
  return settingsFor(method, kind, 2, 8, 0.5);
}

/// The method on scattered vertices, after some epochs.
struct Held : Trained {
  explicit Held(const RunSettings& run, int epochs = 2, Index features = kFeatures)
      : Trained(MPI_COMM_WORLD, wideSet(features), run, scatteredOwners(80, worldSize())) {
    for (int epoch = 0; epoch < epochs; ++epoch) method->runEpoch(epoch);
  }
  Holdings holdings() const { return method->holdings().value_or(haloHoldings(share.graph)); }
  std::int64_t memory(MemoryOf purpose) const { return method->memory()[at(purpose)]; }
  std::int64_t own() const { return static_cast<std::int64_t>(share.graph.owned.size()); }
};

std::int64_t rowBytes(std::int64_t rows, std::int64_t width = kFeatures) {
  return rows * width * static_cast<std::int64_t>(sizeof(Scalar));
}

void checkSame(const Holdings& actual, const Holdings& expected) {
  CHECK(actual.boundary == expected.boundary);
  CHECK(actual.remote == expected.remote);
  CHECK(actual.nonzeros == expected.nonzeros);
}

}  // namespace

TEST_CASE("a worker that recomputes holds its neighbourhood, each row's features once", "[holdings]") {
  Held lhop(settings("lhop"), 1);
  std::int64_t fetched = 0;
  for (const auto& [key, flow] : measuredOf(lhop))
    if (std::get<0>(key) >= 0) fetched += flow.second;
  const Holdings holdings = lhop.holdings();
  CHECK(rowBytes(lhop.comm.sum(holdings.remote)) == lhop.comm.sum(fetched));
  CHECK(holdings.boundary <= lhop.own());
  CHECK(lhop.comm.sum(holdings.boundary) <= lhop.comm.sum(holdings.remote));
  const Surroundings around = surroundings(lhop.propagation, lhop.owners, lhop.comm.rank(), 2);
  CHECK(holdings.remote == around.reach[2] - around.own());
  CHECK(holdings.nonzeros == around.arcs.nonzeros());
  CHECK(lhop.memory(MemoryOf::features) == rowBytes(lhop.own() + holdings.remote));

  const Held always(with(settings("neutronstar"), "trade_off", Value(1.0)));
  checkSame(always.holdings(), holdings);
  const Held never(with(settings("neutronstar"), "trade_off", Value(0.0)));
  const Held vanilla(settings("vanilla"));
  checkSame(never.holdings(), vanilla.holdings());
  CHECK(never.memory(MemoryOf::features) == rowBytes(never.own()));
  CHECK(never.memory(MemoryOf::features) == vanilla.memory(MemoryOf::features));
}

TEST_CASE("a worker of distgnn holds its clones, and late sums as older copies", "[holdings]") {
  for (const std::int64_t delay : {0, 2}) {
    CAPTURE(delay);
    RunSettings run = with(settings("distgnn", "graphsage"), "delay", Value(delay));
    run.model.order = "update-first";  // what travels is then as wide whatever the features are
    const Held t(run, 6), wider(run, 6, 2 * kFeatures);
    std::vector<int> clones(80, 0);
    for (int part = 0; part < worldSize(); ++part)
      for (const Vertex v : localArcs(t.propagation, t.arcs, part).leaves) ++clones[at(v)];
    const auto split = [&](Vertex v) { return clones[at(v)] > 0; };
    const Holdings holdings = t.holdings();
    CHECK(holdings.boundary == std::ranges::count_if(t.share.graph.owned, split));
    CHECK(holdings.remote == static_cast<std::int64_t>(t.share.arcs.leaves.size()));
    CHECK(holdings.nonzeros == t.share.arcs.arcs.nonzeros());
    CHECK(t.memory(MemoryOf::features) == rowBytes(t.own() + holdings.remote));
    const std::int64_t passes = 2 * (8 + 3);  // rows of both layers, and their gradients
    CHECK(t.memory(MemoryOf::history) ==
          (delay > 0 ? rowBytes(holdings.boundary + holdings.remote, passes) : 0));
    CHECK(t.memory(MemoryOf::exchange) == wider.memory(MemoryOf::exchange));
  }
}

TEST_CASE("a worker of mop holds the matrix or its rows, and its columns of the features", "[holdings]") {
  for (const std::string adjacency : {"whole", "ring"}) {
    for (const std::string kind : {"gcn", "graphsage"}) {
      CAPTURE(adjacency, kind);
      const Held t(with(settings("mop", kind), "adjacency", Value(adjacency)));
      const std::int64_t rank = t.comm.rank(), size = t.comm.size();
      const std::int64_t columns = kFeatures * (rank + 1) / size - kFeatures * rank / size;
      const Holdings holdings = t.holdings();
      std::int64_t ownEntries = 0;
      for (const Vertex v : t.share.graph.owned) ownEntries += t.propagation.degree(v);
      CHECK(holdings.boundary == 0);
      CHECK(holdings.remote == 0);
      CHECK(holdings.nonzeros == (adjacency == "whole" ? t.propagation.nonzeros() : ownEntries));
      // gcn aggregates first here, and never looks at the rows of its inputs
      const std::int64_t inputRows = kind == "gcn" ? 0 : t.own();
      CHECK(t.memory(MemoryOf::features) == rowBytes(80, columns) + rowBytes(inputRows));
    }
  }
}

TEST_CASE("an aggregator of moa holds all of the matrix, an updater nothing of it", "[holdings]") {
  if (worldSize() % 2 != 0) return;
  const Held t(settings("moa"));
  const bool aggregates = t.method->role() == "aggregator";
  CHECK(t.comm.rank() % 2 == (aggregates ? 1 : 0));
  checkSame(t.holdings(), {0, 0, aggregates ? t.propagation.nonzeros() : 0});
}

TEST_CASE("a worker of supergcn gets the rows of its messages and sums every edge where they say",
          "[holdings]") {
  for (const std::string aggregation : {"pre", "post", "hybrid"}) {
    CAPTURE(aggregation);
    Held t(with(settings("supergcn"), "aggregation", Value(aggregation)), 1);
    const Holdings holdings = t.holdings(), vanilla = haloHoldings(t.share.graph);
    std::int64_t fetched = 0;
    for (const auto& [key, flow] : measuredOf(t))
      if (std::get<0>(key) >= 0) fetched += flow.second;
    CHECK(rowBytes(t.comm.sum(holdings.remote), kFeatures + 2 * 8) == t.comm.sum(fetched));
    CHECK(t.comm.sum(holdings.nonzeros) == t.propagation.nonzeros());
    CHECK(holdings.boundary == vanilla.boundary);
    if (aggregation == "post") checkSame(holdings, vanilla);
    if (aggregation != "pre") continue;
    // a sum from each part that has neighbours of an own vertex; edges are summed by whose source it is
    std::int64_t entries = 0;
    std::set<std::pair<Vertex, int>> sums;
    for (Index v = 0; v < 80; ++v) {
      for (const Vertex u : t.propagation.row(v)) {
        const int source = t.owners[at(u)];
        if (source == t.comm.rank()) ++entries;
        if (source != t.comm.rank() && t.owners[at(v)] == t.comm.rank())
          sums.insert({static_cast<Vertex>(v), source});
      }
    }
    CHECK(holdings.remote == static_cast<std::int64_t>(sums.size()));
    CHECK(holdings.nonzeros == entries);
  }
}

TEST_CASE("however rows come to a worker of dgcl, it holds vanilla's halo", "[holdings]") {
  checkSame(Held(settings("dgcl")).holdings(), Held(settings("vanilla")).holdings());
}

TEST_CASE("where whole blocks travel a worker gets them whole", "[holdings]") {
  for (const std::string method : {"sancus", "cagnet", "roc"}) {
    CAPTURE(method);
    const Held t(settings(method), 1);
    const Holdings holdings = t.holdings();
    CHECK(holdings.boundary == (t.comm.size() > 1 ? t.own() : 0));
    CHECK(holdings.remote == 80 - t.own());
    CHECK(holdings.nonzeros == haloHoldings(t.share.graph).nonzeros);
  }
  const std::int64_t size = worldSize(), P = size;
  const Csr matrix = propagationMatrix(wideSet().arcs, Propagation::symmetric);
  for (const std::string variant : {"1.5d", "2d"}) {
    RunSettings run = with(settings("cagnet"), "variant", Value(variant));
    run.cluster.workers = P;
    if (!refusals(*find<MethodEntry>("cagnet"), run).empty()) continue;
    CAPTURE(variant);
    Held t(run, 1);
    // each entry once in every column of the grid that shares its stages, or for each of its columns
    const std::int64_t side = variant == "2d" ? std::llround(std::sqrt(static_cast<double>(P))) : 1;
    CHECK(t.comm.sum(t.holdings().nonzeros) == matrix.nonzeros() * side);
    CHECK((t.comm.sum(t.holdings().remote) > 0) == (variant == "1.5d" && P > 1));
  }
}

TEST_CASE("adaqp keeps no second matrix among the rows on their way, and none where rows travel plainly",
          "[holdings]") {
  const auto exchange = [](const std::string& bits, const std::string& overlap) {
    const RunSettings run = with(with(settings("adaqp"), "bits", Value(bits)), "overlap", Value(overlap));
    return Held(run).memory(MemoryOf::exchange);
  };
  for (const std::string bits : {"32", "8"}) {
    CAPTURE(bits);
    CHECK(exchange(bits, "central") == exchange(bits, "local-first"));
  }
}
