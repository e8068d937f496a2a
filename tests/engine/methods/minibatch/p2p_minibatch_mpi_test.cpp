// p2p-minibatch against plain loops over the same vertex sets, against minibatch on one rank, and against p2p
// on the whole graph.
#include "engine/kernels/threads/work.h"
#include "tests/engine/methods/minibatch/p2p_sets.h"

using namespace halo;
using namespace halo::test;
using namespace halo::test::p2p_sets;
using Catch::Matchers::Contains;

TEST_CASE("vertex sets that ranks share train as plain loops over the same draws do", "[minibatch][p2p]") {
  int skipped = 0;  // iterations without a training vertex
  for (const std::string kind : {"gcn", "graphsage"})
    for (const double dropout : {0.0, 0.5}) {
      const int count = eachPlan([&](const Dataset& set, const SlowSetPlan& plan) {
        CAPTURE(kind, dropout);
        const auto many = trainedOn(set, settingsOf(plan, kind, dropout));
        if (many == nullptr) return false;
        SlowSets slowly(plan, *many, set);
        for (int epoch = 0; epoch < 3; ++epoch) {
          CAPTURE(epoch);
          const double expected = slowly.runEpoch(epoch);
          CHECK(many->method->runEpoch(epoch) ==
                Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
          skipped += slowly.iterations() - static_cast<int>(many->method->decided().back()[0][0]);
        }
        CHECK(slowly.farthestFrom(*many) < kManyEpochs);
        CHECK(many->method->iterations() == slowly.iterations());
        return true;
      });
      CHECK(count > 40);
    }
  CHECK(skipped > 10);
}

TEST_CASE("twenty epochs of vertex sets, in either order of messages, are those of plain loops",
          "[minibatch][p2p]") {
  const Dataset set = hardGraphs().front();
  for (const std::string sampler : {"uniform", "saint-node"})
    for (const std::string accumulation : {"arrival", "fixed"})
      for (const bool block : {false, true}) {
        CAPTURE(sampler, accumulation, block);
        const SlowSetPlan plan{.sampler = sampler, .block = block, .budget = 20};
        const auto many = trainedOn(set, with(settingsOf(plan, "gcn", 0.5, 3), "accumulation", accumulation));
        REQUIRE(many != nullptr);
        SlowSets slowly(plan, *many, set);
        for (int epoch = 0; epoch < 20; ++epoch) {
          CAPTURE(epoch);
          const double expected = slowly.runEpoch(epoch);
          CHECK(many->method->runEpoch(epoch) == Approx(expected).epsilon(kManyEpochs));
        }
      }
}

TEST_CASE("all vertices with weights of the whole graph train as p2p does, and send what it sends",
          "[minibatch][p2p][volume]") {
  for (const Dataset& set : hardGraphs())
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      CAPTURE(set.name, kind);
      RunSettings run = settingsFor(kMethod, kind, 3, 6, 0.5), full = settingsFor("p2p", kind, 3, 6, 0.5);
      run = with(run, "edge_weights", std::string("global"));
      const Owners owners = scatteredOwners(set, worldSize());
      Trained sets(MPI_COMM_WORLD, set, run, owners), p2p(MPI_COMM_WORLD, set, full, owners);
      for (int epoch = 0; epoch < 5; ++epoch) {
        CAPTURE(epoch);
        CHECK(
            sets.method->runEpoch(epoch) ==
            Approx(p2p.method->runEpoch(epoch)).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
        CHECK(measuredOf(sets) == measuredOf(p2p));
        CHECK(flopOf(sets) == flopOf(p2p));
      }
      CHECK(sets.method->iterations() == 1);
      const EpochRow expected = p2p.method->evaluate(), scores = sets.method->evaluate();
      if (sizeof(Scalar) == 8) CHECK(scores.train == expected.train);
    }
}

namespace {

struct Form {
  std::string kind, norm, position;
  bool learnEpsilon = false;

  void apply(RunSettings& run) const {
    run.model.norm = norm;
    run.model.dropoutPosition = position;
    run.model.learnEpsilon = learnEpsilon;
  }
};

std::vector<Form> forms() {
  return {{"gin", "none", "before-aggregation"},
          {"gin", "layer", "before-aggregation", true},
          {"gcn", "layer", "after-aggregation"},
          {"graphsage", "layer", "after-aggregation"},
          {"graphsage-self", "none", "before-aggregation"},
          {"graphsage-gcn", "none", "before-aggregation"}};
}

}  // namespace

TEST_CASE("vertex sets of several ranks train as minibatch's of one, whatever the layers",
          "[minibatch][p2p]") {
  for (const Dataset& set : hardGraphs())
    for (const Form& form : forms())
      for (const bool block : {false, true})
        for (const std::string sampler : {"uniform", "saint-node"}) {
          CAPTURE(set.name, form.kind, form.norm, form.position, form.learnEpsilon, block, sampler);
          SlowSetPlan plan{.sampler = sampler, .block = block};
          plan.budget = std::min(plan.budget, static_cast<int>(set.vertices()));
          RunSettings run = settingsOf(plan, form.kind, 0.5), alone = plan.settings(form.kind, 0.5);
          form.apply(run);
          form.apply(alone);
          const auto many = trainedOn(set, run);
          if (many == nullptr) continue;
          Trained single(MPI_COMM_SELF, set, alone, ofOne(set));
          for (int epoch = 0; epoch < 3; ++epoch) {
            CAPTURE(epoch);
            CHECK(many->method->runEpoch(epoch) == Approx(single.method->runEpoch(epoch))
                                                       .epsilon(epoch == 0 ? kOneEpoch : kManyEpochs)
                                                       .margin(1e-12));
          }
          CHECK(many->method->metrics().at("never_drawn") == single.method->metrics().at("never_drawn"));
          CHECK(many->method->metrics().at("sampled_arcs_per_epoch") ==
                single.method->metrics().at("sampled_arcs_per_epoch"));
          const EpochRow scores = many->method->evaluate(), expected = single.method->evaluate();
          if (sizeof(Scalar) == 8) CHECK(scores.train == expected.train);
        }
}

TEST_CASE("messages added in a fixed order give the same bits, on any number of threads",
          "[minibatch][p2p][threads]") {
  const int before = kernelThreads();
  const Dataset set = datasetOf("large", 1500, randomArcs(1500, 9000, 5), false);
  const SlowSetPlan plan{.sampler = "uniform", .block = true, .budget = 900};
  RunSettings run = with(settingsOf(plan, "gcn", 0.5), "accumulation", std::string("fixed"));
  run.model.hidden = 24;
  const auto lossesOf = [&](int threads) {
    setKernelThreads(threads);
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    return std::pair(many.method->runEpoch(0), many.method->runEpoch(1));
  };
  const auto losses = lossesOf(1);
  CHECK(lossesOf(1) == losses);
  CHECK(lossesOf(2) == losses);
  setKernelThreads(before);
}

namespace {

std::string refused(const RunSettings& run, const Dataset& set) {
  const MethodEntry& entry = *find<MethodEntry>(kMethod);
  std::vector<Problem> problems = refusals(entry, run);
  const std::vector<Index> widths = layerWidths(run.model, set.features.cols(), set.classes);
  for (const Problem& problem : entry.refuseData(run, {widths, [&] { return set.split; }}))
    problems.push_back(problem);
  std::string all;
  for (const Problem& problem : problems) all += problem.key + ": " + problem.message + "\n";
  return all;
}

}  // namespace

TEST_CASE("what p2p-minibatch cannot train is refused by key", "[minibatch][p2p]") {
  const Dataset set = hardGraphs().front();
  RunSettings run = settingsFor(kMethod, "gcn", 2, 6);
  run.cluster.workers = 4;
  CHECK(refused(run, set).empty());  // a default is cut
  CHECK(refused(with(run, "budget", std::int64_t{60}), set).empty());
  CHECK(refused(with(run, "budget", std::int64_t{61}), set) ==
        "run.budget: 61 is more than the 60 vertices; at most 60\n");
  CHECK(refused(with(with(run, "budget", std::int64_t{61}), "sampler", std::string("saint-node")), set)
            .empty());
  CHECK(refused(with(run, "eval_fanouts", std::string("5,5")), set) ==
        "run.eval_fanouts: has no effect with evaluation = \"full\"; evaluation = \"sampled\" draws to "
        "evaluate\n");
  run = with(run, "evaluation", std::string("sampled"));
  CHECK(refused(run, set) ==
        "run.eval_fanouts: is missing: evaluation = \"sampled\" draws neighbours, and the batches have no "
        "fan-outs\n");
  CHECK(refused(with(run, "eval_fanouts", std::string("5")), set) ==
        "run.eval_fanouts: '5' has 1 number, and the model 2 layers; one each, from the inputs to the "
        "seeds\n");
  CHECK(refused(with(run, "eval_fanouts", std::string("5,5")), set).empty());
  run = settingsFor(kMethod, "gat", 2, 6);
  CHECK(refused(run, set) ==
        "model.kind: p2p-minibatch is not defined for gat, whose coefficients need both ends of an edge at "
        "one place; use gcn, graphsage or gin\n");
}

TEST_CASE("a graph none of whose training vertices a set can have is refused on every rank",
          "[minibatch][p2p]") {
  Dataset set = datasetOf("in", buildCsr(3, std::vector<Arc>{{1, 0}, {2, 0}}, false), true);
  set.split = {Split::train, Split::test, Split::test};  // nobody reads vertex 0
  CHECK_THROWS_WITH(
      Trained(MPI_COMM_WORLD, set, settingsOf({.sampler = "saint-node"}, "gcn", 0), ofOne(set)),
      Contains("run.sampler: saint-node draws no training vertex of this graph: none is a neighbour of "
               "another vertex; another sampler"));
}

TEST_CASE("sampled scores of vertex sets are those of minibatch", "[minibatch][p2p]") {
  const Dataset set = hardGraphs().front();
  const SlowSetPlan plan{.sampler = "uniform", .budget = 20};
  const auto drawing = [](RunSettings run) {
    return with(with(run, "evaluation", std::string("sampled")), "eval_fanouts", std::string("2,2"));
  };
  Trained many(MPI_COMM_WORLD, set, drawing(settingsOf(plan, "gcn", 0.5)), scatteredOwners(set, worldSize()));
  Trained single(MPI_COMM_SELF, set, drawing(plan.settings("gcn", 0.5)), ofOne(set));
  for (int epoch = 0; epoch < 2; ++epoch) {
    many.method->runEpoch(epoch);
    single.method->runEpoch(epoch);
    const EpochRow scores = many.method->evaluate(), expected = single.method->evaluate();
    const double ties = sizeof(Scalar) == 8 ? 1e-12 : 0.04;
    CHECK(*scores.train == Approx(*expected.train).margin(ties));
    CHECK(*scores.test == Approx(*expected.test).margin(ties));
  }
}
