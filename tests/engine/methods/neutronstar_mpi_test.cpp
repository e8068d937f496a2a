// What methods.md 14 says of neutronstar: its ends are vanilla and lhop, and in between it takes the cheaper
// way. That it gives what one worker gives, and sends what is predicted, the identity tests check at the
// default.
#include <catch2/catch.hpp>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settings(const std::string& method, double tradeOff = 0.5) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  if (method == "neutronstar") run.parameters.insert_or_assign("trade_off", Value(tradeOff));
  if (method == "lhop") run.parameters.insert_or_assign("refetch", Value(false));
  run.model.kind = "gcn";
  run.model.layers = 3;
  run.model.hidden = 8;
  run.model.dropout = 0.5;
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
    const Owners owners = scatteredOwners(set.vertices(), worldSize());
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

TEST_CASE("between its ends neutronstar trades bytes for work, and stays exact", "[neutronstar]") {
  const Dataset set = datasetOf("random", 120, randomArcs(120, 240, 6), true);
  const Owners owners = scatteredOwners(set.vertices(), worldSize());
  Trained one(MPI_COMM_SELF, set, settings("single"), Owners(120, 0));
  const double expected = one.method->runEpoch(0);
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
