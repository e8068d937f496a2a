// Simulated epochs beside measured ones, on an emulated link so slow that an epoch is waiting for it: what
// cores, caches and others on the machine do to an epoch counts for little. The accuracy of epochs with work
// in them is what cluster_accuracy_bench measures.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/clock.h"
#include "simulator/cluster/engines/cycle.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "simulator/cluster/plans/pulled_plan.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

// rows of a message travel for about 25 ms, and an epoch has ten such messages and more
constexpr Index kVertices = 300, kFeatures = 64, kHidden = 64, kClasses = 16;
constexpr double kGbit = 0.012, kLatencyUs = 500;
constexpr int kEpochs = 7;
constexpr double kBand = 0.15;  // resources/design/simulator.md, Clusters

/// Epochs of two, as stale messages let ranks run ahead by one; the shortest, since what others do on the
/// machine only adds.
double leastNs(const std::vector<double>& epochNs) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < epochNs.size(); ++i) least = std::min(least, (epochNs[i - 1] + epochNs[i]) / 2);
  return least;
}

/// Of this test's link; computing by rates of no machine, as it counts for little.
cluster::Machine slowMachine() {
  cluster::Machine machine = cluster::machineOf({"slow", kGbit, kLatencyUs, 0});
  machine.compute.entryElementNs = machine.compute.rowElementNs = 0.3;
  machine.compute.denseGflops = 20;
  machine.compute.copyGbPerS = 5;
  return machine;
}

/// Epochs after two that are not timed, and what this rank's share of their messages was, of all ranks.
std::vector<double> measuredNs(Trained& t, std::int64_t& bytes) {
  t.comm.emulate({kGbit, kLatencyUs, 0});
  t.method->runEpoch(0);
  t.method->runEpoch(1);
  totalOf(t);
  std::vector<double> epochNs;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const std::int64_t begin = wallNs();
    t.method->runEpoch(epoch + 2);
    epochNs.push_back(static_cast<double>(wallNs() - begin));
  }
  bytes = totalOf(t).second;
  return epochNs;
}

std::int64_t layerBytes(const cluster::Plan& plan) {
  std::int64_t bytes = 0;
  for (const cluster::Step& step : plan.steps)
    if (const cluster::Traffic* traffic = plan.onLink(step)) bytes += traffic->outBytes.total(plan.ranks);
  return bytes;
}

}  // namespace

TEST_CASE("epochs that wait for their link are as long as simulated, byte for byte", "[cluster][epochs]") {
  if (worldSize() != 2) return;  // as many as cores, where there are few
  const auto* method = GENERATE("vanilla", "pipegcn", "mop", "supergcn", "cagnet");
  CAPTURE(method);
  RunSettings run = settingsFor(method, "graphsage", 3, kHidden);
  run.cluster.workers = worldSize();
  const Dataset set =
      datasetOf("wide", symmetrised(buildCsr(kVertices, randomArcs(kVertices, 1200, 9), false)),
                /*directed=*/false, kFeatures, kClasses);
  Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  const std::vector<std::int64_t> widths(t.model->widths().begin(), t.model->widths().end());
  const cluster::Plan plan = cluster::countedPlan({set.arcs, t.propagation, run, widths, worldSize(), 1,
                                                   [&](int parts) { return scatteredOwners(set, parts); }});
  const double simulated = cluster::simulateEvents(plan, slowMachine()).epochNs;

  std::int64_t bytes = 0;
  const std::vector<double> epochNs = measuredNs(t, bytes);
  CHECK(bytes == kEpochs * layerBytes(plan));
  const double measured = leastNs(epochNs);
  CAPTURE(simulated * 1e-6, measured * 1e-6, simulated / measured);
  CHECK(simulated <= (1 + kBand) * measured);
  CHECK(simulated >= (1 - kBand) * measured);
}

namespace {

/// Of all neighbours of seeds in order, so that every epoch pulls the same.
RunSettings batchesOf(const std::string& method) {
  RunSettings run = settingsFor(method, "graphsage", 2, kHidden);
  run.cluster.workers = worldSize();
  if (run.parameters.contains("batch")) run = with(run, "batch", std::int64_t{20});
  if (run.parameters.contains("shuffle")) run = with(run, "shuffle", false);
  const bool drawsSets = !run.parameters.contains("fanouts");
  if (drawsSets && run.parameters.contains("budget")) run = with(run, "budget", std::int64_t{kVertices});
  return run;
}

/// An epoch of a method of mini-batches on the slow link beside its simulation.
void requireAsSimulated(const std::string& method) {
  CAPTURE(method, worldSize());
  const RunSettings run = batchesOf(method);
  const Dataset set =
      datasetOf("wide", symmetrised(buildCsr(kVertices, randomArcs(kVertices, 1200, 9), false)),
                /*directed=*/false, kFeatures, kClasses);
  Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  const std::vector<std::int64_t> widths(t.model->widths().begin(), t.model->widths().end());
  cluster::PlanRequest request{set.arcs,
                               t.propagation,
                               run,
                               widths,
                               worldSize(),
                               1,
                               [&](int parts) { return scatteredOwners(set, parts); }};
  request.split = set.split;
  request.draws = 1'000'000;  // every iteration
  const cluster::PlanCycle cycle = cluster::pulledCycle(request);
  const double simulated = cluster::simulateCycle(cycle, slowMachine(), cluster::simulateEvents).epochNs;
  std::int64_t bytes = 0;
  const double measured = leastNs(measuredNs(t, bytes));
  CAPTURE(simulated * 1e-6, measured * 1e-6, simulated / measured);
  CHECK(simulated <= (1 + kBand) * measured);
  CHECK(simulated >= (1 - kBand) * measured);
}

}  // namespace

TEST_CASE("mini-batches that wait for their link are as long as simulated, on 2 to 8 ranks",
          "[cluster][epochs][.nightly]") {
  if (worldSize() < 2) return;
  for (const std::string method : {"minibatch", "distdglv2", "p3", "pagraph", "p2p-minibatch"})
    requireAsSimulated(method);
}
