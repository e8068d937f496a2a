// Twenty epochs of every method of mini-batches, with Adam and dropout, against plain loops in one process.
#include "tests/engine/methods/minibatch/p2p_sets.h"
#include "tests/engine/methods/minibatch/slow_batches.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
constexpr int kEpochs = 20;

/// A method with a choice of its own, or none.
struct Form {
  std::string method, key;
  Value value;

  RunSettings settings(const SlowPlan& plan) const {
    RunSettings run = plan.settings(method, "graphsage", 0.5);
    if (!key.empty()) run = with(run, key, value);
    return run;
  }
};

std::vector<Form> forms() {
  return {{"minibatch", "", {}},
          {"distdglv2", "ahead", std::int64_t{3}},
          {"distdglv2", "machines", std::int64_t{worldSize() % 2 == 0 ? 2 : 1}},
          {"p3", "", {}},
          {"p3", "pipeline", std::string("3")},
          {"pagraph", "cache_mb", std::int64_t{0}},
          {"pagraph", "cache_mb", std::int64_t{10000}}};
}

/// Directed, with vertices without neighbours, and with ranks that have no training vertex; last batches are
/// short.
std::vector<Dataset> graphs() {
  std::vector<Dataset> chosen;
  for (Dataset& set : hardGraphs())
    if (set.name == "directed random" || set.name == "isolated vertices" || set.name == kOnePartTrains)
      chosen.push_back(std::move(set));
  return chosen;
}

/// In parts that are made for batches of so many vertices.
Owners partsForBatches(const Dataset& set, std::int64_t vertices, const std::string& objective) {
  PartitionRequest request;
  request.parts = worldSize();
  request.parameters["batch_vertices"] = vertices;
  request.parameters["objective"] = objective;
  return partition(set.arcs, "stochastic-hypergraph", request);
}

}  // namespace

TEST_CASE("twenty epochs of mini-batches are those of plain loops, by every method", "[minibatch]") {
  for (const Dataset& set : graphs())
    for (const bool replace : {false, true})
      for (const Form& form : forms()) {
        CAPTURE(set.name, replace, form.method, form.key);
        const SlowPlan plan{.fanouts = {2, 3}, .replace = replace, .batch = 2};
        Trained many(MPI_COMM_WORLD, set, form.settings(plan), scatteredOwners(set, worldSize()));
        SlowBatches slowly(plan, many, set);
        for (int epoch = 0; epoch < kEpochs; ++epoch) {
          CAPTURE(epoch);
          const double expected =
              form.key == "pipeline" ? slowly.runEpochInStages(epoch) : slowly.runEpoch(epoch);
          CHECK(many.method->runEpoch(epoch) ==
                Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
        }
      }
}

TEST_CASE("twenty epochs of vertex sets on parts made for them are those of plain loops",
          "[minibatch][p2p]") {
  for (const Dataset& set : graphs())
    for (const std::string objective : {"sampled", "expected"}) {
      CAPTURE(set.name, objective);
      const SlowSetPlan plan{.sampler = "uniform", .block = true, .budget = 12};
      Trained many(MPI_COMM_WORLD, set, p2p_sets::settingsOf(plan, "gcn", 0.5),
                   partsForBatches(set, plan.budget, objective));
      SlowSets slowly(plan, many, set);
      for (int epoch = 0; epoch < kEpochs; ++epoch) {
        CAPTURE(epoch);
        const double expected = slowly.runEpoch(epoch);
        CHECK(many.method->runEpoch(epoch) ==
              Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
      }
    }
}
