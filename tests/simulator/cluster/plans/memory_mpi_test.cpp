// What plans say that ranks keep, beside what the methods hold when they have trained.
#include <algorithm>
#include <catch2/catch.hpp>

#include "simulator/cluster/plans/counted_plan.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr Index kVertices = 240, kFeatures = 48, kHidden = 24, kClasses = 8;
constexpr int kLayers = 3;

RunSettings settings(const std::string& method, const std::string& kind, double dropout) {
  RunSettings run = settingsFor(method, kind, kLayers, kHidden, dropout);
  run.cluster.workers = worldSize();
  return run;
}

/// What there is no closed form of: clones of vertices.
bool known(const std::string& method) { return method != "distgnn"; }

/// How much more plans may say. dgcl: rows that are passed on are there twice. sar: the largest message
/// counts for both rounds under way, which may be one.
double most(const std::string& method) { return method == "dgcl" ? 0.10 : method == "sar" ? 1 : 0.02; }
/// How much less. dgcl: what is packed for owners and for others is there at once, how much of it plans do
/// not know.
double least(const std::string& method) { return method == "dgcl" ? 0.10 : 0.02; }

/// Simulated and held bytes of this rank, by what for.
std::pair<Memory, Memory> simulatedAndHeld(const RunSettings& run) {
  const Dataset set =
      datasetOf("wide", buildCsr(kVertices, randomArcs(kVertices, 1500, 9), /*keepSelfLoops=*/false),
                /*directed=*/true, kFeatures, kClasses);
  Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  for (int epoch = 0; epoch < 3; ++epoch) t.method->runEpoch(epoch);
  t.method->evaluate();
  std::vector<std::int64_t> widths(t.model->widths().begin(), t.model->widths().end());
  const cluster::Plan plan = cluster::countedPlan({set.arcs, t.propagation, run, widths, worldSize(), 1,
                                                   [&](int parts) { return scatteredOwners(set, parts); }});
  return {plan.rowMemory[static_cast<std::size_t>(t.comm.rank())], t.method->memory()};
}

/// Methods that plans are made for, with their defaults.
void everyMethod(const std::function<void(const RunSettings&)>& check) {
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const double dropout : {0.0, 0.5})
      for (const auto& [name, entry] : registry<MethodEntry>()) {
        const RunSettings run = settings(std::string(name), kind, dropout);
        if (!known(run.method) || !refusals(entry, run).empty()) continue;
        if (!entry.distributed && worldSize() > 1) continue;
        if (entry.sampled || !entry.style(run, worldSize()).unknown.empty()) continue;
        CAPTURE(name, kind, dropout);
        check(run);
      }
}

}  // namespace

TEST_CASE("plans keep what methods hold, by what for", "[memory][cluster]") {
  everyMethod([](const RunSettings& run) {
    const auto [simulated, heldBytes] = simulatedAndHeld(run);
    for (std::size_t c = 0; c < heldBytes.size(); ++c) {
      CAPTURE(kMemoryCategories[c], simulated[c], heldBytes[c]);
      const auto measured = static_cast<double>(heldBytes[c]), predicted = static_cast<double>(simulated[c]);
      CHECK(predicted >= (1 - least(run.method)) * measured);
      CHECK(predicted <= (1 + most(run.method)) * measured);
    }
  });
}

TEST_CASE("settings that keep more are in what plans keep", "[memory][cluster]") {
  if (worldSize() == 1) return;
  const auto check = [](RunSettings run) {
    CAPTURE(run.method);
    const auto [simulated, heldBytes] = simulatedAndHeld(run);
    for (std::size_t c = 0; c < heldBytes.size(); ++c) {
      CAPTURE(kMemoryCategories[c], simulated[c], heldBytes[c]);
      CHECK(static_cast<double>(simulated[c]) == Approx(static_cast<double>(heldBytes[c])).epsilon(0.02));
    }
  };
  const auto pipegcn = settings("pipegcn", "graphsage", 0.5);
  check(with(pipegcn, "smoothing", std::string("both")));
  check(with(pipegcn, "depth", std::int64_t{2}));
  check(with(pipegcn, "layer0_cache", true));
  check(with(settings("sancus", "gcn", 0), "policy", std::string("variation")));
  check(with(settings("sancus", "gcn", 0), "skip_backward", false));
  check(with(settings("supergcn", "gcn", 0), "bits", std::string("32")));
  check(with(settings("supergcn", "gcn", 0), "bits", std::string("mixed")));
  check(with(settings("adaqp", "gcn", 0), "bits", std::string("4")));
  check(with(settings("mop", "graphsage", 0.5), "layer0_cache", true));
  check(with(settings("vanilla", "gin", 0.5), "layer0_cache", true));
  RunSettings normed = settings("vanilla", "graphsage", 0.5);
  normed.model.norm = "layer";
  check(normed);
}
