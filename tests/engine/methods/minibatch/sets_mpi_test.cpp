// minibatch with samplers that need the whole graph in one place, against their definitions in plain loops.
#include "tests/engine/methods/minibatch/slow_sets.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;
using Catch::Matchers::Contains;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

const std::vector<std::string> kSets = {"uniform", "saint-node", "saint-edge", "saint-walk", "layer"};

/// A method on one rank alone; none where it refuses the graph.
std::unique_ptr<Trained> trainedOn(const Dataset& set, const RunSettings& run) {
  try {
    return std::make_unique<Trained>(MPI_COMM_SELF, set, run, Owners(at(set.vertices()), 0));
  } catch (const InputError&) {
    return nullptr;
  }
}

std::string refusedKeys(const RunSettings& run) {
  std::string keys;
  for (const Problem& problem : refusals(*find<MethodEntry>(run.method), run))
    keys += problem.key + ": " + problem.message + "\n";
  return keys;
}

}  // namespace

TEST_CASE("vertex sets and layers' sources train as plain loops over the same draws do",
          "[minibatch][sets]") {
  if (worldSize() > 1) return;  // one place is all there is
  std::map<std::string, int> runs;
  for (const Dataset& set : hardGraphs())
    for (const std::string& sampler : kSets)
      for (const bool block : {false, true})
        for (const std::string kind : {"gcn", "graphsage"}) {
          CAPTURE(set.name, sampler, block, kind);
          SlowSetPlan plan{.sampler = sampler, .block = block};
          if (set.vertices() < plan.budget) plan.budget = static_cast<int>(set.vertices());
          if (std::ranges::count(set.split, Split::train) < plan.batch) plan.batch = 1;
          const auto trained = trainedOn(set, plan.settings(kind, 0.5));
          if (trained == nullptr) continue;
          SlowSets slowly(plan, *trained, set);
          for (int epoch = 0; epoch < 3; ++epoch) {
            CAPTURE(epoch);
            const double expected = slowly.runEpoch(epoch);
            CHECK(trained->method->runEpoch(epoch) ==
                  Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
          }
          CHECK(slowly.farthestFrom(*trained) < kManyEpochs);
          const auto metrics = trained->method->metrics();
          CHECK(metrics.at("iterations_per_epoch") == slowly.iterations());
          if (sampler != "layer")
            CHECK(metrics.at("never_drawn") ==
                  static_cast<double>(std::ranges::count(set.split, Split::train)) - slowly.drawnTrain());
          ++runs[sampler];
        }
  for (const std::string& sampler : kSets) CHECK(runs[sampler] > 20);
}

TEST_CASE("a vertex set of all vertices is full-graph training", "[minibatch][sets]") {
  if (worldSize() > 1) return;
  const Dataset set = hardGraphs().front();
  for (const std::string kind : {"gcn", "graphsage", "gin", "gat"}) {
    CAPTURE(kind);
    SlowSetPlan plan{.sampler = "uniform", .budget = static_cast<int>(set.vertices())};
    RunSettings run = plan.settings(kind, 0.5, 3), alone = settingsFor("single", kind, 3, 6, 0.5);
    if (kind == "gat") run.model.order = "auto";
    run.model.heads = alone.model.heads = 3;
    alone.model.order = run.model.order;
    const auto single = trainedOn(set, alone), sets = trainedOn(set, run);
    for (int epoch = 0; epoch < 4; ++epoch)
      CHECK(sets->method->runEpoch(epoch) == Approx(single->method->runEpoch(epoch)).epsilon(kManyEpochs));
    CHECK(sets->method->metrics().at("iterations_per_epoch") == 1);
  }
}

TEST_CASE("training vertices that no set has are counted, and all of them refused", "[minibatch][sets]") {
  if (worldSize() > 1) return;
  const SlowSetPlan node{.sampler = "saint-node"};
  // nobody reads vertex 0
  Dataset set = datasetOf("in", buildCsr(3, std::vector<Arc>{{1, 0}, {2, 0}}, false), true);
  set.split = {Split::train, Split::train, Split::test};
  const auto trained = trainedOn(set, node.settings("gcn", 0));
  trained->method->runEpoch(0);
  CHECK(trained->method->metrics().at("never_drawn") == 1);
  set.split[1] = Split::test;
  CHECK_THROWS_WITH(Trained(MPI_COMM_SELF, set, node.settings("gcn", 0), Owners(3, 0)),
                    Contains("run.sampler: saint-node draws no training vertex of this graph: none is a "
                             "neighbour of another vertex; another sampler"));
}

TEST_CASE("samplers other than neighbours want one worker, and keys that they read", "[minibatch][sets]") {
  RunSettings run = settingsFor("minibatch", "gcn", 3, 6);
  run.parameters["fanouts"] = std::string("25,10");  // which only neighbours read
  for (const std::string& sampler : kSets) {
    run = with(run, "sampler", sampler);
    run.cluster.workers = 1;
    CHECK(refusedKeys(run).empty());
    run.cluster.workers = 2;
    CHECK(refusedKeys(run) ==
          "run.sampler: " + sampler + " needs the whole graph in one place; cluster.workers = 1\n");
  }
  run.cluster.workers = 1;
  run = with(with(with(run, "sampler", std::string("uniform")), "roots", std::int64_t{5}), "replace", true);
  CHECK(refusedKeys(run) ==
        "run.replace: has no effect with sampler = \"uniform\"; leave it out\n"
        "run.roots: has no effect with sampler = \"uniform\"; leave it out\n");
  const Dataset set = hardGraphs().front();
  const auto refused = [&](std::int64_t budget) {
    RunSettings settings = with(settingsFor("minibatch", "gcn", 2, 6), "sampler", std::string("uniform"));
    settings.parameters["fanouts"] = std::string("25,10");
    const MethodEntry& entry = *find<MethodEntry>("minibatch");
    const std::vector<Index> widths = {5, 6, 3};
    std::string all;
    for (const Problem& problem :
         entry.refuseData(with(settings, "budget", budget), {widths, [&] { return set.split; }}))
      all += problem.key + ": " + problem.message;
    return all;
  };
  CHECK(refused(0).empty());  // a default is cut
  CHECK(refused(60).empty());
  CHECK(refused(61) == "run.budget: 61 is more than the 60 vertices; at most 60");
}
