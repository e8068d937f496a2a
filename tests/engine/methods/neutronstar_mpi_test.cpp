// What neutronstar is to do: its ends are vanilla and lhop, and in between it takes the cheaper
// way. That it gives what one worker gives, and sends what is predicted, the identity tests check at the
// default.
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "engine/methods/full_graph/recompute.h"
#include "engine/methods/laws/layer_costs.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settings(const std::string& method, double tradeOff = 0.5) {
  RunSettings run = settingsFor(method, "gcn", 3, 8, 0.5);
  if (method == "neutronstar") run.parameters.insert_or_assign("trade_off", Value(tradeOff));
  if (method == "lhop") run.parameters.insert_or_assign("refetch", Value(false));
  return run;
}

/// Flows of each of three epochs and the work of all, held against another method's or settings'.
struct Cost {
  std::vector<Flows> flows;
  std::int64_t flop = 0, layerBytes = 0;
};
Cost costOf(const Dataset& set, const RunSettings& run, const Owners& owners) {
  Trained t(MPI_COMM_WORLD, set, run, owners);
  Cost cost;
  for (int epoch = 0; epoch < 3; ++epoch) {
    t.method->runEpoch(epoch);
    cost.flows.push_back(measuredOf(t));
    CHECK(cost.flows.back() == predictedIn(t, epoch));
  }
  for (const auto& [key, flow] : cost.flows.back())
    if (std::get<0>(key) >= 0) cost.layerBytes += flow.second;
  for (const WorkRow& row : t.method->takeWork()) cost.flop += row.flop;
  cost.layerBytes = t.comm.sum(cost.layerBytes);
  cost.flop = t.comm.sum(cost.flop);
  return cost;
}

}  // namespace

TEST_CASE("neutronstar's ends send and work as vanilla and lhop do", "[neutronstar]") {
  for (const Dataset& set : hardGraphs()) {
    CAPTURE(set.name);
    const Owners owners = scatteredOwners(set, worldSize());
    const Cost fetching = costOf(set, settings("neutronstar", 0), owners);
    const Cost vanilla = costOf(set, settings("vanilla"), owners);
    CHECK(fetching.flows == vanilla.flows);
    CHECK(fetching.flop == vanilla.flop);
    const Cost recomputing = costOf(set, settings("neutronstar", 1), owners);
    const Cost lhop = costOf(set, settings("lhop"), owners);
    CHECK(recomputing.flows == lhop.flows);
    CHECK(recomputing.flop == lhop.flop);
  }
}

namespace {

/// Features wider than the model, so that updating first makes rows narrower.
Dataset wideSet() {
  return datasetOf("wide", buildCsr(90, randomArcs(90, 240, 6), /*keepSelfLoops=*/false), true, 40);
}

/// FLOP of recomputing all remote rows, in one epoch and over all ranks: by definition, row by row.
std::int64_t recomputedFlop(const Dataset& set, RunSettings run, const Owners& owners) {
  const Csr P = propagationMatrix(set.arcs, find<LayerEntry>(run.model.kind)->propagation);
  Model model(run.model, layerWidths(run.model, set.features.cols(), set.classes), 1, false);
  const std::vector<LayerCost> costs = layerCosts(model);
  const int layers = model.layers();
  std::int64_t flop = 0;
  for (int part = 0; part < worldSize(); ++part) {
    const Surroundings around = surroundings(P, owners, part, layers);
    const Depths depths = everyDepth(around);
    for (std::size_t v = at(around.own()); v < around.ids.size(); ++v)
      for (int level = 0; level <= depths[v]; ++level) {
        const auto l = at(level);
        flop += costs[l].sourceFlop;
        if (level > 0) flop += costs[l - 1].targetFlop + P.degree(around.ids[v]) * costs[l - 1].arcFlop;
      }
  }
  return flop;
}

}  // namespace

TEST_CASE("recomputed rows cost what the kernels count, in every layer, kind and order", "[neutronstar]") {
  const Dataset set = wideSet();
  const Owners owners = scatteredOwners(set, worldSize());
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const std::string order : {"auto", "aggregate-first", "update-first"}) {
      CAPTURE(kind, order);
      RunSettings recomputing = settings("neutronstar", 1), fetching = settings("vanilla");
      for (RunSettings* run : {&recomputing, &fetching}) run->model.kind = kind, run->model.order = order;
      const std::int64_t more = costOf(set, recomputing, owners).flop - costOf(set, fetching, owners).flop;
      CHECK(more == 3 * recomputedFlop(set, recomputing, owners));  // of three epochs
    }
}

TEST_CASE("neutronstar never takes longer than fetching would by its own speeds", "[neutronstar]") {
  const Dataset set = wideSet();
  const Owners owners = scatteredOwners(set, worldSize());
  int chosen = 0;
  for (const std::string order : {"auto", "aggregate-first"})
    for (const double gbit : {0.001, 0.1, 1.0, 10.0, 1000.0}) {
      CAPTURE(order, gbit);
      RunSettings run = settings("neutronstar"), fetching = settings("vanilla");
      run.parameters.insert_or_assign("link_gbit", Value(gbit));
      run.model.order = fetching.model.order = order;
      const Cost hybridCost = costOf(set, run, owners), fetchCost = costOf(set, fetching, owners);
      const auto nanoseconds = [&](const Cost& cost) {  // of an epoch: costOf's FLOP are three epochs'
        return static_cast<double>(cost.layerBytes) * 8 / gbit + static_cast<double>(cost.flop) / 3 / 20;
      };
      CHECK(nanoseconds(hybridCost) <= nanoseconds(fetchCost) * (1 + 1e-12));
      chosen += hybridCost.flop > fetchCost.flop ? 1 : 0;
      if (order == "auto" && gbit == 1000.0) CHECK(hybridCost.flows == fetchCost.flows);
      // slower links make more rows worth recomputing; an emulated one's own speed goes before
      run.cluster.link.bandwidthGbit = 1000;
      if (order == "auto") CHECK(costOf(set, run, owners).flop == fetchCost.flop);
    }
  CHECK((chosen > 0) == (worldSize() > 1));
}

TEST_CASE("a remote row that many rows are needed for is fetched, one that few are needed for recomputed",
          "[neutronstar]") {
  if (worldSize() == 1) return;
  // vertex 0, of rank 0, has neighbours 1 … kMost, of rank 1, which have 1 … kMost neighbours there
  constexpr Vertex kMost = 20, kFew = 10;
  std::vector<Arc> arcs;
  for (Vertex v = 1; v <= kMost; ++v) {
    arcs.push_back({v, 0});
    for (Vertex w = 1; w <= v; ++w) arcs.push_back({static_cast<Vertex>(kMost + w), v});
  }
  const Dataset set = datasetOf("degrees", 2 * kMost + 1, arcs, true);
  Owners owners(at(set.vertices()), 1);
  owners[0] = 0;
  RunSettings run = settingsFor("neutronstar", "gcn", 2, 8);
  run.model.order = "aggregate-first";
  Model model(run.model, layerWidths(run.model, set.features.cols(), set.classes), 1, false);
  const std::vector<LayerCost> costs = layerCosts(model);
  // a link as fast as recomputing a row of kFew neighbours, itself and a half
  const double flop = static_cast<double>(costs[0].targetFlop + costs[1].sourceFlop) +
                      (kFew + 1.5) * static_cast<double>(costs[0].arcFlop);
  const double bits = 8.0 * sizeof(Scalar) * static_cast<double>(costs[1].elements);
  run.parameters.insert_or_assign("link_gbit", Value(bits * run.parameters.real("gflops") / flop));
  Trained t(MPI_COMM_WORLD, set, run, owners);
  t.method->runEpoch(0);
  measuredOf(t);
  t.method->runEpoch(1);
  Flows flows = measuredOf(t);
  const std::int64_t rows = t.comm.rank() == 1 ? kMost - kFew : 0;
  CHECK(flows[{1, Pass::forward, 0}].second ==
        rows * t.model->layer(1).propagatedWidth() * static_cast<std::int64_t>(sizeof(Scalar)));
}

TEST_CASE("what brings neutronstar most is raised first, so that others can use what it computes",
          "[neutronstar]") {
  if (worldSize() == 1) return;
  // vertex 0, of rank 0, needs two rows of rank 1: `costly`, which comes first by number, and `cheap`. Both
  // need the hub, whose row takes more than half of what fetching does; `costly` needs three more rows, so
  // that with the hub it takes longer than fetching, and without it, once `cheap` was chosen, less.
  constexpr Vertex kCostly = 1, kCheap = 2, kHub = 3, kOthers = 4, kOtherCount = 3, kLeaves = 7,
                   kLeafCount = 72;
  std::vector<Arc> arcs = {{kCostly, 0}, {kCheap, 0}, {kHub, kCostly}, {kHub, kCheap}};
  for (Vertex i = 0; i < kOtherCount; ++i) arcs.push_back({static_cast<Vertex>(kOthers + i), kCostly});
  for (Vertex i = 0; i < kLeafCount; ++i) arcs.push_back({static_cast<Vertex>(kLeaves + i), kHub});
  const Dataset set =
      datasetOf("hub", buildCsr(kLeaves + kLeafCount, arcs, /*keepSelfLoops=*/false), true, /*features=*/8);
  Owners owners(at(set.vertices()), 1);
  owners[0] = 0;
  RunSettings run = settingsFor("neutronstar", "gcn", 3, 8);
  run.model.order = "aggregate-first";
  Model model(run.model, layerWidths(run.model, set.features.cols(), set.classes), 1, false);
  const std::vector<LayerCost> costs = layerCosts(model);
  // of a row that enters layer l from those that enter the one below, of so many neighbours and itself
  const auto rowOf = [&](std::size_t l, Index neighbours) {
    return static_cast<double>(costs[l].sourceFlop + costs[l - 1].targetFlop +
                               (neighbours + 1) * costs[l - 1].arcFlop);
  };
  const double hub = rowOf(1, kLeafCount), cheap = rowOf(2, 1) + hub,
               alone = rowOf(2, 1 + kOtherCount) + kOtherCount * rowOf(1, 0), costly = alone + hub;
  const double fetching = (cheap + costly) / 2;
  CHECK(cheap < fetching);
  CHECK(alone < fetching);
  CHECK(fetching < costly);
  const double bits = 8.0 * sizeof(Scalar) * static_cast<double>(costs[2].elements);
  run.parameters.insert_or_assign("link_gbit", Value(bits * run.parameters.real("gflops") / fetching));
  Trained t(MPI_COMM_WORLD, set, run, owners);
  t.method->runEpoch(0);
  CHECK(measuredOf(t) == predictedIn(t, 0));
  t.method->runEpoch(1);
  const Flows flows = measuredOf(t);
  CHECK(flows == predictedIn(t, 1));
  CHECK(flows.count({2, Pass::forward, 0}) == 0);  // neither row is fetched
  CHECK(flows.count({2, Pass::backward, 1}) == 0);
}

TEST_CASE("between its ends neutronstar trades bytes for work, and stays exact", "[neutronstar]") {
  const Dataset set = datasetOf("random", 120, randomArcs(120, 240, 6), true);
  const Owners owners = scatteredOwners(set, worldSize());
  Trained single(MPI_COMM_SELF, set, settings("single"), Owners(120, 0));
  const double expected = single.method->runEpoch(0);
  std::int64_t bytes = -1, flop = -1;
  int kinds = 0;
  for (const double tradeOff : {0.0, 0.05, 0.1, 0.15, 0.25, 0.4, 1.0}) {
    CAPTURE(tradeOff);
    const Cost cost = costOf(set, settings("neutronstar", tradeOff), owners);
    if (bytes >= 0) {
      CHECK(cost.layerBytes <= bytes);
      CHECK(cost.flop >= flop);
      kinds += cost.layerBytes < bytes;
    }
    bytes = cost.layerBytes, flop = cost.flop;
    Trained many(MPI_COMM_WORLD, set, settings("neutronstar", tradeOff), owners);
    CHECK(many.method->runEpoch(0) == Approx(expected).epsilon(sizeof(Scalar) == 8 ? 1e-10 : 1e-5));
  }
  CHECK(bytes == 0);
  if (worldSize() > 1) CHECK(kinds >= 3);  // something in between, too
}
