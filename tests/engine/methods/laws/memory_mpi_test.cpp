// What a worker is recorded to hold of rows: as wide as the widest layer that a buffer serves. Features are
// wide here and hidden layers narrow, so that what the last layer left is not taken for what is held.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr Index kVertices = 84, kFeatures = 96, kHidden = 4, kClasses = 3;
constexpr int kLayers = 3;

RunSettings settings(const std::string& method, const std::string& kind = "gcn") {
  RunSettings run = settingsFor(method, kind, kLayers, kHidden, 0.5);
  run.model.order = "aggregate-first";
  run.cluster.workers = worldSize();
  return run;
}

RunSettings cached(RunSettings run) {
  run.parameters.insert_or_assign("layer0_cache", Value(true));
  return run;
}

Owners dealtOut() {
  Owners owners;
  for (Index v = 0; v < kVertices; ++v) owners.push_back(static_cast<std::int32_t>(v % worldSize()));
  return owners;
}

/// The method on vertices dealt out in turn, after some epochs.
struct Kept : Trained {
  explicit Kept(const RunSettings& run, Index features = kFeatures, bool directed = true)
      : Trained(MPI_COMM_WORLD,
                datasetOf("wide",
                          directed ? buildCsr(kVertices, randomArcs(kVertices, 400, 9), false)
                                   : symmetrised(buildCsr(kVertices, randomArcs(kVertices, 250, 9), false)),
                          directed, features, kClasses),
                run, dealtOut()) {
    for (int epoch = 0; epoch < 3; ++epoch) method->runEpoch(epoch);
  }
  std::int64_t held(MemoryOf purpose) const { return method->memory()[at(purpose)]; }
  Index own() const { return static_cast<Index>(share.graph.owned.size()); }
  Index haloRows() const { return receiveCount(share.graph.peers); }
  Index boundaryRows() const { return sendCount(share.graph.peers); }
};

std::int64_t rowBytes(Index rows, Index width) {
  return rows * width * static_cast<std::int64_t>(sizeof(Scalar));
}

bool cachesIfTold(const MethodEntry& entry) {
  return std::ranges::any_of(entry.declaration.parameters,
                             [](const Parameter& p) { return p.key == "layer0_cache"; });
}

}  // namespace

TEST_CASE("rows on their way are held as wide as the input, whatever layer was last", "[memory]") {
  const Kept t(settings("vanilla"));
  if (t.comm.size() == 1) return;
  const std::int64_t input = rowBytes(t.haloRows() + t.boundaryRows(), kFeatures);
  CHECK(t.held(MemoryOf::exchange) == input + rowBytes(t.haloRows(), kHidden));  // gradients of halo rows
}

TEST_CASE("mop holds its columns of all rows as wide as its slice of the input", "[memory]") {
  const Kept t(settings("mop"));
  const std::int64_t slice =
      kFeatures * (t.comm.rank() + 1) / t.comm.size() - kFeatures * t.comm.rank() / t.comm.size();
  // dropped, and aggregated, and the own rows between columns and rows
  CHECK(t.held(MemoryOf::exchange) >= 2 * rowBytes(kVertices, slice) + rowBytes(t.own(), kFeatures));
  CHECK(t.held(MemoryOf::exchange) < 3 * rowBytes(kVertices, slice) + 2 * rowBytes(t.own(), kFeatures));
}

TEST_CASE("a method that aggregates the input once gives back what was as wide", "[memory]") {
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (!cachesIfTold(entry) || !refusals(entry, cached(settings(name))).empty()) continue;
    if (!entry.distributed && worldSize() > 1) continue;
    CAPTURE(name);
    const Kept narrow(cached(settings(name)), kFeatures), wide(cached(settings(name)), 2 * kFeatures);
    for (const MemoryOf purpose : {MemoryOf::exchange, MemoryOf::gradients, MemoryOf::activations}) {
      CAPTURE(static_cast<int>(purpose));
      CHECK(wide.held(purpose) == narrow.held(purpose));
    }
  }
}

TEST_CASE("what layers keep of their own counts among the activations", "[memory]") {
  const Kept sage(settings("vanilla", "graphsage")), gin(settings("vanilla", "gin"));
  const Index sums = kFeatures + 2 * kHidden;               // S of each layer
  const Index inside = 2 * (kHidden + kHidden + kClasses);  // R and dT
  CHECK(gin.held(MemoryOf::activations) - sage.held(MemoryOf::activations) ==
        rowBytes(gin.own(), sums + inside));
}

TEST_CASE("sar holds at most two parts' rows and what it sends of two, never the whole halo",
          "[memory][sar]") {
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const bool directed : {true, false}) {
      CAPTURE(kind, directed);
      const Kept t(settings("sar", kind), kFeatures, directed);
      Index comes = 0, goes = 0;  // the most rows of one part
      for (const HaloPeer& peer : t.share.graph.peers) {
        comes = std::max(comes, peer.receiveCount);
        goes = std::max(goes, static_cast<Index>(peer.sendRows.size()));
      }
      CHECK(t.held(MemoryOf::exchange) <= 2 * rowBytes(comes + goes, kFeatures));
      if (t.comm.size() == 1) continue;
      CHECK(t.held(MemoryOf::exchange) >= rowBytes(comes + goes, kFeatures));  // it counts what it holds
      // with four workers and more that is less than the halo and its copies
      if (t.comm.size() > 3)
        CHECK(t.held(MemoryOf::exchange) < rowBytes(t.haloRows() + t.boundaryRows(), kFeatures));
    }
}

TEST_CASE("sar that attends holds at most two parts' rows and what it sends of two, and scores",
          "[memory][sar]") {
  constexpr Index kHeads = 4, kWide = 96;
  for (const bool directed : {true, false}) {
    CAPTURE(directed);
    RunSettings run = settings("sar", "gat");
    run.model.order = "update-first";
    run.model.hidden = kWide;  // what travels, heads side by side; in the last layer it is kHeads · kClasses
    run.model.heads = kHeads;
    const Kept t(run, kFeatures, directed);
    Index comes = 0, goes = 0, edges = t.share.graph.own.nonzeros();  // the most of one part
    for (const HaloPeer& peer : t.share.graph.peers) {
      comes = std::max(comes, peer.receiveCount);
      goes = std::max(goes, static_cast<Index>(peer.sendRows.size()));
      edges = std::max(edges, columnsOf(t.share.graph.halo, peer.receiveBegin, peer.receiveCount).nonzeros());
    }
    // gradients stand in the rows' place
    const std::int64_t rounds = rowBytes(2 * (comes + goes), kWide);
    // a number a head: of an own row the softmax's two, products, dTarget, and each layer's score and sum; of
    // a row at hand its score and that's gradient; of an edge its gradient
    const std::int64_t scores =
        rowBytes((4 + 2 * kLayers) * t.own() + 2 * std::max(t.own(), comes) + edges, kHeads);
    CHECK(t.held(MemoryOf::exchange) <= rounds + scores);
    if (t.comm.size() == 1) continue;
    CHECK(t.held(MemoryOf::exchange) >= rowBytes(comes + goes, kWide));  // it counts what it holds
    // with five workers and more that is less than the halo and what is sent
    if (t.comm.size() > 4)
      CHECK(t.held(MemoryOf::exchange) < rowBytes(t.haloRows() + t.boundaryRows(), kWide));
  }
}

TEST_CASE("what pipegcn holds beside fresh rows is depth times what arrives, and each mean once",
          "[memory][pipegcn]") {
  for (const std::int64_t depth : {1, 2, 3})
    for (const std::string smoothing : {"none", "features", "gradients", "both"})
      for (const bool caches : {false, true}) {
        if (depth > 1 && (smoothing == "features" || smoothing == "gradients")) continue;
        CAPTURE(depth, smoothing, caches);
        RunSettings run = with(with(settings("pipegcn"), "depth", depth), "smoothing", smoothing);
        run.parameters.insert_or_assign("layer0_cache", Value(caches));
        const Kept t(run);
        const bool both = smoothing == "both";
        const std::int64_t features = depth + (both || smoothing == "features"),
                           gradients = depth + (both || smoothing == "gradients");
        // depth k keeps k S |B| (d_0, unless cached, + d_1 + d_2) + k S |boundary| (d_1 + d_2)
        const Index forwardWidth = (caches ? 0 : kFeatures) + 2 * kHidden, backwardWidth = 2 * kHidden;
        CHECK(t.held(MemoryOf::history) == features * rowBytes(t.haloRows(), forwardWidth) +
                                               gradients * rowBytes(t.boundaryRows(), backwardWidth));
      }
}

TEST_CASE("sancus holds a copy of all others' rows a layer and direction", "[memory][sancus]") {
  for (const bool back : {true, false}) {
    const Kept t(with(settings("sancus"), "skip_backward", back));
    if (t.comm.size() == 1) continue;
    CHECK(t.held(MemoryOf::history) ==
          rowBytes(kVertices - t.own(), kFeatures + 2 * kHidden + (back ? 2 * kHidden : 0)));
  }
}

TEST_CASE("moa keeps the input once, and rows of it only where a layer reads them", "[memory][moa]") {
  if (worldSize() % 2 != 0) return;
  for (const std::string kind : {"gcn", "graphsage"}) {
    CAPTURE(kind);
    const Kept t(settings("moa", kind)), wider(settings("moa", kind), 2 * kFeatures);
    const Index slices = worldSize() / 2, slice = t.comm.rank() / 2;
    const Index columns = kFeatures * (slice + 1) / slices - kFeatures * slice / slices;
    const bool aggregates = t.method->role() == "aggregator";
    const bool reads = kind == "graphsage";
    const std::int64_t expected = aggregates ? rowBytes(kVertices, columns)
                                  : reads    ? rowBytes(t.own(), kFeatures)
                                             : 0;
    CHECK(t.held(MemoryOf::features) == expected);
    // dropped rows of the input: one copy, where they are read
    CHECK(wider.held(MemoryOf::activations) - t.held(MemoryOf::activations) ==
          (!aggregates && reads ? rowBytes(t.own(), kFeatures) : 0));
  }
}
